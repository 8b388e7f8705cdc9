#pragma once
// Growing a tree on bins: large nodes one after another, each with all threads, then small subtrees side by side.
#include "bin_node.hpp"
#include "bin_rows.hpp"
#include "bin_tree.hpp"
#include "grown.hpp"
#include "histogram.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace margin::tree {

/// A node that may be split.
struct BinWork {
    std::size_t node = 0;
    int half = 0;
    std::size_t begin = 0, n = 0, depth = 0;
    std::int32_t histogram = -1;
};

/// Grows nodes from rows that lie side by side. One for each worker; the rows may be shared, but not those of a node.
template <class Code, class Criterion, class Search>
class BinGrower {
public:
    using Tally = typename Search::Tally;
    using Number = typename Tally::Number;
    using Rows = BinRows<Code, typename Tally::Item>;

    BinGrower(Rows& rows, const std::vector<BinnedColumn>& columns, const std::vector<std::uint32_t>& first,
              Tally tally, const Settings& settings, double all_weight, std::size_t n_threads, Monitor& monitor)
        : rows_(rows), columns_(columns), first_(first), tally_(tally), settings_(settings), all_weight_(all_weight),
          n_threads_(n_threads), monitor_(monitor), search_(columns, first, tally, settings) {}

    BinTree tree;

    /// Grow everything below a node but for nodes of up to `later` rows, which are listed.
    /// The smaller branch comes first, so that no more than log2 n histograms are kept at a time.
    void grow(const BinWork& root, std::size_t later, std::vector<BinWork>& listed) {
        std::vector<BinWork> stack{root};
        while (!stack.empty()) {
            BinWork work = stack.back();
            stack.pop_back();
            if (work.n <= later) {
                release(std::exchange(work.histogram, -1));
                listed.push_back(work);
            } else
                expand(work, stack);
        }
    }

    /// Whether a node of these sums is a leaf whatever its rows are.
    bool is_leaf(std::size_t n, std::size_t depth, const double* sum, double weight) const noexcept {
        return n < settings_.min_split || depth >= settings_.max_depth || n < 2 * settings_.min_leaf ||
               weight < 2 * settings_.min_leaf_weight || n < 2 ||
               std::count_if(sum, sum + tally_.width(), [](double w) { return w > 0; }) <= 1;
    }

private:
    void expand(BinWork work, std::vector<BinWork>& stack) {
        if (work.n > 1024)
            monitor_.check();
        const double* const sum = tree.sums.data() + work.node * tally_.width();
        const double weight = tree.nodes[work.node].weight;
        const BinNode node{work.half, work.begin, work.n, sum, weight, Criterion::loss(sum, tally_.width(), weight)};
        if (needs_histogram(work) && work.histogram < 0)
            count(work);
        search_.best(rows_, node,
                     work.histogram < 0 ? nullptr : histograms_[static_cast<std::size_t>(work.histogram)].get(),
                     split_);
        if (!split_.found || weight / all_weight_ * split_.gain + 1e-15 < settings_.min_decrease) {
            release(work.histogram);
            return;
        }
        divide(work, stack);
    }

    static bool needs_histogram(const BinWork& work) noexcept { return work.n > Search::direct_rows; }

    void divide(BinWork& work, std::vector<BinWork>& stack) {
        write_split(work.node);
        const std::size_t width = tally_.width();
        const std::array<std::size_t, 2> n{split_.n_low, work.n - split_.n_low};
        high_.resize(width);
        for (std::size_t k = 0; k < width; ++k)
            high_[k] = tree.sums[work.node * width + k] - split_.low[k];
        const std::array<const double*, 2> sum{split_.low.data(), high_.data()};
        const std::array<double, 2> weight{split_.low_weight, tree.nodes[work.node].weight - split_.low_weight};
        std::array<BinWork, 2> part;
        std::array<bool, 2> open;
        for (std::size_t b = 0; b < 2; ++b) {
            part[b] = {tree.add(n[b], sum[b], width, weight[b]),
                       1 - work.half,
                       b == 0 ? work.begin : work.begin + n[0],
                       n[b],
                       work.depth + 1,
                       -1};
            tree.nodes[work.node].child[b] = static_cast<std::int32_t>(part[b].node);
            open[b] = !is_leaf(n[b], work.depth + 1, sum[b], weight[b]);
        }
        if (open[0] || open[1])
            rows_.deal(work.half, work.begin, work.n, split_.column, low_.data(), split_.n_low, n_threads_, monitor_);
        const std::size_t small = n[0] <= n[1] ? 0 : 1;
        pass_histogram(work, part[small], part[1 - small], open[small], open[1 - small]);
        for (const std::size_t b : {1 - small, small})
            if (open[b])
                stack.push_back(part[b]);
    }

    /// The larger branch has what is left of its parent's histogram when the smaller one is taken off.
    void pass_histogram(BinWork& parent, BinWork& small, BinWork& large, bool small_open, bool large_open) {
        if (parent.histogram < 0)
            return;
        if (!large_open || !needs_histogram(large)) {
            release(parent.histogram);
            return;
        }
        large.histogram = parent.histogram;
        Number* const rest = histograms_[static_cast<std::size_t>(parent.histogram)].get();
        if (!small_open || !needs_histogram(small)) {
            tally_rows<true>(rows_, small.half, small.begin, small.n, first_, tally_, rest);
            return;
        }
        count(small);
        const Number* const part = histograms_[static_cast<std::size_t>(small.histogram)].get();
        for (std::size_t k = 0; k < histogram_size(); ++k)
            rest[k] -= part[k];
    }

    std::size_t histogram_size() const noexcept { return first_.back() * tally_.cell(); }

