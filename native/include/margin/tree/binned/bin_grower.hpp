#pragma once
// Splitting nodes on bins, one after another.
#include "bin_node.hpp"
#include "bin_rows.hpp"
#include "bin_search.hpp"
#include "bin_tree.hpp"
#include "histogram.hpp"
#include "margin/core/threads.hpp"
#include "margin/tree/exact/work.hpp"
#include "margin/tree/targets/mean.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

namespace margin::tree {

/// A node that may be split.
struct BinWork {
    std::size_t node = 0; // its place in the tree
    int half = 0;         // where its rows are
    std::size_t begin = 0, n = 0, depth = 0;
    std::uint64_t path = 0;
    Bounds bounds;
    std::int32_t histogram = -1;
};

/// Grows nodes from rows that lie side by side. One for each worker; growers may share the rows, but not those of a
/// node.
template <class Code, class Tally>
class BinGrower {
public:
    using Search = BinSearch<Code, Tally>;
    using Target = typename Tally::Target;
    using Number = typename Tally::Number;
    using Rows = BinRows<Code, typename Tally::Item>;

    BinGrower(Rows& rows, const BinCommon& common, Tally tally, std::unique_ptr<Search> search, std::size_t n_threads,
              Monitor& monitor)
        : rows_(rows), common_(common), settings_(common.settings), tally_(tally), n_threads_(n_threads),
          monitor_(monitor), search_(std::move(search)), histograms_(common.first.back() * tally.cell()) {}

    BinTree tree;

    /// Write the root of a tree down; says whether it may be split.
    bool plant(BinWork& root, const double* sum) { return add(root, sum, Target::weight(sum, tally_.width())); }

    /// Grow everything below a node but for nodes of up to `later` rows, which are listed.
    /// The smaller branch comes first, so that no more than log2 n histograms are kept at a time.
    void grow(const BinWork& root, std::size_t later, std::vector<BinWork>& listed) {
        std::vector<BinWork> stack{root};
        while (!stack.empty()) {
            BinWork work = stack.back();
            stack.pop_back();
            if (work.n <= later) {
                histograms_.release(std::exchange(work.histogram, -1));
                listed.push_back(work);
            } else if (search(work, split_)) {
                const Branches branches = divide(work, split_);
                for (std::size_t b = branches.n; b-- > 0;)
                    stack.push_back(branches.open[b]);
            }
        }
    }

    /// Grow at most settings.max_leaves leaves: the node whose split lowers the impurity of all rows most is split
    /// next, of equally good ones the one that was made first.
    void grow_best_first(const BinWork& root) {
        std::priority_queue<Waiting> queue;
        const auto add = [&](BinWork work) {
            BinSplit split;
            if (!search(work, split))
                return;
            if (histograms_.bytes() > most_waiting_bytes) // counting anew is slower, but leaves may be many
                histograms_.release(std::exchange(work.histogram, -1));
            queue.push({tree.nodes[work.node].weight * split.gain, work, std::move(split)});
        };
        add(root);
        for (std::size_t n_leaves = 1; n_leaves < settings_.max_leaves && !queue.empty(); ++n_leaves) {
            Waiting waiting = queue.top();
            queue.pop();
            Branches branches = divide(waiting.work, waiting.split);
            if (branches.n == 2 && branches.open[0].node > branches.open[1].node)
                std::swap(branches.open[0], branches.open[1]);
            for (std::size_t b = 0; b < branches.n; ++b)
                add(branches.open[b]);
        }
    }

private:
    static constexpr std::size_t most_waiting_bytes = std::size_t{1} << 26;

    struct Waiting {
        double decrease;
        BinWork work;
        BinSplit split;
        bool operator<(const Waiting& other) const noexcept { // the queue gives the largest first
            return decrease < other.decrease || (decrease == other.decrease && work.node > other.work.node);
        }
    };

    struct Branches {
        std::array<BinWork, 2> open;
        std::size_t n = 0;
    };

    bool needs_histogram(const BinWork& work) const noexcept {
        return work.n > search_->most_direct_rows && !search_->draws;
    }

