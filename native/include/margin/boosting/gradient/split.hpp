#pragma once
// The best question about one column, from the sums of its bins.
//
//     gain = 1/2 (G_L^2 / (H_L + lambda) + G_R^2 / (H_R + lambda) - G^2 / (H + lambda)),
// with G and H the sums of first and second derivatives; Chen, Guestrin (2016), "XGBoost: a scalable tree boosting
// system". Ties go to the first column, then to missing cells on the high side, then to the smallest threshold.
#include "gradients.hpp"
#include "settings.hpp"
#include "table/binned_table.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace margin::boosting {

struct Split {
    double score = 0; // G_L^2 / (H_L + lambda) + G_R^2 / (H_R + lambda); 0: there is no split
    double gain = 0;
    std::uint32_t column = 0;
    bool nominal = false;
    std::size_t bin = 0; // a column in order: the last bin of branch 0
    CodeSet low{};       // with the missing code, if that goes there
    Sums left;

    bool found() const noexcept { return score > 0; }
};

/// What is known of a node whose split is sought.
struct NodeSums {
    Sums all;
    double g_unit = 1, h_unit = 1;                         // derivative = whole number * unit
    double cases = 0;                                      // rows, or their weight
    double low = -std::numeric_limits<double>::infinity(); // leaf values must lie between these
    double high = std::numeric_limits<double>::infinity();

    double g(Sums sums) const noexcept { return static_cast<double>(sums.g) * g_unit; }
    double h(Sums sums) const noexcept { return static_cast<double>(sums.h) * h_unit; }
};

/// The least sum of second derivatives of a branch, above 0 always.
inline double least_h(const NodeSums& node, const Settings& settings) noexcept {
    const double per_case = node.cases > 0 ? node.h(node.all) / node.cases : 0;
    // Half a grid step of room: a branch of exactly so many cases is one.
    return std::max({settings.min_weight, settings.min_cases * per_case * (1 - 1e-9), 1e-16});
}

inline double leaf_value(const NodeSums& node, double g, double h, double l2) noexcept {
    return std::clamp(-g / (h + l2), node.low, node.high);
}

namespace detail {

/// Sums on the low side of some thresholds, and their scores. Kernels take eight at a time.
class Below {
public:
    explicit Below(std::size_t most)
        : room_((most + 7) / 8 * 8), numbers_(std::make_unique_for_overwrite<double[]>(3 * room_)) {}

    double* g() noexcept { return numbers_.get(); }
    double* h() noexcept { return numbers_.get() + room_; }
    double* score() noexcept { return numbers_.get() + 2 * room_; }

private:
    std::size_t room_;
    std::unique_ptr<double[]> numbers_;
};

/// Scores of the n thresholds; those that leave too little on a side have none. Returns the largest.
MARGIN_SIMD inline double score_all(double* below_g, double* below_h, double* scores, std::size_t n, double g, double h,
                                    double l2, double least) noexcept {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> best{};
    for (std::size_t b = n; b % lanes; ++b)
        below_g[b] = below_h[b] = 0;
    for (std::size_t b = 0; b < n; b += lanes)
        for (std::size_t l = 0; l < lanes; ++l) {
            const double gl = below_g[b + l], hl = below_h[b + l], gr = g - gl, hr = h - hl;
            const double enough = static_cast<double>(hl >= least) * static_cast<double>(hr >= least);
            // Added where there is too little, so that nothing is divided by 0 and then forgotten.
            const double low = hl + l2 + (1 - enough), high = hr + l2 + (1 - enough);
            const double score = enough * (gl * gl / low + gr * gr / high);
            scores[b + l] = score;
            best[l] = score > best[l] ? score : best[l];
        }
    return *std::max_element(best.begin(), best.end());
}

/// The same where leaf values are bound, and must rise (sign 1) or fall (-1) from the low side to the high one.
inline double score_bound(Below& below, std::size_t n, const NodeSums& node, double l2, double least, int sign) {
    const double g = node.g(node.all), h = node.h(node.all);
    const auto score_of = [&](double sum_g, double sum_h, double v) { return -v * (2 * sum_g + (sum_h + l2) * v); };
    double best = 0;
    for (std::size_t b = 0; b < n; ++b) {
        const double gl = below.g()[b], hl = below.h()[b], gr = g - gl, hr = h - hl;
        below.score()[b] = 0;
        if (hl < least || hr < least)
            continue;
        const double vl = leaf_value(node, gl, hl, l2), vr = leaf_value(node, gr, hr, l2);
        if (sign * (vr - vl) < 0)
            continue;
        below.score()[b] = score_of(gl, hl, vl) + score_of(gr, hr, vr);
        best = std::max(best, below.score()[b]);
    }
    return best;
}

} // namespace detail

