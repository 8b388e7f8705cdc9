#pragma once
// What a ranking is worth, from its two sorted sides: the area under the ROC curve, its variance, average precision, the
// curve itself, and the placement of each case.
#include "sides.hpp"
#include <limits>

namespace margin::metrics {

/// NaN where a side has no weight. The variance is DeLong's, and NaN with weights: there it needs each case.
struct RankTotals {
    double area = std::numeric_limits<double>::quiet_NaN(), average_precision = area, variance = area;
};

/// By different score, from the strongest on: the score, and the weight of the positives and of the others down to it.
struct RankCurve {
    std::vector<double> thresholds, hits, alarms;
};

namespace detail {

__extension__ using Wide = unsigned __int128;

/// Sums over the levels of whole numbers: twice the pairs in order, and the squares of twice the placements. Exact for
/// up to 10^9 cases, so that no rounding depends on the order of adding.
struct ExactSums {
    Wide pairs = 0, squares = 0, other_squares = 0;
    double precision = 0;

    void add(const Level& at, std::size_t n_others) noexcept {
        const std::uint64_t p = at.i_end - at.i, q = at.j_end - at.j;
        const std::uint64_t beaten = 2 * (n_others - at.j_end) + q, above = 2 * at.i + p;
        pairs += p * beaten;
        squares += Wide{beaten} * beaten * p;
        other_squares += Wide{above} * above * q;
        if (p > 0)
            precision +=
                static_cast<double>(p) * static_cast<double>(at.i_end) / static_cast<double>(at.i_end + at.j_end);
    }
    void add(const ExactSums& part) noexcept {
        pairs += part.pairs;
        squares += part.squares;
        other_squares += part.other_squares;
        precision += part.precision;
    }
};

/// S / n, the variance of the mean of n placements among m cases: squares are the sum of (2 m placement)^2, sum that of
/// 2 m placement. A single case says nothing about the spread, and adds nothing.
inline double variance_of_mean(Wide squares, Wide sum, std::size_t n, std::size_t m) noexcept {
    const double spread = static_cast<double>(squares * n - sum * sum), count = static_cast<double>(n);
    const double twice = 2 * static_cast<double>(m);
    return spread / (count * count * std::max(count - 1, 1.0) * twice * twice);
}

} // namespace detail

/// Without weights. O(n) after sorting.
inline RankTotals rank_totals(const Sides<std::uint64_t>& sides, std::size_t n_threads, Monitor& monitor) {
    const std::size_t m = sides.positives.size(), n = sides.others.size();
    const auto parts = pieces(sides);
    const auto sums = reduce_in_order(
        parts.size(), 1, n_threads, monitor, [] { return detail::ExactSums(); },
        [&](detail::ExactSums& part, std::size_t begin, std::size_t) {
            walk(sides, parts[begin], [&](const Level& at) { part.add(at, n); });
        },
        [](detail::ExactSums& total, const detail::ExactSums& part) { total.add(part); });
    RankTotals found;
    if (m > 0)
        found.average_precision = sums.precision / static_cast<double>(m);
    if (m > 0 && n > 0) {
        found.area = static_cast<double>(sums.pairs) / (2 * static_cast<double>(m) * static_cast<double>(n));
        found.variance = detail::variance_of_mean(sums.squares, sums.pairs, m, n) +
                         detail::variance_of_mean(sums.other_squares, sums.pairs, n, m);
    }
    return found;
}

/// With weights, in a fixed order: the same bits for any number of threads.
inline RankTotals rank_totals(const Sides<RowKey>& sides, std::size_t n_threads, Monitor& monitor) {
    struct Sums {
        double pairs = 0, precision = 0;
    };
    const Side<RowKey>&a = sides.positives, &b = sides.others;
    const auto parts = pieces(sides);
    const auto sums = reduce_in_order(
        parts.size(), 1, n_threads, monitor, [] { return Sums(); },
        [&](Sums& part, std::size_t begin, std::size_t) {
            walk(sides, parts[begin], [&](const Level& at) {
                const double p = a.upto(at.i_end) - a.upto(at.i), hits = a.upto(at.i_end), alarms = b.upto(at.j_end);
                part.pairs += p * (b.total() - (alarms + b.upto(at.j)) / 2);
                if (p > 0)
                    part.precision += p * hits / (hits + alarms);
            });
        },
        [](Sums& total, const Sums& part) { total.pairs += part.pairs, total.precision += part.precision; });
    RankTotals found;
    if (a.total() > 0)
        found.average_precision = sums.precision / a.total();
    if (a.total() > 0 && b.total() > 0)
        found.area = sums.pairs / (a.total() * b.total());
    return found;
}

/// The curve. O(n) after sorting.
template <class Key>
RankCurve rank_curve(const Sides<Key>& sides, std::size_t n_threads, Monitor& monitor) {
    const auto parts = pieces(sides);
    std::vector<std::size_t> before(parts.size() + 1);
    parallel_for(parts.size(), 1, n_threads, monitor, [&](std::size_t k, std::size_t, std::size_t) {
        walk(sides, parts[k], [&](const Level&) { ++before[k + 1]; });
    });
    for (std::size_t k = 0; k < parts.size(); ++k)
        before[k + 1] += before[k];
    RankCurve curve;
    for (auto* list : {&curve.thresholds, &curve.hits, &curve.alarms})
        list->resize(before.back());
    parallel_for(parts.size(), 1, n_threads, monitor, [&](std::size_t k, std::size_t, std::size_t) {
        std::size_t to = before[k];
        walk(sides, parts[k], [&](const Level& at) {
            const std::uint64_t key = at.i < at.i_end ? sides.positives.key(at.i) : sides.others.key(at.j);
            curve.thresholds[to] = number_of(~key);
            curve.hits[to] = sides.positives.upto(at.i_end);
            curve.alarms[to++] = sides.others.upto(at.j_end);
        });
    });
    return curve;
}

/// placement[row] = for a positive case the share of the others below it, for another case the share of the positives
/// above it, ties half. NaN where the other side has no weight.
inline void placements(const Sides<RowKey>& sides, double* placement, std::size_t n_threads, Monitor& monitor) {
    const Side<RowKey>&a = sides.positives, &b = sides.others;
    const auto parts = pieces(sides);
    parallel_for(parts.size(), 1, n_threads, monitor, [&](std::size_t k, std::size_t, std::size_t) {
        walk(sides, parts[k], [&](const Level& at) {
            const double below = (b.total() - (b.upto(at.j_end) + b.upto(at.j)) / 2) / b.total();
            const double above = (a.upto(at.i_end) + a.upto(at.i)) / 2 / a.total();
            for (std::size_t i = at.i; i < at.i_end; ++i)
                placement[a.keys[i].row] = below;
            for (std::size_t j = at.j; j < at.j_end; ++j)
                placement[b.keys[j].row] = above;
        });
    });
}

} // namespace margin::metrics
