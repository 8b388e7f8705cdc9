#pragma once
// One tree on gradients: histograms, splits, and rows dealt out to branches.
#include "deal_rows.hpp"
#include "gradient_rows.hpp"
#include "grown_tree.hpp"
#include "histogram.hpp"
#include "levels/level_questions.hpp"
#include "lists/list_histogram.hpp"
#include "phases.hpp"
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace margin::boosting {

template <class Rows>
class TreeGrower {
public:
    using Item = typename Rows::Item;
    using Cell = typename Rows::Cell;

    TreeGrower(const BinnedTable& table, const Settings& settings, Phases& phases)
        : table_(table), settings_(settings), phases_(phases), maker_(table, settings.n_threads),
          lists_(table, settings.n_threads), levels_(table, settings, lists_),
          side_(std::make_unique_for_overwrite<std::uint8_t[]>(table.n_rows)),
          most_kept_(std::max<std::size_t>(2, room / (size() * sizeof(Cell) + 1))),
          groups_(groups_of_columns(table.n_columns(), settings)) {}

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
        make(root.rows, cells.get());
        tree_[0].sums.all = total(cells.get());
        tree_[0].sums.g_unit = rows.g_unit();
        tree_[0].sums.h_unit = rows.h_unit();
        count_cases(tree_[0]);
        tree_[0].groups.assign((settings_.interactions.size() + 63) / 64, ~std::uint64_t{0});
        if (settings_.symmetric) {
            grow_levels(std::move(cells));
            return std::move(tree_);
        }
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
            return std::make_unique_for_overwrite<Cell[]>(size());
        Cells<Cell> cells = std::move(free_.back());
        free_.pop_back();
        return cells;
    }
    void give_back(Cells<Cell> cells) {
        if (cells)
            free_.push_back(std::move(cells));
    }

    /// Columns that the tree may ask about.
    std::size_t n_asked() const noexcept {
        return maker_.columns().empty() ? table_.n_columns() : maker_.columns().size();
    }

    /// Cells of a histogram; of sparse rows one for each column.
    std::size_t size() const noexcept { return table_.sparse() ? table_.n_columns() : maker_.size(); }

    void make(const Segment& rows, Cell* cells) {
        const Timed timed(phases_, Phases::histograms, rows.n * n_asked());
        if (!table_.sparse())
            return maker_.make(rows_->of(rows), rows_->fine.get(), cells, *monitor_);
        std::fill_n(cells, size(), Cell{});
        lists_.add_columns(rows_->of(rows), rows_->fine.get(), cells, *monitor_);
    }

    /// The other branch has what is left.
    void subtract(Cell* from, const Cell* cells) {
        const Timed timed(phases_, Phases::histograms, 0);
        for (std::size_t k = 0; k < size(); ++k)
            take_away(from[k], cells[k]);
    }

    Sums total(const Cell* cells) const noexcept {
        if (table_.sparse()) {
            Sums all;
            for (const Item& item : rows_->of(tree_[0].rows))
                all += sums_of(Rows::cell(item, rows_->fine.get()));
            return all;
        }
        const std::size_t j = maker_.columns().empty() ? 0 : maker_.columns()[0];
        Sums sums;
        for (std::size_t b = 0; b <= table_.columns[j].n_bins; ++b)
            sums += sums_of(cells[table_.place(j) + b]);
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

    /// Whether some set has this column and all that were asked about on the way to the node.
    bool may_ask(const GrownNode& node, std::uint32_t j) const noexcept {
        for (std::size_t k = 0; k < node.groups.size(); ++k)
            if (node.groups[k] & groups_[j][k])
                return true;
        return node.groups.empty();
    }

    /// The columns that a node may ask about.
    std::vector<std::uint32_t> asked_at(const GrownNode& node) const {
        std::vector<std::uint32_t> found(maker_.columns().begin(), maker_.columns().end());
        if (found.empty())
            for (std::uint32_t j = 0; j < table_.n_columns(); ++j)
                found.push_back(j);
        std::erase_if(found, [&](std::uint32_t j) { return !may_ask(node, j); });
        return found;
    }

    /// What a node is worth as it is, twice.
    double score_as_leaf(const NodeSums& sums) const noexcept {
        const double g = sums.g(sums.all), h = sums.h(sums.all), v = leaf_value(sums, g, h, settings_.l2);
        return h + settings_.l2 > 0 ? -v * (2 * g + (h + settings_.l2) * v) : 0;
    }

    /// Find the best split of a node; it is open if there is one.
    void look(std::uint32_t at, Cells<Cell> cells) {
        GrownNode& node = tree_[at];
        if (table_.sparse())
            look_at_lists(node, cells.get());
        else
            look_at_columns(node, n_asked(), [&](std::size_t k) {
                const auto j = maker_.columns().empty() ? static_cast<std::uint32_t>(k) : maker_.columns()[k];
                return std::pair(j, cells.get() + table_.place(j));
            });
        node.split.gain = 0.5 * (node.split.score - score_as_leaf(node.sums));
        // A gain that is rounding alone is none.
        if (!node.split.found() || !(node.split.gain > settings_.min_gain + 1e-12 * node.split.score))
            return give_back(std::move(cells));
        if (open_.size() >= most_kept_)
            give_back(std::move(cells));
        open_.push_back(
            {at, settings_.by_depth ? -static_cast<double>(node.depth) : node.split.gain, std::move(cells)});
    }

    /// The best of n columns; column_of(k) says which the k-th is and where its bins are.
    template <class ColumnOf>
    void look_at_columns(GrownNode& node, std::size_t n, ColumnOf&& column_of) {
        const Timed timed(phases_, Phases::search, n * table_.stride);
        const std::size_t grain = 16; // columns: 10 microseconds
        const bool alone = n * table_.stride < (std::size_t{1} << 15) && n < 256;
        std::vector<Split> best(n / grain + 1);
        parallel_for(n, grain, alone ? 1 : settings_.n_threads, *monitor_,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                         SplitSearch search(table_, settings_);
                         for (std::size_t k = begin; k < end; ++k) {
                             const auto [j, bins] = column_of(k);
                             if (may_ask(node, j))
                                 search.look(j, bins, node.sums, best[begin / grain]);
                         }
                     });
        for (const Split& found : best)
            if (found.score > node.split.score)
                node.split = found;
    }

    /// The same of sparse rows: bins are made of those columns alone whose listed cells are enough for a branch.
    void look_at_lists(GrownNode& node, const Cell* cells) {
        const double least = least_h(node.sums, settings_);
        std::vector<std::uint32_t> enough = asked_at(node);
        std::erase_if(enough, [&](std::uint32_t j) { return node.sums.h(sums_of(cells[j])) < least; });
        const Cell* const bins =
            lists_.bins(enough, rows_->of(node.rows), rows_->fine.get(), cells, node.sums.all, *monitor_);
        look_at_columns(node, enough.size(),
                        [&](std::size_t k) { return std::pair(enough[k], bins + lists_.starts()[k]); });
    }

    /// Two branches of a node with their rows and sums; the number of the first.
    std::uint32_t branch(std::uint32_t at) {
        const auto first = static_cast<std::uint32_t>(tree_.size());
        const std::size_t n_low = deal(tree_[at]);
        tree_.resize(first + 2);
        GrownNode& parent = tree_[at];
        parent.first = first;
        const Segment all = parent.rows;
        for (std::uint32_t b = 0; b < 2; ++b) {
            GrownNode& child = tree_[first + b];
            child.depth = parent.depth + 1;
            child.rows = {1 - all.half, all.begin + (b ? n_low : 0), b ? all.n - n_low : n_low};
            child.sums = parent.sums;
            child.sums.all = b ? parent.sums.all - parent.split.left : parent.split.left;
            child.groups = parent.groups;
            for (std::size_t k = 0; k < child.groups.size(); ++k)
                child.groups[k] &= groups_[parent.split.column][k];
            count_cases(child);
        }
        return first;
    }

    void split(Open& open, std::size_t n_leaves) {
        const std::uint32_t first = branch(open.node);
        bind_values(tree_[open.node], tree_[first].sums, tree_[first + 1].sums);
        const std::uint32_t small = tree_[first].rows.n <= tree_[first + 1].rows.n ? first : first + 1;
        const std::uint32_t large = 2 * first + 1 - small;
        const bool on_small = may_split(tree_[small], n_leaves), on_large = may_split(tree_[large], n_leaves);
        if (!on_small && !on_large)
            return;
        Cells<Cell> cells = borrow();
        if (on_small || open.cells)
            make(tree_[small].rows, cells.get());
        if (on_large) {
            if (open.cells)
                subtract(open.cells.get(), cells.get());
            else
                make(tree_[large].rows, (open.cells = borrow()).get());
        }
        // In the order of the nodes, so that of equal gains the first is split first.
        for (const std::uint32_t child : {first, first + 1})
            if (child == small ? on_small : on_large)
                look(child, std::move(child == small ? cells : open.cells));
        give_back(std::move(cells));
    }

    /// Level after level, all nodes of a level by the same question, until none gains.
    void grow_levels(Cells<Cell> cells) {
        std::vector<Cells<Cell>> of_level;
        of_level.push_back(std::move(cells));
        std::uint32_t begin = 0;
        for (std::size_t n = 1; 2 * n <= settings_.max_leaves && tree_[begin].depth < settings_.max_depth; n *= 2) {
            const LevelSplit best = question_of(begin, of_level);
            if (!(best.score > 0))
                break;
            std::vector<Cells<Cell>> next;
            for (std::size_t k = 0; k < n; ++k) {
                const auto at = begin + static_cast<std::uint32_t>(k);
                settle_split(tree_[at], best,
                             levels_.bins_of(best.column, tree_[at].sums, of_level[k].get(), rows_->of(tree_[at].rows),
                                             rows_->fine.get(), *monitor_));
                const std::uint32_t first = branch(at);
                const std::size_t small = tree_[first].rows.n <= tree_[first + 1].rows.n ? 0 : 1;
                std::array<Cells<Cell>, 2> branches;
                branches[small] = borrow();
                make(tree_[first + small].rows, branches[small].get());
                subtract(of_level[k].get(), branches[small].get());
                branches[1 - small] = std::move(of_level[k]);
                for (auto& made : branches)
                    next.push_back(std::move(made));
            }
            begin += static_cast<std::uint32_t>(n);
            of_level = std::move(next);
        }
        for (auto& made : of_level)
            give_back(std::move(made));
    }

    /// The best question of the level that begins at a node; of no score where none gains enough.
    LevelSplit question_of(std::uint32_t begin, const std::vector<Cells<Cell>>& of_level) {
        std::vector<LevelNode<Cell>> nodes;
        std::vector<std::span<const Item>> items;
        double as_leaves = 0;
        for (std::size_t k = 0; k < of_level.size(); ++k) {
            const NodeSums& sums = tree_[begin + k].sums;
            nodes.push_back({of_level[k].get(), &sums, score_as_leaf(sums)});
            items.push_back(rows_->of(tree_[begin + k].rows));
            as_leaves += nodes.back().as_leaf;
        }
        const Timed timed(phases_, Phases::search, nodes.size() * n_asked() * table_.stride);
        LevelSplit best = levels_.best(nodes, asked_at(tree_[begin]), items, rows_->fine.get(), *monitor_);
        if (!(0.5 * (best.score - as_leaves) > settings_.min_gain + 1e-12 * best.score))
            best.score = 0;
        return best;
    }

    /// The question of a level as the split of one of its nodes, which has these bins of the column.
    void settle_split(GrownNode& node, const LevelSplit& asked, const Cell* bins) const {
        Split& split = node.split;
        split = Split{};
        split.column = asked.column;
        split.nominal = asked.nominal;
        split.bin = asked.bin;
        split.low = asked.low;
        const std::size_t missing = table_.columns[asked.column].n_bins;
        for (std::size_t code = 0; code <= missing; ++code)
            if (holds(asked.low, code))
                split.left += sums_of(bins[code]);
        NodeSums low = node.sums, high = node.sums;
        low.all = split.left;
        high.all = node.sums.all - split.left;
        split.score = score_as_leaf(low) + score_as_leaf(high);
        split.gain = 0.5 * (split.score - score_as_leaf(node.sums));
        if (sums_of(bins[missing]) == Sums{} && 2 * split.left.h > node.sums.all.h)
            put(split.low, missing);
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
        const Timed timed(phases_, Phases::dealing, node.rows.n);
        const std::uint32_t column = node.split.column;
        Item* const to = rows_->halves[static_cast<std::size_t>(1 - node.rows.half)].get() + node.rows.begin;
        const auto deal_by = [&](auto&& is_low) {
            return deal_rows<Item>(rows_->of(node.rows), to, side_.get() + node.rows.begin, is_low, settings_.n_threads,
                                   *monitor_);
        };
        const CodeSet& low = node.split.low;
        if (table_.sparse())
            return deal_by([&](const Item& item) { return holds(low, table_.lists.code(item.row, column)); });
        return table_.by_columns.visit([&]<class Code>(const Code* codes) {
            codes += table_.group_of(column) * table_.n_rows;
            if constexpr (sizeof(Code) > 1)
                return deal_by([&](const Item& item) { return holds(low, codes[item.row]); });
            std::array<std::uint8_t, 256> is_low;
            for (std::size_t code = 0; code < is_low.size(); ++code)
                is_low[code] = holds(low, table_.of_column(column, code));
            return deal_by([&](const Item& item) { return is_low[codes[item.row]]; });
        });
    }

    const BinnedTable& table_;
    const Settings& settings_;
    Phases& phases_;
    HistogramMaker<Rows> maker_;
    ListHistogram<Rows> lists_;
    LevelQuestions<Rows> levels_;
    std::unique_ptr<std::uint8_t[]> side_;
    std::size_t most_kept_;
    GradientRows<Rows>* rows_ = nullptr;
    Monitor* monitor_ = nullptr;
    GrownTree tree_;
    std::vector<Open> open_;
    std::vector<Cells<Cell>> free_;
    std::vector<std::vector<std::uint64_t>> groups_; // of each column: the sets it is in
};

} // namespace margin::boosting
