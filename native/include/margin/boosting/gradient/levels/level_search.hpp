#pragma once
// The question that all nodes of a level gain most by together: trees whose paths of one length ask the same.
// Prokhorenkova et al. (2018), "CatBoost: unbiased boosting with categorical features".
#include "margin/boosting/gradient/split.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::boosting {

/// A node of the level: its histogram, and what is known of it.
template <class Cell>
struct LevelNode {
    const Cell* cells;
    const NodeSums* sums;
    double as_leaf; // its score if it is not divided
};

/// The codes of branch 0, and the score of all nodes together.
struct LevelSplit {
    double score = 0;
    std::uint32_t column = 0;
    bool nominal = false;
    std::size_t bin = 0;
    CodeSet low{};
};

/// Looks for the question of a level. A node whose branch would be too small counts as if it were not divided.
template <class Cell>
class LevelSearch {
public:
    LevelSearch(const BinnedTable& table, const Settings& settings)
        : table_(table), settings_(settings), below_(table.most_codes()), total_(table.most_codes()),
          mean_(table.most_codes()), order_(table.most_codes()) {}

    /// The best question about column j, whose bins begin at `place` in all nodes, if it beats `best`. Of equal ones the
    /// first is kept.
    void look(std::uint32_t j, std::size_t place, std::span<const LevelNode<Cell>> nodes, LevelSplit& best) {
        place_ = place;
        const std::size_t n_bins = table_.columns[j].n_bins;
        const auto at = [&](const LevelNode<Cell>& node, std::size_t code) {
            return sums_of(node.cells[place + code]);
        };
        if (table_.columns[j].nominal)
            return look_at_levels(j, nodes, best);
        bool some_missing = false;
        for (const auto& node : nodes)
            some_missing |= at(node, n_bins) != Sums{};
        for (std::size_t b = 0; b < n_bins; ++b)
            order_[b] = static_cast<std::uint16_t>(b);
        const std::size_t n = some_missing ? n_bins : n_bins - 1;
        try_order(j, nodes, {order_.data(), n}, false, settings_.l2, best);
        if (some_missing && n_bins > 1)
            try_order(j, nodes, {order_.data(), n_bins - 1}, true, settings_.l2, best);
    }

private:
    /// Levels in the order of G / (H + smooth) over all nodes.
    void look_at_levels(std::uint32_t j, std::span<const LevelNode<Cell>> nodes, LevelSplit& best) {
        const std::size_t n_codes = table_.columns[j].n_bins + 1;
        std::size_t n = 0;
        for (std::size_t code = 0; code < n_codes; ++code) {
            Sums all;
            for (const auto& node : nodes)
                all += sums_of(node.cells[place_ + code]);
            if (all == Sums{})
                continue;
            const NodeSums& sums = *nodes[0].sums;
            mean_[code] = sums.g(all) / (sums.h(all) + settings_.nominal_smooth);
            order_[n++] = static_cast<std::uint16_t>(code);
        }
        if (n < 2)
            return;
        std::stable_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(n),
                         [&](std::uint16_t a, std::uint16_t b) { return mean_[a] < mean_[b]; });
        const double l2 = settings_.l2 + (n > settings_.one_vs_rest ? settings_.nominal_l2 : 0);
        try_order(j, nodes, {order_.data(), n - 1}, false, l2, best);
    }

    /// Branch 0 has the first codes of an order, and the missing ones where asked.
    void try_order(std::uint32_t j, std::span<const LevelNode<Cell>> nodes, std::span<const std::uint16_t> order,
                   bool missing_low, double l2, LevelSplit& best) {
        const std::size_t n_bins = table_.columns[j].n_bins;
        std::fill_n(total_.begin(), order.size(), 0.0);
        for (const auto& node : nodes) {
            const Cell* const cells = node.cells + place_;
            Sums before = missing_low ? sums_of(cells[n_bins]) : Sums{};
            for (std::size_t k = 0; k < order.size(); ++k) {
                before += sums_of(cells[order[k]]);
                below_.g()[k] = node.sums->g(before);
                below_.h()[k] = node.sums->h(before);
            }
            detail::score_all(below_.g(), below_.h(), below_.score(), order.size(), node.sums->g(node.sums->all),
                              node.sums->h(node.sums->all), l2, least_h(*node.sums, settings_));
            for (std::size_t k = 0; k < order.size(); ++k)
                total_[k] += below_.score()[k] > 0 ? below_.score()[k] : node.as_leaf;
        }
        const auto largest =
            std::max_element(total_.begin(), total_.begin() + static_cast<std::ptrdiff_t>(order.size()));
        if (order.empty() || !(*largest > best.score))
            return;
        best = LevelSplit{};
        best.score = *largest;
        best.column = j;
        best.nominal = table_.columns[j].nominal;
        best.bin = static_cast<std::size_t>(largest - total_.begin());
        if (best.nominal)
            for (std::size_t k = 0; k <= best.bin; ++k)
                put(best.low, order[k]);
        else
            put_first(best.low, best.bin + 1);
        if (missing_low)
            put(best.low, n_bins);
    }

    const BinnedTable& table_;
    const Settings& settings_;
    std::size_t place_ = 0;
    detail::Below below_;
    std::vector<double> total_, mean_;
    std::vector<std::uint16_t> order_;
};

} // namespace margin::boosting