    void release(std::int32_t histogram) {
        if (histogram >= 0)
            unused_.push_back(histogram);
    }

    /// A histogram of the rows of a node. Sums are exact, so it does not matter which thread counts which rows.
    void count(BinWork& work) {
        if (unused_.empty()) {
            unused_.push_back(static_cast<std::int32_t>(histograms_.size()));
            histograms_.push_back(std::make_unique_for_overwrite<Number[]>(histogram_size()));
        }
        work.histogram = unused_.back();
        unused_.pop_back();
        Number* const all = histograms_[static_cast<std::size_t>(work.histogram)].get();
        std::fill_n(all, histogram_size(), Number{0});
        constexpr std::size_t block = 8192;
        if (work.n < 2 * block) {
            tally_rows<false>(rows_, work.half, work.begin, work.n, first_, tally_, all);
            return;
        }
        std::vector<std::vector<Number>> others(n_workers(work.n, block, n_threads_));
        parallel_for(work.n, block, n_threads_, monitor_, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            if (worker > 0 && others[worker].empty())
                others[worker].resize(histogram_size());
            tally_rows<false>(rows_, work.half, work.begin + begin, end - begin, first_, tally_,
                              worker > 0 ? others[worker].data() : all);
        });
        for (const auto& other : others)
            for (std::size_t k = 0; k < other.size(); ++k)
                all[k] += other[k];
    }

    /// Which bins go to branch 0, and the node itself.
    void write_split(std::size_t at) {
        const BinnedColumn& column = columns_[split_.column];
        low_.assign(column.n_bins + 1, 0);
        if (split_.ask == Ask::threshold)
            std::fill_n(low_.begin(), split_.cut + 1, std::uint8_t{1});
        for (const code_t bin : split_.codes)
            low_[bin] = 1;
        low_[column.n_bins] = split_.missing == 0;
        BinTree::Entry& node = tree.nodes[at];
        node.column = static_cast<std::int32_t>(split_.column);
        node.ask = split_.ask;
        node.gain = split_.gain;
        node.missing = split_.sees_missing ? split_.missing : (2 * split_.n_low >= node.n ? 0 : 1);
        if (split_.ask == Ask::threshold)
            node.threshold = column.between(split_.cut, split_.next);
        for (const code_t bin : split_.codes)
            node.codes.insert(node.codes.end(), column.levels_of[bin].begin(), column.levels_of[bin].end());
        std::ranges::sort(node.codes);
    }

    Rows& rows_;
    const std::vector<BinnedColumn>& columns_;
    const std::vector<std::uint32_t>& first_;
    Tally tally_;
    const Settings& settings_;
    double all_weight_;
    std::size_t n_threads_;
    Monitor& monitor_;
    Search search_;
    BinSplit split_;
    std::vector<double> high_;
    std::vector<std::uint8_t> low_;
    std::vector<std::unique_ptr<Number[]>> histograms_;
    std::vector<std::int32_t> unused_;
};

/// A whole tree: nodes of many rows first, with `Search`; then subtrees of at most `subtree_rows` rows, with `SmallSearch`.
template <class Code, class Criterion, class Search, class SmallSearch, class Rows>
GrownTree grow_in_two_stages(Rows& rows, const std::vector<BinnedColumn>& columns, typename Search::Tally tally,
                             typename SmallSearch::Tally small_tally, const std::vector<double>& sum, double weight,
                             const Settings& settings, std::size_t n_threads, Monitor& monitor) {
    // Enough subtrees for many threads, none so large that others wait for it, and counters of 16 bits for all.
    const std::size_t subtree_rows = std::clamp<std::size_t>(rows.size() / 16, 2048, 65535);
    const auto first = first_bins(columns);
    std::vector<BinTree> trees(1);
    std::vector<BinWork> works;
    {
        BinGrower<Code, Criterion, Search> grower(rows, columns, first, tally, settings, weight, n_threads, monitor);
        grower.tree.add(rows.size(), sum.data(), sum.size(), weight);
        if (!grower.is_leaf(rows.size(), 0, sum.data(), weight))
            grower.grow({0, 0, 0, rows.size(), 0, -1}, subtree_rows, works);
        trees[0] = std::move(grower.tree);
    }
    std::ranges::stable_sort(works, [](const BinWork& a, const BinWork& b) { return a.n > b.n; });
    trees.resize(1 + works.size());
    using Grower = BinGrower<Code, Criterion, SmallSearch>;
    std::vector<std::unique_ptr<Grower>> growers(n_workers(works.size(), 1, n_threads));
    parallel_for(works.size(), 1, n_threads, monitor, [&](std::size_t k, std::size_t, std::size_t worker) {
        auto& grower = growers[worker];
        if (!grower)
            grower = std::make_unique<Grower>(rows, columns, first, small_tally, settings, weight, 1, monitor);
        BinWork work = works[k];
        BinTree::Entry& root = trees[0].nodes[work.node];
        root.subtree = static_cast<std::int32_t>(k + 1);
        grower->tree.add(work.n, trees[0].sums.data() + work.node * sum.size(), sum.size(), root.weight);
        work.node = 0;
        std::vector<BinWork> none;
        grower->grow(work, 0, none);
        trees[k + 1] = std::exchange(grower->tree, {});
    });
    GrownTree grown = in_preorder(trees, sum.size());
    for (std::size_t i = 0; i < grown.size(); ++i)
        if (grown.weight[i] > 0)
            grown.impurity[i] =
                Criterion::loss(grown.value.data() + i * grown.width, grown.width, grown.weight[i]) / grown.weight[i];
    return grown;
}

} // namespace margin::tree
