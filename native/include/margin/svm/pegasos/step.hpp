#pragma once
// One step of sub-gradient descent on the soft margin, whatever the weights are made of.
//
//     minimise lambda / 2 |w|^2 + mean of s_i max(0, 1 - y_i f(x_i)),     f(x) = w . x + b,  b not regularised
//
// Step t takes a batch of k rows, and moves by eta = 1 / (lambda t) against the slope there:
//     w <- (1 - eta lambda) w + eta / k * sum of s_i y_i x_i,   b <- b + eta / k * sum of s_i y_i,
// both sums over the rows of the batch with y_i f(x_i) < 1. Shalev-Shwartz, Singer, Srebro, Cotter (2011).
//
// With these steps w is (1 / lambda t) times the plain sum v of all rows that were ever too close, each as often as it
// was: v = sum of beta_i y_i x_i. That is how weights are kept, so that a step that finds nothing costs one product, and
// so that the same steps can be made with a kernel, where only beta is known (Shalev-Shwartz, Ben-David 2014, ch. 16).
// A contraction c beside it stands for projections onto the ball |w| <= 1 / sqrt(lambda), and for steps of one size.
#include "margin/core/simd.hpp"
#include "margin/linear/rows.hpp"
#include <cmath>

namespace margin::svm {

/// What a pass over rows is made with.
struct PegasosPass {
    linear::Visits visits;
    const std::int32_t* y = nullptr;
    const double* weight = nullptr;  // s_i, null: 1
    const double* squares = nullptr; // |x_i|^2; null: no projection
    double lambda = 1, eta = 0;      // eta 0: 1 / (lambda (t + late))
    double late = 0;                 // 0: w = v / (lambda (t - 1)) in step t. 1: v / (lambda t), as kernels have it
    std::size_t batch = 1;
    bool intercept = true;
    double average_from = 0; // the first step whose weights are averaged, from 1; 0: none
    bool rising = false;     // whether step t counts t times in the average
};

/// What is known of each score (1 for two classes, else one against the rest each) beside its weights.
///
/// Averages: the sum of w over the averaged steps is sums + sigma v, so that they cost nothing while v stays (Xu 2011).
struct PegasosScores {
    std::size_t n = 1;
    double *b, *contraction, *sigma, *sum_b, *averaged;
    double t = 1;

    MARGIN_INLINED double sign(std::int32_t y, std::size_t k) const noexcept {
        return y == static_cast<std::int32_t>(n == 1 ? 1 : k) ? 1 : -1;
    }
};

/// w = weight_of(…) v in step t.
MARGIN_INLINED double weight_of(const PegasosPass& pass, double contraction, double t) noexcept {
    const double steps = t - 1 + pass.late;
    return pass.eta > 0 ? contraction : steps > 0 ? contraction / (pass.lambda * steps) : 0;
}

/// Begin step t of score k: what its weights are v times. They are noted for the average.
MARGIN_INLINED double begin_step(const PegasosPass& pass, PegasosScores& scores, std::size_t k) noexcept {
    const double scale = weight_of(pass, scores.contraction[k], scores.t);
    if (pass.average_from > 0 && scores.t >= pass.average_from) {
        const double counts = pass.rising ? scores.t : 1;
        scores.sigma[k] += counts * scale;
        scores.sum_b[k] += counts * scores.b[k];
        scores.averaged[k] += counts;
    }
    return scale;
}

/// What a row of weight 1 that is too close, one of a batch of `size`, is added to v with.
MARGIN_INLINED double addend(const PegasosPass& pass, const PegasosScores& scores, std::size_t k,
                             std::size_t size) noexcept {
    return (pass.eta > 0 ? pass.eta : 1) / (scores.contraction[k] * static_cast<double>(size));
}

/// And what it moves the intercept by. Weights forget their first steps, which are far too long, as they shrink; the
/// intercept never does, so that its own are at most 1 / sqrt(t), which is what a convex function asks for.
MARGIN_INLINED double move(const PegasosPass& pass, double t, std::size_t size) noexcept {
    const double late = t + pass.late;
    return (pass.eta > 0 ? pass.eta : std::min(1 / (pass.lambda * late), 1 / std::sqrt(late))) /
           static_cast<double>(size);
}

/// Back onto the ball |w| <= 1 / sqrt(lambda), given |v|^2 after step t.
MARGIN_INLINED void project(const PegasosPass& pass, PegasosScores& scores, std::size_t k, double square) noexcept {
    const double length = weight_of(pass, scores.contraction[k], scores.t + 1) * std::sqrt(square);
    if (length * std::sqrt(pass.lambda) > 1)
        scores.contraction[k] /= length * std::sqrt(pass.lambda);
}

/// Below it v and beta are put in units of their own: what is added to them would not fit beside what is there.
constexpr double smallest_contraction = 1e-9;

/// Make the contraction 1: `cells` of something that is kept like v, and of what averages know of it.
inline void fold(const PegasosScores& scores, std::size_t k, double* cells, double* sums, std::size_t n) noexcept {
    if (sums)
        for (std::size_t j = 0; j < n; ++j)
            sums[j] += scores.sigma[k] * cells[j];
    for (std::size_t j = 0; j < n; ++j)
        cells[j] *= scores.contraction[k];
}

} // namespace margin::svm
