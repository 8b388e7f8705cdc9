#pragma once
// One tree on gradients: histograms, splits, and rows dealt out to branches.
#include "grown_tree.hpp"
#include "histogram.hpp"
#include <algorithm>
#include <memory>
#include <numeric>
#include <queue>
#include <vector>

namespace margin::boosting {

/// Rows to grow from: items in order, the gradients on the fine grid by rows, and the weights by rows if there are any.
template <class Rows>
struct GradientRows {
    std::array<std::unique_ptr<typename Rows::Item[]>, 2> halves;
    std::size_t n = 0; // items of this tree, in the first half
    std::unique_ptr<Sums[]> fine;
    const double* weight = nullptr;
    Grid grid{Bounds{}};

    explicit GradientRows(std::size_t n_rows) : fine(std::make_unique_for_overwrite<Sums[]>(n_rows)) {
        for (auto& half : halves)
            half = std::make_unique_for_overwrite<typename Rows::Item[]>(n_rows);
    }
    std::span<const typename Rows::Item> of(const Segment& rows) const noexcept {
        return {halves[static_cast<std::size_t>(rows.half)].get() + rows.begin, rows.n};
    }
    /// Units of the sums in histograms.
    double g_unit() const noexcept { return 1 / (std::is_same_v<Rows, CoarseRows> ? grid.g * grid.coarse_g : grid.g); }
    double h_unit() const noexcept { return 1 / (std::is_same_v<Rows, CoarseRows> ? grid.h * grid.coarse_h : grid.h); }
};

template <class Rows>
class TreeGrower {
public:
    using Item = typename Rows::Item;
    using Cell = typename Rows::Cell;

    TreeGrower(const BinnedTable& table, const Settings& settings)
        : table_(table), settings_(settings), maker_(table, settings.n_threads),
          side_(std::make_unique_for_overwrite<std::uint8_t[]>(table.n_rows)),
          most_kept_(std::max<std::size_t>(2, room / (maker_.size() * sizeof(Cell) + 1))) {}

    /// A tree that asks about these columns alone (all if none are named); leaves have no values yet.
    GrownTree grow(GradientRows<Rows>& rows, std::vector<std::uint32_t> columns, Monitor& monitor) {
        rows_ = &rows;
        monitor_ = &monitor;
        maker_.look_at(std::move(columns));
        tree_.clear();
        open_.clear();
        GrownNode root;
        root.rows = {0, 0, rows.n};
        tree_.push_back(root);
        Cells<Cell> cells = borrow();
        maker_.make(rows.of(root.rows), rows.fine.get(), cells.get(), monitor);
        tree_[0].sums.all = total(cells.get());
        tree_[0].sums.g_unit = rows.g_unit();
        tree_[0].sums.h_unit = rows.h_unit();
        count_cases(tree_[0]);
        std::size_t n_leaves = 1;
        if (may_split(tree_[0], n_leaves))
            look(0, std::move(cells));
        else
            give_back(std::move(cells));
        while (!open_.empty()) {
            monitor.check();
            Open next = pop();
            if (n_leaves < settings_.max_leaves)
                split(next, ++n_leaves);
            give_back(std::move(next.cells));
        }
        return std::move(tree_);
    }

private:
    static constexpr std::size_t room = std::size_t{1} << 28; // bytes of histograms that wait for their turn

    /// A leaf with a split that may be made.
    struct Open {
        std::uint32_t node;
        double key; // the largest is next; of equal ones the first
        Cells<Cell> cells;
    };

    Open pop() {
        auto best = open_.begin();
        for (auto it = open_.begin(); it != open_.end(); ++it)
            if (it->key > best->key)
                best = it;
        Open next = std::move(*best);
        open_.erase(best); // keeps the order in which they came
        return next;
    }

