#pragma once
// Looks at all rows between two passes of sub-gradient descent: what the weights cost, and what follows from rows.
#include "margin/core/threads.hpp"
#include "step.hpp"
#include <vector>

namespace margin::svm {

/// Rows between two looks at the monitor, and of a partial sum.
constexpr std::size_t rows_per_look = 4096;

namespace detail {

template <class Rows>
MARGIN_SIMD_LOOK void add_hinges(const Rows& rows, const std::int32_t* y, const double* share, const double* coef,
                                 std::size_t width, const PegasosScores& scores, std::size_t begin, std::size_t end,
                                 double* sums) {
    for (std::size_t k = 0; k < scores.n; ++k)
        for (std::size_t i = begin; i < end; ++i) {
            const double margin = scores.sign(y[i], k) * (rows.dot(i, coef + k * width) + scores.b[k]);
            sums[k] += share[i] * (margin < 1 ? 1 - margin : 0);
        }
}

template <class Rows>
MARGIN_SIMD_LOOK void add_rows(const Rows& rows, const double* weights, std::size_t begin, std::size_t end,
                               double* sum) {
    for (std::size_t i = begin; i < end; ++i)
        if (weights[i] != 0)
            rows.add(i, weights[i], sum);
}

} // namespace detail

/// The sum of share_i max(0, 1 - y_i f(x_i)) of each score, whose coefficients are rows of a padded width and whose
/// intercepts are scores.b. O(n × n_scores × width).
template <class Rows>
std::vector<double> hinge_losses(const Rows& rows, std::size_t n_rows, const std::int32_t* y, const double* share,
                                 const double* coef, std::size_t width, const PegasosScores& scores,
                                 std::size_t n_threads, Monitor& monitor) {
    return reduce_in_order(
        n_rows, rows_per_look, n_threads, monitor, [&] { return std::vector<double>(scores.n); },
        [&](std::vector<double>& part, std::size_t begin, std::size_t end) {
            detail::add_hinges(rows, y, share, coef, width, scores, begin, end, part.data());
        },
        [](std::vector<double>& total, std::vector<double>&& part) {
            for (std::size_t k = 0; k < total.size(); ++k)
                total[k] += part[k];
        });
}

/// sums[m] += sum of weights[m][i] x_i for each of n_sums sets of weights, one thread each. O(n_sums × n × width), rows of
/// weight 0 not counted.
template <class Rows>
void weighted_sums(const Rows& rows, std::size_t n_rows, const double* weights, std::size_t n_sums, double* sums,
                   std::size_t width, std::size_t n_threads, Monitor& monitor) {
    parallel_for(n_sums, 1, n_threads, monitor, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t m = first; m < last; ++m)
            for (std::size_t begin = 0; begin < n_rows; begin += rows_per_look) {
                monitor.check();
                detail::add_rows(rows, weights + m * n_rows, begin, std::min(begin + rows_per_look, n_rows),
                                 sums + m * width);
            }
    });
}

} // namespace margin::svm