    /// Write a node down; its rows are looked at where its value depends on them. Says whether it may be split.
    bool add(BinWork& work, const double* sum, double weight) {
        work.node = tree.nodes.size();
        BinTree::Entry& node = tree.nodes.emplace_back();
        node.n = work.n;
        node.weight = weight;
        tree.sums.insert(tree.sums.end(), sum, sum + tally_.width());
        const bool pure = describe(work, sum, node) || node.impurity <= settings_.min_impurity;
        return work.n >= std::max<std::size_t>(settings_.min_split, 2) && work.n / 2 >= settings_.min_leaf &&
               work.depth < settings_.max_depth && weight >= 2 * settings_.min_leaf_weight && !pure;
    }

    /// Value and impurity of a node, as record.hpp has them; true if all targets are the same.
    bool describe(const BinWork& work, const double* sum, BinTree::Entry& node) {
        const bool bounded = !settings_.monotone.empty();
        if constexpr (std::is_same_v<Target, Classes>) {
            const std::size_t width = tally_.width();
            node.impurity = search_->loss(sum, node.weight) / node.weight;
            tree.values.insert(tree.values.end(), sum, sum + width);
            if (double* const value = tree.values.data() + tree.values.size() - width; bounded && width == 2) {
                value[1] = std::clamp(value[1] / node.weight, work.bounds.lowest, work.bounds.highest) * node.weight;
                value[0] = node.weight - value[1];
            }
            return std::count_if(sum, sum + width, [](double w) { return w > 0; }) <= 1;
        } else {
            const Spread spread = spread_of_rows(work, node.weight);
            node.impurity = spread.variance;
            tree.values.push_back(bounded ? std::clamp(spread.mean, work.bounds.lowest + common_.centre,
                                                       work.bounds.highest + common_.centre)
                                          : spread.mean);
            return spread.constant;
        }
    }

    Spread spread_of_rows(const BinWork& work, double weight) {
        items_.resize(work.n);
        constexpr bool weighted = requires(typename Tally::Item item) { item.weight; };
        if constexpr (weighted)
            weights_.resize(work.n);
        for (std::size_t i = 0; i < work.n; ++i) {
            const auto item = rows_.item(work.half, work.begin + i);
            if constexpr (std::is_same_v<Target, Values>)
                items_[i] = {item.y, item.part};
            if constexpr (weighted)
                weights_[i] = item.weight;
        }
        return spread_of(items_.data(), weighted ? weights_.data() : nullptr, work.n, weight);
    }

    /// Find the split of a node; false, and its histogram is given back, if it has none that is worth it.
    bool search(BinWork& work, BinSplit& split) {
        if (work.n > 1024)
            monitor_.check();
        const double* const sum = tree.sums.data() + work.node * tally_.width();
        const double weight = tree.nodes[work.node].weight, loss = search_->loss(sum, weight);
        if (needs_histogram(work) && work.histogram < 0)
            count(work);
        search_->best(rows_, {work.half, work.begin, work.n, sum, weight, loss, work.bounds, work.path},
                      histograms_[work.histogram], split);
        if (split.found && weight / common_.all_weight * split.gain + 1e-15 >= settings_.min_decrease)
            return true;
        histograms_.release(work.histogram);
        return false;
    }

    /// Make the branches of a node; gives those that may be split further, the smaller one first.
    Branches divide(BinWork& work, const BinSplit& split) {
        write_split(work.node, split);
        const std::size_t width = tally_.width();
        high_.resize(width);
        for (std::size_t k = 0; k < width; ++k)
            high_[k] = tree.sums[work.node * width + k] - split.low[k];
        const double low_weight = split.low_weight, high_weight = tree.nodes[work.node].weight - low_weight;
        if constexpr (std::is_same_v<Target, Values>)
            deal(work, split); // the values of the branches depend on their rows
        const std::int8_t way = settings_.monotone.empty() ? 0 : settings_.monotone[split.column];
        const double middle = bounded_value<Target>(split.low.data(), low_weight) / 2 +
                              bounded_value<Target>(high_.data(), high_weight) / 2;
        std::array<BinWork, 2> part;
        std::array<bool, 2> open;
        for (std::uint32_t b = 0; b < 2; ++b) {
            part[b] = {0,
                       1 - work.half,
                       work.begin + (b == 0 ? 0 : split.n_low),
                       b == 0 ? split.n_low : work.n - split.n_low,
                       work.depth + 1,
                       path_to(work.path, b),
                       hand_down(work.bounds, way, b, middle),
                       -1};
            open[b] = add(part[b], b == 0 ? split.low.data() : high_.data(), b == 0 ? low_weight : high_weight);
            tree.nodes[work.node].child[b] = static_cast<std::int32_t>(part[b].node);
        }
        if (std::is_same_v<Target, Classes> && (open[0] || open[1]))
            deal(work, split);
        const std::size_t small = part[0].n <= part[1].n ? 0 : 1, large = 1 - small;
        pass_histogram(work.histogram, part[small], part[large], open[small], open[large]);
        Branches branches;
        for (const std::size_t b : {small, large})
            if (open[b])
                branches.open[branches.n++] = part[b];
        return branches;
    }

