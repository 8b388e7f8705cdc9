#pragma once
// Splitting nodes on bins, one after another.
#include "bin_node.hpp"
#include "bin_tree.hpp"
#include "counted_rows.hpp"
#include "margin/tree/exact/work.hpp"
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
    double loss = 0; // of classes: known since the node was written down

    RowRange rows() const noexcept { return {half, begin, n}; }
};

/// Grows nodes from rows that lie side by side. One for each worker; growers may share the rows, but not those of a
/// node.
template <class Target>
class BinGrower {
public:
    BinGrower(const BinCommon& common, std::unique_ptr<CountedRows<Target>> rows, Monitor& monitor)
        : common_(common), settings_(common.settings), monitor_(monitor), rows_(std::move(rows)) {}

    BinTree tree;

    /// Write the root of a tree down; says whether it may be split.
    bool plant(BinWork& root, const double* sum) { return add(root, sum, Target::weight(sum, rows_->width)); }

    /// Grow everything below a node but for nodes of up to `later` rows, which are listed.
    /// The smaller branch comes first, so that no more than log2 n histograms are kept at a time.
    void grow(const BinWork& root, std::size_t later, std::vector<BinWork>& listed) {
        std::vector<BinWork> stack{root};
        while (!stack.empty()) {
            BinWork work = stack.back();
            stack.pop_back();
            if (work.n <= later) {
                rows_->release(std::exchange(work.histogram, -1));
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
            if (rows_->bytes() > most_waiting_bytes) // counting anew is slower, but leaves may be many
                rows_->release(std::exchange(work.histogram, -1));
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

    /// Write a node down; its rows are looked at where its value depends on them. Says whether it may be split.
    bool add(BinWork& work, const double* sum, double weight) {
        work.node = tree.nodes.size();
        BinTree::Entry& node = tree.nodes.emplace_back();
        node.n = work.n;
        node.weight = weight;
        tree.sums.insert(tree.sums.end(), sum, sum + rows_->width);
        const bool pure = describe(work, sum, node) || node.impurity <= settings_.min_impurity;
        return work.n >= std::max<std::size_t>(settings_.min_split, 2) && work.n / 2 >= settings_.min_leaf &&
               work.depth < settings_.max_depth && weight >= 2 * settings_.min_leaf_weight && !pure;
    }

    /// Value and impurity of a node, as record.hpp has them; true if all targets are the same.
    bool describe(BinWork& work, const double* sum, BinTree::Entry& node) {
        const bool bounded = !settings_.monotone.empty();
        if constexpr (std::is_same_v<Target, Classes>) {
            const std::size_t width = rows_->width;
            work.loss = rows_->loss(sum, node.weight);
            node.impurity = work.loss / node.weight;
            tree.values.insert(tree.values.end(), sum, sum + width);
            if (double* const value = tree.values.data() + tree.values.size() - width; bounded && width == 2) {
                value[1] = std::clamp(value[1] / node.weight, work.bounds.lowest, work.bounds.highest) * node.weight;
                value[0] = node.weight - value[1];
            }
            return std::count_if(sum, sum + width, [](double w) { return w > 0; }) <= 1;
        } else {
            const Spread spread = rows_->spread(work.rows(), node.weight);
            node.impurity = spread.variance;
            tree.values.push_back(bounded ? std::clamp(spread.mean, work.bounds.lowest + common_.centre,
                                                       work.bounds.highest + common_.centre)
                                          : spread.mean);
            return spread.constant;
        }
    }

    /// Find the split of a node; false, and its histogram is given back, if it has none that is worth it.
    bool search(BinWork& work, BinSplit& split) {
        if (work.n > 1024)
            monitor_.check();
        const double* const sum = tree.sums.data() + work.node * rows_->width;
        const double weight = tree.nodes[work.node].weight;
        const double loss = std::is_same_v<Target, Classes> ? work.loss : rows_->loss(sum, weight);
        if (work.histogram < 0 && rows_->needs_histogram(work.n))
            work.histogram = rows_->count(work.rows());
        rows_->best({work.half, work.begin, work.n, sum, weight, loss, work.bounds, work.path}, work.histogram, split);
        if (split.found && weight / common_.all_weight * split.gain + 1e-15 >= settings_.min_decrease)
            return true;
        rows_->release(work.histogram);
        return false;
    }

    /// Make the branches of a node; gives those that may be split further, the smaller one first.
    Branches divide(BinWork& work, const BinSplit& split) {
        write_split(work.node, split);
        const std::size_t width = rows_->width;
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
        rows_->deal(work.rows(), split.column, low_.data(), split.n_low);
    }

    /// The larger branch has what is left of its parent's histogram when the smaller one is taken off.
    void pass_histogram(std::int32_t parent, BinWork& small, BinWork& large, bool small_open, bool large_open) {
        if (parent < 0)
            return;
        if (!large_open || !rows_->needs_histogram(large.n)) {
            rows_->release(parent);
            return;
        }
        large.histogram = parent;
        if (!small_open || !rows_->needs_histogram(small.n)) {
            rows_->take_off(parent, small.rows());
            return;
        }
        small.histogram = rows_->count(small.rows());
        rows_->take_off(parent, small.histogram);
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

    const BinCommon& common_;
    const Settings& settings_;
    Monitor& monitor_;
    std::unique_ptr<CountedRows<Target>> rows_;
    BinSplit split_;
    std::vector<double> high_;
    std::vector<std::uint8_t> low_;
};

} // namespace margin::tree
