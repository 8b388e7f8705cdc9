#pragma once
// Kernel densities: a normal bump at every value that was seen.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::bayes {

/// The values of every column in every class, ascending; column j, class k stands at j * classes + k of the tables.
struct Kernels {
    const double* values;
    const double* log_weight;  // of each value; the weights of a class sum to 1
    const std::int64_t* start; // where the values of a column and class begin; one more for the end
    const double* steep;       // 1 / (2 h^2)
    const double* off;         // -log(h sqrt(2 pi))
};

namespace detail {

/// Terms this far below the largest exponent are left out: even a billion of them would not change the last digit.
inline constexpr double negligible = 60;

/// log sum_i exp(log_weight_i - steep (x - v_i)^2) over n > 0 ascending values with log-weights of at most `heaviest`.
/// Goes from x outwards until no value further out can matter, whatever its weight.
inline double log_density(double x, const double* values, const double* log_weight, std::size_t n, double steep,
                          double heaviest) {
    const auto exponent = [=](std::size_t i) {
        const double d = x - values[i];
        return log_weight[i] - steep * d * d;
    };
    const auto bound = [=](std::size_t i) {
        const double d = x - values[i];
        return heaviest - steep * d * d;
    };
    std::size_t end = static_cast<std::size_t>(std::lower_bound(values, values + n, x) - values), begin = end;
    double best = -std::numeric_limits<double>::infinity();
    for (; end < n && bound(end) >= best - negligible; ++end)
        best = std::max(best, exponent(end));
    for (; begin > 0 && bound(begin - 1) >= best - negligible; --begin)
        best = std::max(best, exponent(begin - 1));
    if (best == -std::numeric_limits<double>::infinity())
        return best;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
        sum += std::exp(exponent(i) - best);
    return best + std::log(sum);
}

} // namespace detail

/// scores[i][k] += sum_j off_jk + log sum_v exp(log_weight_v - steep_jk (x_ij - v)^2) over the values of column j in
/// class k. Missing cells (NaN) and classes without values add nothing. True if some score is minus infinity now.
/// O(log m + values near the cell) time for each cell and class.
inline bool add_kernels(const double* x, const Kernels& kernels, double* scores, std::size_t rows, std::size_t columns,
                        std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    std::vector<double> heaviest(columns * classes);
    for (std::size_t c = 0; c < heaviest.size(); ++c)
        heaviest[c] =
            kernels.start[c] == kernels.start[c + 1]
                ? 0.0
                : *std::max_element(kernels.log_weight + kernels.start[c], kernels.log_weight + kernels.start[c + 1]);
    std::atomic<bool> ruled_out = false;
    parallel_for(rows, 16, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                const double cell = x[i * columns + j];
                for (std::size_t k = 0; cell == cell && k < classes; ++k) {
                    const std::size_t c = j * classes + k;
                    const auto first = static_cast<std::size_t>(kernels.start[c]);
                    const std::size_t n = static_cast<std::size_t>(kernels.start[c + 1]) - first;
                    if (n > 0)
                        scores[i * classes + k] += kernels.off[c] + detail::log_density(cell, kernels.values + first,
                                                                                        kernels.log_weight + first, n,
                                                                                        kernels.steep[c], heaviest[c]);
                }
            }
        for (std::size_t c = begin * classes; c < end * classes; ++c)
            if (scores[c] == -std::numeric_limits<double>::infinity())
                ruled_out = true;
    });
    return ruled_out;
}

} // namespace margin::bayes