/// Looks for splits; has room of its own, so there is one for each thread.
class SplitSearch {
public:
    SplitSearch(const BinnedTable& table, const Settings& settings)
        : table_(&table), settings_(&settings), below_(table.most_codes()),
          bin_(std::make_unique_for_overwrite<std::uint16_t[]>(table.most_codes())) {}

    /// The best split on column j, if it beats `best`.
    template <class Cell>
    void look(std::uint32_t j, const Cell* cells, const NodeSums& node, Split& best) {
        if (table_->columns[j].nominal)
            look_at_levels(j, cells, node, best);
        else
            look_at_thresholds(j, cells, node, best);
    }

private:
    template <class Cell>
    void look_at_thresholds(std::uint32_t j, const Cell* cells, const NodeSums& node, Split& best) {
        const std::size_t n_bins = table_->columns[j].n_bins;
        const Sums missing = sums_of(cells[n_bins]);
        const bool some_missing = missing != Sums{};
        sweep(cells, n_bins, some_missing ? n_bins : n_bins - 1, Sums{}, node);
        try_thresholds(j, node, cells, false, best);
        if (!some_missing || n_bins < 2)
            return;
        sweep(cells, n_bins, n_bins - 1, missing, node);
        try_thresholds(j, node, cells, true, best);
    }

    /// Sums below each of n thresholds, with `before` on their low side already. Those behind an empty bin say what the
    /// one before them says: small nodes have few others.
    template <class Cell>
    void sweep(const Cell* cells, std::size_t n_bins, std::size_t n, Sums before, const NodeSums& node) {
        n_below_ = 0;
        std::size_t kept = before == Sums{} ? 0 : 1; // of bin 0 in any case, where something stands before it
        for (std::size_t b = 0; b < std::min(n, n_bins); ++b) {
            const Cell cell = cells[b];
            before += sums_of(cell);
            below_.g()[n_below_] = node.g(before);
            below_.h()[n_below_] = node.h(before);
            bin_[n_below_] = static_cast<std::uint16_t>(b);
            n_below_ += !(cell == Cell{}) || kept;
            kept = 0;
        }
    }

    template <class Cell>
    void try_thresholds(std::uint32_t j, const NodeSums& node, const Cell* cells, bool missing_low, Split& best) {
        const double least = least_h(node, *settings_);
        const int sign = settings_->monotone.empty() ? 0 : settings_->monotone[j];
        const double largest = settings_->monotone.empty()
                                   ? detail::score_all(below_.g(), below_.h(), below_.score(), n_below_,
                                                       node.g(node.all), node.h(node.all), settings_->l2, least)
                                   : detail::score_bound(below_, n_below_, node, settings_->l2, least, sign);
        if (!(largest > best.score))
            return;
        const std::size_t n_bins = table_->columns[j].n_bins;
        best = Split{};
        best.score = largest;
        best.column = j;
        best.bin = bin_[std::find(below_.score(), below_.score() + n_below_, largest) - below_.score()];
        put_first(best.low, best.bin + 1);
        for (std::size_t b = 0; b <= best.bin; ++b)
            best.left += sums_of(cells[b]);
        const Sums missing = sums_of(cells[n_bins]);
        if (missing_low)
            best.left += missing;
        // Where no row of the node has a missing cell, such cells follow the heavier branch.
        if (missing_low || (missing == Sums{} && 2 * best.left.h > node.all.h))
            put(best.low, n_bins);
    }

