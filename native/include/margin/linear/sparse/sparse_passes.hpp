#pragma once
// One pass each over a sparse matrix: cross-entropy with its gradient, the product of its second derivatives with a
// direction, and their diagonal.
//
// Rows x_i (with a 1 appended for the intercept) have scores W x_i and count s_i = share_i. Two classes have one score,
// the log-odds of class 1, and with p = 1 / (1 + exp(-score)) the sum over rows
//     loss = sum s log(1 + exp(-+ score)),   gradient = sum s (p - y) x,   second derivatives = sum s p (1 - p) x x^T.
// More have one each, and
//     loss = sum s (log sum exp(score) - score_y),   gradient_k = sum s (p_k - [y = k]) x,
//     second derivatives_kl = sum s p_k ([k = l] - p_l) x x^T.
// Each pass reads the matrix once and costs O(stored lanes) time.
#include "margin/core/exponential.hpp"
#include "sparse_rows.hpp"
#include <cmath>

namespace margin::linear {

namespace detail {

/// The loss of a strip of rows of two classes. `scores` become s (p - y), `bends` are s p (1 - p).
MARGIN_SIMD inline double binary_rows(double* scores, double* bends, const std::int32_t* y, const double* weight,
                                      double unit, std::size_t rows) {
    std::array<double, strip_rows> losses;
    for (std::size_t i = 0; i < rows; ++i) {
        const double share = weight ? weight[i] * unit : unit;
        const double sign = 2.0 * y[i] - 1.0, margin = sign * scores[i];
        const double e = exp_inlined(-std::abs(margin)), larger = 1 / (1 + e);
        const double smaller = e * larger; // the probability of the class that the score speaks against
        losses[i] = share * (log1p_inlined(e) + (margin < 0 ? -margin : 0.0));
        bends[i] = share * smaller * larger;
        scores[i] = -sign * share * (margin < 0 ? larger : smaller);
    }
    double loss = 0;
    for (std::size_t i = 0; i < rows; ++i)
        loss += losses[i];
    return loss;
}

/// The loss of one row of more classes. `scores` become s (p_k - [y = k]), `p` the probabilities; lanes beyond the
/// classes stay 0.
inline double softmax_row(double* scores, double* p, std::size_t classes, std::size_t y, double share) noexcept {
    const double largest = *std::max_element(scores, scores + classes);
    const double of_y = scores[y];
    double total = 0;
    for (std::size_t k = 0; k < classes; ++k)
        total += p[k] = std::exp(scores[k] - largest);
    double others = 0; // 1 - p_y without cancellation
    for (std::size_t k = 0; k < classes; ++k) {
        p[k] /= total;
        scores[k] = share * p[k];
        others += k == y ? 0 : p[k];
    }
    scores[y] = -share * others;
    return share * (std::log(total) + (largest - of_y));
}

} // namespace detail

/// The loss, its gradient (a table), and what the second derivatives need: s p (1 - p) of each row of two classes, the
/// probabilities of each row (`lanes` numbers) of more. Requires y[i] in [0, classes); `weight` may be null, for 1 each,
/// and s_i = weight_i unit. `state` has rows lanes numbers.
template <class T, class Index>
TableSum loss_and_gradient(const data::Csr<T, Index>& x, const std::int32_t* y, const double* weight, double unit,
                           const double* table, std::size_t lanes, std::size_t classes, double* state,
                           std::size_t n_threads, Monitor& monitor) {
    return sum_over_strips(
        x, lanes, n_threads, monitor, [&](std::size_t begin, std::size_t end, double* gradient, double& loss) {
            thread_local std::vector<double> scores;
            scores.resize(strip_rows * lanes);
            detail::score_rows(x, begin, end, table, lanes, scores.data());
            if (lanes == 1)
                loss += detail::binary_rows(scores.data(), state + begin, y + begin, weight ? weight + begin : nullptr,
                                            unit, end - begin);
            else
                for (std::size_t i = begin; i < end; ++i)
                    loss += detail::softmax_row(scores.data() + (i - begin) * lanes, state + i * lanes, classes,
                                                static_cast<std::size_t>(y[i]), weight ? weight[i] * unit : unit);
            detail::spread_rows<detail::AsItIs>(x, begin, end, scores.data(), lanes, gradient);
        });
}

/// The second derivatives times a direction (both tables), with the state of loss_and_gradient.
template <class T, class Index>
TableSum curvature_product(const data::Csr<T, Index>& x, const double* weight, double unit, const double* state,
                           const double* direction, std::size_t lanes, std::size_t n_threads, Monitor& monitor) {
    return sum_over_strips(x, lanes, n_threads, monitor,
                           [&](std::size_t begin, std::size_t end, double* product, double&) {
                               thread_local std::vector<double> scores;
                               scores.resize(strip_rows * lanes);
                               detail::score_rows(x, begin, end, direction, lanes, scores.data());
                               for (std::size_t i = begin; i < end; ++i) {
                                   double* of_row = scores.data() + (i - begin) * lanes;
                                   if (lanes == 1) {
                                       of_row[0] *= state[i];
                                       continue;
                                   }
                                   const double share = weight ? weight[i] * unit : unit;
                                   const double* p = state + i * lanes;
                                   double mean = 0;
                                   for (std::size_t k = 0; k < lanes; ++k)
                                       mean += p[k] * of_row[k];
                                   for (std::size_t k = 0; k < lanes; ++k)
                                       of_row[k] = share * p[k] * (of_row[k] - mean);
                               }
                               detail::spread_rows<detail::AsItIs>(x, begin, end, scores.data(), lanes, product);
                           });
}

/// The diagonal of the second derivatives (a table).
template <class T, class Index>
TableSum curvature_diagonal(const data::Csr<T, Index>& x, const double* weight, double unit, const double* state,
                            std::size_t lanes, std::size_t n_threads, Monitor& monitor) {
    return sum_over_strips(
        x, lanes, n_threads, monitor, [&](std::size_t begin, std::size_t end, double* diagonal, double&) {
            thread_local std::vector<double> bends;
            bends.resize(strip_rows * lanes);
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t k = 0; k < lanes; ++k) {
                    const double p = state[i * lanes + k];
                    bends[(i - begin) * lanes + k] = lanes == 1 ? p : (weight ? weight[i] * unit : unit) * p * (1 - p);
                }
            detail::spread_rows<detail::Squared>(x, begin, end, bends.data(), lanes, diagonal);
        });
}

} // namespace margin::linear
