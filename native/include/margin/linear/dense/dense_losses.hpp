#pragma once
// Cross-entropy of the scores of a tile: losses, probabilities and residuals, many rows at a time.
//
// A residual is what a gradient sums up: weight times (probability - 1 where it is the row's class).
#include "margin/core/exponential.hpp"
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace margin::linear {

/// Two classes: the sum of weight log(1 + exp(-f)) over rows of class 1, log(1 + exp(f)) over the others. Overwrites
/// `scores` f by the probability of class 1. w null: all weights 1. Room for `rows` losses in `loss`.
MARGIN_SIMD inline double two_class_losses(double* __restrict scores, const std::int32_t* __restrict y,
                                           const double* __restrict w, std::size_t rows, double* __restrict residual,
                                           double* __restrict loss) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double f = scores[i], e = exp_inlined(-std::abs(f)), inverse = 1 / (1 + e);
        const double target = static_cast<double>(y[i]);
        // log(1 + exp(f)) - y f, written so that nothing large is subtracted from something large.
        loss[i] = log1p_inlined(e) + (0.5 * (f + std::abs(f)) - target * f);
        const double p = (f >= 0 ? 1.0 : e) * inverse, q = (f >= 0 ? e : 1.0) * inverse; // q = 1 - p in full precision
        scores[i] = p;
        residual[i] = (1 - target) * p - target * q;
    }
    if (w)
        for (std::size_t i = 0; i < rows; ++i) {
            loss[i] *= w[i];
            residual[i] *= w[i];
        }
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i)
        sum += loss[i];
    return sum;
}

namespace detail {

/// The largest of a row of scores, whose number is a multiple of four.
MARGIN_INLINED double largest(const double* f, std::size_t count) noexcept {
    double m[4] = {f[0], f[1], f[2], f[3]};
    for (std::size_t k = 4; k < count; k += 4)
        for (std::size_t l = 0; l < 4; ++l)
            m[l] = f[k + l] > m[l] ? f[k + l] : m[l];
    const double a = m[0] > m[1] ? m[0] : m[1], b = m[2] > m[3] ? m[2] : m[3];
    return a > b ? a : b;
}

MARGIN_INLINED double sum_of(const double* f, std::size_t count) noexcept {
    double m[4] = {f[0], f[1], f[2], f[3]};
    for (std::size_t k = 4; k < count; k += 4)
        for (std::size_t l = 0; l < 4; ++l)
            m[l] += f[k + l];
    return (m[0] + m[2]) + (m[1] + m[3]);
}

} // namespace detail

/// Softmax: the sum of weight (log sum_k exp(f_k) - f_y) over the rows. Each row has `stride` scores (a multiple of
/// four), those beyond the classes so low that they count nothing. Overwrites the scores by scores minus the row's
/// largest, and gives probabilities and residuals. Room for 2 rows numbers in `room`.
MARGIN_SIMD inline double softmax_losses(double* __restrict scores, const std::int32_t* __restrict y,
                                         const double* __restrict w, std::size_t rows, std::size_t stride,
                                         double* __restrict probability, double* __restrict residual,
                                         double* __restrict room) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double top = detail::largest(scores + i * stride, stride);
        for (std::size_t k = 0; k < stride; ++k)
            scores[i * stride + k] -= top;
    }
    for (std::size_t c = 0; c < rows * stride; ++c)
        probability[c] = exp_inlined(scores[c]);
    double *total = room, *log_total = room + rows;
    for (std::size_t i = 0; i < rows; ++i)
        total[i] = detail::sum_of(probability + i * stride, stride);
    for (std::size_t i = 0; i < rows; ++i)
        log_total[i] = log_inlined(total[i]);
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const double weight = w ? w[i] : 1.0, inverse = 1 / total[i];
        const std::size_t own = i * stride + static_cast<std::size_t>(y[i]);
        for (std::size_t k = i * stride; k < (i + 1) * stride; ++k) {
            probability[k] *= inverse;
            residual[k] = weight * probability[k];
        }
        residual[own] -= weight;
        sum += weight * (log_total[i] - scores[own]);
    }
    return sum;
}

} // namespace margin::linear