    Cells<Cell> borrow() {
        if (free_.empty())
            return std::make_unique_for_overwrite<Cell[]>(maker_.size());
        Cells<Cell> cells = std::move(free_.back());
        free_.pop_back();
        return cells;
    }
    void give_back(Cells<Cell> cells) {
        if (cells)
            free_.push_back(std::move(cells));
    }

    Sums total(const Cell* cells) const noexcept {
        const std::size_t j = maker_.columns().empty() ? 0 : maker_.columns()[0];
        Sums sums;
        for (std::size_t b = 0; b <= table_.columns[j].n_bins; ++b)
            sums += sums_of(cells[j * table_.stride + b]);
        return sums;
    }

    void count_cases(GrownNode& node) const {
        if (!rows_->weight) {
            node.sums.cases = static_cast<double>(node.rows.n);
            return;
        }
        node.sums.cases = 0;
        for (const Item& item : rows_->of(node.rows))
            node.sums.cases += rows_->weight[item.row];
    }

    bool may_split(const GrownNode& node, std::size_t n_leaves) const noexcept {
        return n_leaves < settings_.max_leaves && node.depth < settings_.max_depth && node.rows.n > 1 &&
               node.sums.h(node.sums.all) >= 2 * least_h(node.sums, settings_);
    }

    /// What a node is worth as it is, twice.
    double score_as_leaf(const NodeSums& sums) const noexcept {
        const double g = sums.g(sums.all), h = sums.h(sums.all), v = leaf_value(sums, g, h, settings_.l2);
        return h + settings_.l2 > 0 ? -v * (2 * g + (h + settings_.l2) * v) : 0;
    }

    /// Find the best split of a node; it is open if there is one.
    void look(std::uint32_t at, Cells<Cell> cells) {
        GrownNode& node = tree_[at];
        const std::size_t n = maker_.columns().empty() ? table_.n_columns() : maker_.columns().size();
        const std::size_t grain = 16; // columns: 10 microseconds
        const bool alone = n * table_.stride < (std::size_t{1} << 15);
        std::vector<Split> best((n - 1) / grain + 1);
        parallel_for(
            n, grain, alone ? 1 : settings_.n_threads, *monitor_, [&](std::size_t begin, std::size_t end, std::size_t) {
                SplitSearch search(table_, settings_);
                for (std::size_t k = begin; k < end; ++k) {
                    const auto j = maker_.columns().empty() ? static_cast<std::uint32_t>(k) : maker_.columns()[k];
                    search.look(j, cells.get() + j * table_.stride, node.sums, best[begin / grain]);
                }
            });
        for (const Split& found : best)
            if (found.score > node.split.score)
                node.split = found;
        node.split.gain = 0.5 * (node.split.score - score_as_leaf(node.sums));
        // A gain that is rounding alone is none.
        if (!node.split.found() || !(node.split.gain > settings_.min_gain + 1e-12 * node.split.score))
            return give_back(std::move(cells));
        if (open_.size() >= most_kept_)
            give_back(std::move(cells));
        open_.push_back(
            {at, settings_.by_depth ? -static_cast<double>(node.depth) : node.split.gain, std::move(cells)});
    }