    /// Levels one against the others where they are few; else in the order of G / (H + smooth), from either end.
    /// Levels of few cases are then left with the others. Missing cells are a level like any other.
    template <class Cell>
    void look_at_levels(std::uint32_t j, const Cell* cells, const NodeSums& node, Split& best) {
        const std::size_t n_codes = table_->columns[j].n_bins + 1;
        std::size_t n_held = 0;
        for (std::size_t b = 0; b < n_codes; ++b)
            if (sums_of(cells[b]) != Sums{})
                order_[n_held++] = static_cast<std::uint16_t>(b);
        if (n_held < 2)
            return;
        if (n_held <= settings_->one_vs_rest) {
            for (std::size_t k = 0; k < n_held; ++k)
                try_levels(j, cells, node, {order_.data() + k, 1}, settings_->l2, best);
            return;
        }
        const double per_case = node.h(node.all) > 0 ? node.cases / node.h(node.all) : 0;
        std::size_t n = 0;
        for (std::size_t k = 0; k < n_held; ++k)
            if (node.h(sums_of(cells[order_[k]])) * per_case * (1 + 1e-9) >= settings_->nominal_smooth)
                order_[n++] = order_[k];
        for (std::size_t k = 0; k < n; ++k) {
            const Sums sums = sums_of(cells[order_[k]]);
            mean_[order_[k]] = node.g(sums) / (node.h(sums) + settings_->nominal_smooth);
        }
        const auto end = order_.begin() + static_cast<std::ptrdiff_t>(n);
        std::stable_sort(order_.begin(), end, [&](std::uint16_t a, std::uint16_t b) { return mean_[a] < mean_[b]; });
        try_ends(j, cells, node, n, n == n_held, best);
        std::reverse(order_.begin(), end);
        if (n < n_held) // else the same divisions again
            try_ends(j, cells, node, n, false, best);
    }

    template <class Cell>
    void try_ends(std::uint32_t j, const Cell* cells, const NodeSums& node, std::size_t n, bool all, Split& best) {
        Sums left;
        std::size_t best_n = 0;
        const double l2 = settings_->l2 + settings_->nominal_l2, least = least_h(node, *settings_);
        double largest = best.score;
        for (std::size_t k = 0; k + (all ? 1 : 0) < n; ++k) {
            left += sums_of(cells[order_[k]]);
            const double score = score_of(node, left, l2, least);
            if (score > largest) {
                largest = score;
                best_n = k + 1;
            }
        }
        if (best_n > 0)
            try_levels(j, cells, node, {order_.data(), best_n}, l2, best);
    }

    double score_of(const NodeSums& node, Sums left, double l2, double least) const noexcept {
        const Sums right = node.all - left;
        const double hl = node.h(left), hr = node.h(right), gl = node.g(left), gr = node.g(right);
        if (hl < least || hr < least)
            return 0;
        const double vl = leaf_value(node, gl, hl, l2), vr = leaf_value(node, gr, hr, l2);
        if (vl == -gl / (hl + l2) && vr == -gr / (hr + l2))
            return gl * gl / (hl + l2) + gr * gr / (hr + l2);
        return -vl * (2 * gl + (hl + l2) * vl) - vr * (2 * gr + (hr + l2) * vr);
    }

    template <class Cell>
    void try_levels(std::uint32_t j, const Cell* cells, const NodeSums& node, std::span<const std::uint16_t> levels,
                    double l2, Split& best) const {
        Sums left;
        for (const std::uint16_t level : levels)
            left += sums_of(cells[level]);
        const double score = score_of(node, left, l2, least_h(node, *settings_));
        if (!(score > best.score))
            return;
        best = Split{};
        best.score = score;
        best.column = j;
        best.nominal = true;
        best.left = left;
        for (const std::uint16_t level : levels)
            put(best.low, level);
        const std::size_t missing = table_->columns[j].n_bins;
        if (sums_of(cells[missing]) == Sums{} && 2 * left.h > node.all.h)
            put(best.low, missing);
    }

    const BinnedTable* table_;
    const Settings* settings_;
    detail::Below below_;
    std::size_t n_below_ = 0;
    std::unique_ptr<std::uint16_t[]> bin_; // behind which a threshold lies
    std::array<std::uint16_t, 256> order_; // nominal columns have codes of bytes
    std::array<double, 256> mean_;
};

} // namespace margin::boosting
