#pragma once
// The question of a level: asked of all bins where rows have all cells, and of the bins of a few columns at a time where
// rows are lists.
#include "level_search.hpp"
#include "margin/boosting/gradient/gradient_rows.hpp"
#include "margin/boosting/gradient/lists/list_histogram.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::boosting {

template <class Rows>
class LevelQuestions {
public:
    using Item = typename Rows::Item;
    using Cell = typename Rows::Cell;
    using Nodes = std::vector<LevelNode<Cell>>;
    using Items = std::vector<std::span<const Item>>; // of each node

    LevelQuestions(const BinnedTable& table, const Settings& settings, ListHistogram<Rows>& lists)
        : table_(table), settings_(settings), lists_(lists) {}

    /// The best question about some columns; of no score if there is none.
    LevelSplit best(const Nodes& nodes, std::vector<std::uint32_t> columns, const Items& items, const Sums* fine,
                    Monitor& monitor) {
        LevelSplit best;
        if (table_.sparse())
            ask_lists(nodes, std::move(columns), items, fine, monitor, best);
        else
            ask(nodes, columns, [&](std::size_t k) { return table_.place(columns[k]); }, monitor, best);
        return best;
    }

    /// The bins of one column at a node.
    const Cell* bins_of(std::uint32_t j, const NodeSums& sums, const Cell* cells, std::span<const Item> items,
                        const Sums* fine, Monitor& monitor) {
        return table_.sparse() ? lists_.bins({&j, 1}, items, fine, cells, sums.all, monitor) : cells + table_.place(j);
    }

private:
    static constexpr std::size_t room = std::size_t{1} << 22; // bins of all nodes at a time

    /// The best of some columns, if it beats `best`; place_of(k) says where the bins of the k-th begin in all nodes.
    template <class PlaceOf>
    void ask(const Nodes& nodes, const std::vector<std::uint32_t>& columns, PlaceOf&& place_of, Monitor& monitor,
             LevelSplit& best) {
        std::vector<LevelSplit> found(columns.size());
        std::size_t n_bins = 0;
        for (const std::uint32_t j : columns)
            n_bins += table_.columns[j].n_bins + 1;
        const bool alone = n_bins * nodes.size() < (std::size_t{1} << 15);
        parallel_for(columns.size(), 1, alone ? 1 : settings_.n_threads, monitor,
                     [&](std::size_t k, std::size_t, std::size_t) {
                         LevelSearch<Cell>(table_, settings_).look(columns[k], place_of(k), nodes, found[k]);
                     });
        for (const LevelSplit& each : found)
            if (each.score > best.score)
                best = each;
    }

    /// Of those columns alone whose listed cells are enough for a branch of some node.
    void ask_lists(const Nodes& sums, std::vector<std::uint32_t> columns, const Items& items, const Sums* fine,
                   Monitor& monitor, LevelSplit& best) {
        std::erase_if(columns, [&](std::uint32_t j) {
            return std::ranges::none_of(sums, [&](const LevelNode<Cell>& node) {
                return node.sums->h(sums_of(node.cells[j])) >= least_h(*node.sums, settings_);
            });
        });
        const std::size_t most = std::max<std::size_t>(room / sums.size(), 1);
        for (std::size_t first = 0, last = 0; first < columns.size(); first = last) {
            std::vector<std::uint32_t> some;
            for (std::size_t n = 0; last < columns.size() && (some.empty() || n < most); ++last) {
                some.push_back(columns[last]);
                n += table_.columns[columns[last]].n_bins + 1;
            }
            std::vector<std::vector<Cell>> bins;
            Nodes nodes = sums;
            for (std::size_t k = 0; k < nodes.size(); ++k) {
                const Cell* const made = lists_.bins(some, items[k], fine, sums[k].cells, sums[k].sums->all, monitor);
                bins.emplace_back(made, made + lists_.starts().back());
                nodes[k].cells = bins.back().data();
            }
            ask(nodes, some, [&](std::size_t k) { return lists_.starts()[k]; }, monitor, best);
        }
    }

    const BinnedTable& table_;
    const Settings& settings_;
    ListHistogram<Rows>& lists_;
};

} // namespace margin::boosting
