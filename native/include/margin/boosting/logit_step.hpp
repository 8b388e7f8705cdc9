#pragma once
// What the trees of a round of LogitBoost are fitted to, and how good the sums so far are, in one pass over the rows.
//
// Friedman, Hastie, Tibshirani (2000), algorithms 3 and 6. z is 1/p for rows of the class and -1/(1-p) for others, clipped
// at z_max; w is such that w z stays y - p there, or the score of a class of fewer than one row in z_max + 1 would fall
// for ever, by the same step in every round.
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::boosting {

/// Weighted sums over rows: -log of the probability of the true class, errors, and 1.
struct LogitStanding {
    double loss = 0, wrong = 0, whole = 0;
};

/// Where what trees are fitted to is written: a row for each sum, a number for each row of the table.
struct WorkingResponse {
    MatrixView<double> weight, z;
};

namespace detail {

inline void respond(bool is_class, double yes, double no, double z_max, double row_weight, double& w, double& z) {
    constexpr double least =
        2 * std::numeric_limits<double>::epsilon(); // so that rows that are sure still have a weight
    const double size = std::min(1 / std::max(is_class ? yes : no, least), z_max);
    w = row_weight * std::max((is_class ? no : yes) / size, least);
    z = is_class ? size : -size;
}

} // namespace detail

/// One sum, half the log odds of the second of two classes, or one for each class, which may differ by a number of each
/// row. Ties go to the first class. O(n K) time.
inline LogitStanding logit_step(MatrixView<const double> sums, std::span<const std::int32_t> y,
                                std::span<const double> weight, double z_max, WorkingResponse out,
                                std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t block = 8192;
    const std::size_t n = sums.rows(), width = sums.columns();
    const auto two_classes = [&](LogitStanding& part, std::size_t i) {
        const double score = sums(i, 0), e = std::exp(-2 * std::abs(score));
        const double large = 1 / (1 + e), small = e / (1 + e);
        const bool second = y[i] == 1, above = score > 0;
        detail::respond(second, above ? large : small, above ? small : large, z_max, weight[i], out.weight(0, i),
                        out.z(0, i));
        part.loss += weight[i] * (std::log1p(e) + (above == second ? 0.0 : 2 * std::abs(score)));
        part.wrong += above == second ? 0.0 : weight[i];
    };
    const auto many_classes = [&](LogitStanding& part, std::size_t i, std::vector<double>& odds) {
        const double* const score = sums.row(i).data();
        const double* const best = std::max_element(score, score + width);
        const auto k = static_cast<std::size_t>(y[i]);
        double total = 0;
        for (std::size_t c = 0; c < width; ++c)
            total += odds[c] = std::exp(score[c] - *best);
        for (std::size_t c = 0; c < width; ++c) {
            const double p = odds[c] / total;
            detail::respond(c == k, p, 1 - p, z_max, weight[i], out.weight(c, i), out.z(c, i));
        }
        part.loss += weight[i] * (std::log(total) - (score[k] - *best));
        part.wrong += static_cast<std::size_t>(best - score) == k ? 0.0 : weight[i];
    };
    return reduce_in_order(
        n, block, n < 2 * block ? 1 : n_threads, monitor, [] { return LogitStanding{}; },
        [&](LogitStanding& part, std::size_t begin, std::size_t end) {
            std::vector<double> odds(width);
            for (std::size_t i = begin; i < end; ++i) {
                part.whole += weight[i];
                width == 1 ? two_classes(part, i) : many_classes(part, i, odds);
            }
        },
        [](LogitStanding& left, LogitStanding&& right) {
            left.loss += right.loss;
            left.wrong += right.wrong;
            left.whole += right.whole;
        });
}

} // namespace margin::boosting