    void split(Open& open, std::size_t n_leaves) {
        const auto first = static_cast<std::uint32_t>(tree_.size());
        const std::size_t n_low = deal(tree_[open.node]);
        tree_.resize(first + 2);
        GrownNode& parent = tree_[open.node];
        parent.first = first;
        const Segment all = parent.rows;
        for (std::uint32_t b = 0; b < 2; ++b) {
            GrownNode& child = tree_[first + b];
            child.depth = parent.depth + 1;
            child.rows = {1 - all.half, all.begin + (b ? n_low : 0), b ? all.n - n_low : n_low};
            child.sums = parent.sums;
            child.sums.all = b ? parent.sums.all - parent.split.left : parent.split.left;
            count_cases(child);
        }
        bind_values(parent, tree_[first].sums, tree_[first + 1].sums);
        const std::uint32_t small = tree_[first].rows.n <= tree_[first + 1].rows.n ? first : first + 1;
        const std::uint32_t large = 2 * first + 1 - small;
        const bool on_small = may_split(tree_[small], n_leaves), on_large = may_split(tree_[large], n_leaves);
        if (!on_small && !on_large)
            return;
        Cells<Cell> cells = borrow();
        const auto make = [&](std::uint32_t node, Cell* to) {
            maker_.make(rows_->of(tree_[node].rows), rows_->fine.get(), to, *monitor_);
        };
        if (on_small || open.cells)
            make(small, cells.get());
        if (on_large) {
            if (open.cells)
                for (std::size_t k = 0; k < maker_.size(); ++k)
                    take_away(open.cells[k], cells[k]);
            else
                make(large, (open.cells = borrow()).get());
        }
        // In the order of the nodes, so that of equal gains the first is split first.
        for (const std::uint32_t child : {first, first + 1})
            if (child == small ? on_small : on_large)
                look(child, std::move(child == small ? cells : open.cells));
        give_back(std::move(cells));
    }

    /// Where the answer must rise or fall with the column, no leaf on one side may pass the middle of both.
    void bind_values(const GrownNode& parent, NodeSums& low, NodeSums& high) const noexcept {
        const int sign =
            settings_.monotone.empty() || parent.split.nominal ? 0 : settings_.monotone[parent.split.column];
        if (sign == 0)
            return;
        const double vl = leaf_value(parent.sums, low.g(low.all), low.h(low.all), settings_.l2);
        const double vr = leaf_value(parent.sums, high.g(high.all), high.h(high.all), settings_.l2);
        (sign > 0 ? low.high : low.low) = (sign > 0 ? high.low : high.high) = vl / 2 + vr / 2;
    }

    /// Deal the rows of a node out to the other half, those of branch 0 first; both keep their order.
    std::size_t deal(const GrownNode& node) {
        constexpr std::size_t block = 16384;
        const auto [half, begin, n] = node.rows;
        const std::uint8_t* const codes = table_.column(node.split.column);
        const Item* const from = rows_->halves[static_cast<std::size_t>(half)].get() + begin;
        Item* const to = rows_->halves[static_cast<std::size_t>(1 - half)].get() + begin;
        std::array<std::uint8_t, 256> is_low;
        for (std::size_t code = 0; code < 256; ++code)
            is_low[code] = holds(node.split.low, code);
        std::vector<std::size_t> low_before((n - 1) / block + 2);
        const std::size_t n_threads = n < 2 * block ? 1 : settings_.n_threads;
        parallel_for(n, block, n_threads, *monitor_, [&](std::size_t first, std::size_t last, std::size_t) {
            std::size_t count = 0;
            for (std::size_t i = first; i < last; ++i)
                count += side_[begin + i] = is_low[codes[from[i].row]];
            low_before[first / block + 1] = count;
        });
        std::partial_sum(low_before.begin(), low_before.end(), low_before.begin());
        const std::size_t n_low = low_before.back();
        parallel_for(n, block, n_threads, *monitor_, [&](std::size_t first, std::size_t last, std::size_t) {
            Item* low = to + low_before[first / block];
            Item* high = to + n_low + first - low_before[first / block];
            for (std::size_t i = first; i < last; ++i) { // no branch on the side: it cannot be foretold
                const bool is = side_[begin + i];
                *(is ? low : high) = from[i];
                low += is;
                high += !is;
            }
        });
        return n_low;
    }

    const BinnedTable& table_;
    const Settings& settings_;
    HistogramMaker<Rows> maker_;
    std::unique_ptr<std::uint8_t[]> side_;
    std::size_t most_kept_;
    GradientRows<Rows>* rows_ = nullptr;
    Monitor* monitor_ = nullptr;
    GrownTree tree_;
    std::vector<Open> open_;
    std::vector<Cells<Cell>> free_;
};

} // namespace margin::boosting
