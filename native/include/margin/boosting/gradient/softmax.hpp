#pragma once
// Several classes: a score for each, whose softmax are the probabilities; a tree for each class in every round.
#include "losses.hpp"
#include "margin/core/threads.hpp"
#include <cmath>
#include <cstddef>
#include <vector>

namespace margin::boosting {

/// Scores and probabilities stand class after class.
namespace detail {

/// Probabilities of rows [begin, end) of n.
MARGIN_SIMD inline void softmax_rows(const double* scores, std::size_t n, std::size_t n_classes, std::size_t begin,
                                     std::size_t end, float* p) noexcept {
    constexpr std::size_t lanes = 64;
    std::array<double, lanes> most, sum;
    for (std::size_t first = begin; first < end; first += lanes) {
        const std::size_t m = std::min(lanes, end - first);
        for (std::size_t i = 0; i < m; ++i)
            most[i] = scores[first + i];
        for (std::size_t k = 1; k < n_classes; ++k)
            for (std::size_t i = 0; i < m; ++i) {
                const double f = scores[k * n + first + i];
                most[i] = f > most[i] ? f : most[i];
            }
        sum.fill(0);
        for (std::size_t k = 0; k < n_classes; ++k)
            for (std::size_t i = 0; i < m; ++i)
                sum[i] += exp_of_minus(most[i] - scores[k * n + first + i]);
        for (std::size_t k = 0; k < n_classes; ++k)
            for (std::size_t i = 0; i < m; ++i)
                p[k * n + first + i] = static_cast<float>(exp_of_minus(most[i] - scores[k * n + first + i]) / sum[i]);
    }
}

/// The derivatives for class k from its probabilities: g = p - [y = k], h = K / (K - 1) p (1 - p), the larger factor
/// because a step for one class moves the probabilities of all.
MARGIN_SIMD inline void softmax_slopes(const float* p, const double* y, std::size_t n, double k, double factor,
                                       double* g, double* h) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        const double share = p[i];
        g[i] = share - static_cast<double>(y[i] == k);
        h[i] = factor * share * (1 - share);
    }
}

/// Sum over rows [begin, end) of -log p[y].
inline double softmax_loss(const double* scores, const double* y, const double* weight, std::size_t n,
                           std::size_t n_classes, std::size_t begin, std::size_t end) noexcept {
    double loss = 0;
    for (std::size_t i = begin; i < end; ++i) {
        double most = scores[i], sum = 0;
        for (std::size_t k = 1; k < n_classes; ++k)
            most = std::max(most, scores[k * n + i]);
        for (std::size_t k = 0; k < n_classes; ++k)
            sum += exp_of_minus(most - scores[k * n + i]);
        loss += (weight ? weight[i] : 1) * (std::log(sum) + most - scores[static_cast<std::size_t>(y[i]) * n + i]);
    }
    return loss;
}

} // namespace detail
} // namespace margin::boosting
