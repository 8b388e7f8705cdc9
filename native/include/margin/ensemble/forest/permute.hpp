#pragma once
// How much worse trees answer the rows they did not draw when one column is permuted among these.
//
// Breiman (2001), section 10; permuted only among rows that are alike in other columns: Strobl, Boulesteix, Kneib,
// Augustin, Zeileis (2008), "Conditional variable importance for random forests".
#include "grow_forest.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace margin::ensemble {

/// What answers are judged by: classes as codes, or numbers. No weights are weights of 1.
struct JudgedRows {
    std::span<const double> y, weight;
};

/// Which columns each column is held beside: row j of a d x d matrix of 0 and 1; empty: none, and rows are permuted freely.
struct Permutation {
    std::uint64_t seed = 0;
    std::span<const std::uint8_t> beside;
};

/// Questions that rows must agree in to change places; more would leave few rows to change with.
inline constexpr std::size_t most_conditions = 6;

/// Judges one tree; one for each worker.
template <class T>
class PermutedTree {
public:
    PermutedTree(const ForestView& forest, const WalkedRows<T>& rows, const JudgedRows& judged, const Permutation& how)
        : forest_(forest), rows_(rows), judged_(judged), how_(how), d_(rows.columns()) {}

    /// more[j] = the mean loss with column j permuted, less that without; NaN where no row is left out.
    /// O(rows d depth) time for the columns that the tree asks about; the others are 0.
    void judge(std::size_t t, std::span<const std::uint32_t> times, double* more, Monitor& monitor) {
        t_ = t;
        nodes_ = forest_.tree(t);
        const auto n_nodes = static_cast<std::size_t>(forest_.start[t + 1] - forest_.start[t]);
        read_rows(times);
        std::fill_n(more, d_, out_.empty() ? std::numeric_limits<double>::quiet_NaN() : 0.0);
        if (out_.empty())
            return;
        std::vector<std::uint8_t> asked(d_);
        for (std::size_t k = 0; k < n_nodes; ++k)
            if (!nodes_[k].is_leaf())
                asked[nodes_[k].column()] = 1;
        for (std::size_t j = 0; j < d_; ++j)
            if (asked[j]) {
                monitor.check();
                more[j] = permuted_loss(j, n_nodes);
            }
    }

private:
    void read_rows(std::span<const std::uint32_t> times) {
        out_.clear();
        for (std::uint32_t i = 0; i < times.size(); ++i)
            if (times[i] == 0)
                out_.push_back(i);
        cells_.resize(out_.size() * d_);
        loss_.resize(out_.size());
        all_weight_ = 0;
        for (std::size_t i = 0; i < out_.size(); ++i) {
            rows_.write(out_[i], out_[i] + 1, row(i));
            loss_[i] = loss(i);
            all_weight_ += weight(i);
        }
    }

    double* row(std::size_t i) noexcept { return cells_.data() + i * d_; }
    double weight(std::size_t i) const noexcept { return judged_.weight.empty() ? 1.0 : judged_.weight[out_[i]]; }

    double loss(std::size_t i) noexcept {
        const double y = judged_.y[out_[i]];
        const double said = nodes_[leaf_of_any(nodes_, forest_.words.data(), row(i))].threshold;
        if (!forest_.of_classes)
            return (said - y) * (said - y);
        const auto named = static_cast<std::size_t>(said);
        if (named < forest_.width)
            return said != y;
        const double* const shares = forest_.shares.data() + (named - forest_.width) * forest_.width;
        return static_cast<double>(std::max_element(shares, shares + forest_.width) - shares) != y;
    }

    double permuted_loss(std::size_t j, std::size_t n_nodes) {
        const std::size_t n = out_.size();
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), 0u);
        from_ = order_;
        Stream stream(how_.seed, t_ * d_ + j);
        if (how_.beside.empty())
            stream.shuffle(std::span(from_));
        else
            shuffle_alike(j, n_nodes, stream);
        column_.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            column_[i] = row(i)[j];
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = order_[k];
            row(i)[j] = column_[from_[k]];
            total += weight(i) * (loss(i) - loss_[i]);
            row(i)[j] = column_[i];
        }
        return total / all_weight_;
    }

    /// Shuffle rows among those that answer the first questions about the columns beside j alike.
    void shuffle_alike(std::size_t j, std::size_t n_nodes, Stream& stream) {
        const std::vector<std::uint32_t> conditions = first_questions(j, n_nodes);
        key_.assign(out_.size(), 0);
        for (std::size_t i = 0; i < out_.size(); ++i)
            for (const std::uint32_t node : conditions)
                key_[i] = key_[i] << 1 | branch_of(nodes_[node], forest_.words.data(), row(i));
        std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return key_[i]; });
        from_ = order_;
        for (std::size_t begin = 0, end; begin < order_.size(); begin = end) {
            for (end = begin; end < order_.size() && key_[order_[end]] == key_[order_[begin]]; ++end) {
            }
            stream.shuffle(std::span(from_).subspan(begin, end - begin));
        }
    }

    /// Nearest to the root first.
    std::vector<std::uint32_t> first_questions(std::size_t j, std::size_t n_nodes) {
        std::vector<std::uint32_t> depth(n_nodes);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
        for (std::uint32_t k = 0; k < n_nodes; ++k)
            if (const Node& node = nodes_[k]; !node.is_leaf()) {
                depth[node.first] = depth[node.first + 1] = depth[k] + 1;
                if (how_.beside[j * d_ + node.column()])
                    found.emplace_back(depth[k], k);
            }
        std::ranges::sort(found);
        found.resize(std::min(found.size(), most_conditions));
        std::vector<std::uint32_t> questions;
        for (const auto& [at, k] : found)
            questions.push_back(k);
        return questions;
    }

    const ForestView& forest_;
    const WalkedRows<T>& rows_;
    const JudgedRows& judged_;
    const Permutation& how_;
    std::size_t d_, t_ = 0;
    const Node* nodes_ = nullptr;
    std::vector<std::uint32_t> out_, order_, from_, key_;
    std::vector<double> cells_, loss_, column_;
    double all_weight_ = 0;
};

/// more[t, j] for all trees of a forest that was grown by this plan, each by its own random numbers: the same for any
/// number of threads.
template <class T>
std::vector<double> permuted_losses(const ForestView& forest, const WalkedRows<T>& rows, const JudgedRows& judged,
                                    const ForestPlan& plan, const Permutation& how, Monitor& monitor) {
    std::vector<double> more(forest.n_trees() * rows.columns());
    monitor.expect(forest.n_trees());
    parallel_for(forest.n_trees(), 1, plan.n_threads, monitor, [&](std::size_t t, std::size_t, std::size_t) {
        std::vector<std::uint32_t> times;
        draw_rows(plan, rows.numbers.rows(), t, times);
        PermutedTree<T>(forest, rows, judged, how).judge(t, times, more.data() + t * rows.columns(), monitor);
        monitor.step();
    });
    return more;
}

} // namespace margin::ensemble