    void deal(const BinWork& work, const BinSplit& split) {
        rows_.deal(work.half, work.begin, work.n, split.column, low_.data(), split.n_low, n_threads_, monitor_);
    }

    /// The larger branch has what is left of its parent's histogram when the smaller one is taken off.
    void pass_histogram(std::int32_t parent, BinWork& small, BinWork& large, bool small_open, bool large_open) {
        if (parent < 0)
            return;
        if (!large_open || !needs_histogram(large)) {
            histograms_.release(parent);
            return;
        }
        large.histogram = parent;
        if (!small_open || !needs_histogram(small)) {
            tally_rows<true>(rows_, small.half, small.begin, small.n, common_.first, tally_, histograms_[parent]);
            return;
        }
        count(small);
        Number* const rest = histograms_[parent];
        const Number* const part = histograms_[small.histogram];
        for (std::size_t k = 0; k < histograms_.size(); ++k)
            rest[k] -= part[k];
    }

    /// A histogram of the rows of a node. Sums are exact, so it does not matter which thread counts which rows.
    void count(BinWork& work) {
        work.histogram = histograms_.take();
        Number* const all = histograms_[work.histogram];
        constexpr std::size_t block = 8192;
        if (work.n < 2 * block) {
            tally_rows<false>(rows_, work.half, work.begin, work.n, common_.first, tally_, all);
            return;
        }
        std::vector<std::vector<Number>> others(n_workers(work.n, block, n_threads_));
        parallel_for(work.n, block, n_threads_, monitor_, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            if (worker > 0 && others[worker].empty())
                others[worker].resize(histograms_.size());
            tally_rows<false>(rows_, work.half, work.begin + begin, end - begin, common_.first, tally_,
                              worker > 0 ? others[worker].data() : all);
        });
        for (const auto& other : others)
            for (std::size_t k = 0; k < other.size(); ++k)
                all[k] += other[k];
    }

    /// Write the question of a node down, and mark the bins that go to branch 0.
    void write_split(std::size_t at, const BinSplit& split) {
        const BinnedColumn& column = common_.columns[split.column];
        BinTree::Entry& node = tree.nodes[at];
        low_.assign(column.n_bins + 1, 0);
        low_[column.n_bins] = split.missing == 0;
        node.column = static_cast<std::int32_t>(split.column);
        node.ask = split.ask;
        node.gain = split.gain;
        node.missing = split.sees_missing ? split.missing : (split.n_low > node.n - split.n_low ? 0 : 1);
        if (split.ask == Ask::threshold) {
            std::fill_n(low_.begin(), split.cut + 1, std::uint8_t{1});
            node.threshold = column.between(split.cut, split.next);
            return;
        }
        for (const code_t bin : split.codes) {
            low_[bin] = 1;
            node.codes.insert(node.codes.end(), column.levels_of[bin].begin(), column.levels_of[bin].end());
        }
        std::ranges::sort(node.codes);
    }

    Rows& rows_;
    const BinCommon& common_;
    const Settings& settings_;
    Tally tally_;
    std::size_t n_threads_;
    Monitor& monitor_;
    std::unique_ptr<Search> search_;
    Histograms<Number> histograms_;
    BinSplit split_;
    std::vector<double> high_;
    std::vector<std::uint8_t> low_;
    Buffer<Values::Item> items_;
    Buffer<double> weights_;
};

} // namespace margin::tree
