#pragma once
// Sub-gradient descent on the soft margin in the columns themselves; pegasos_step.hpp has the rule.
#include "margin/core/monitor.hpp"
#include "step.hpp"
#include <vector>

namespace margin::svm {

/// The weights of each score, and how often each row was too close.
struct PegasosWeights {
    std::size_t width = 0, n_rows = 0; // width padded
    double* v = nullptr;               // n_scores × width
    double* sums = nullptr;            // the same; null where nothing is averaged
    double* beta = nullptr;            // n_scores × n_rows, null where rows are not remembered
    double* beta_sums = nullptr;       // the same; null if either of the two above is
};

namespace detail {

/// One score, while one batch lasts.
template <class Rows>
class BatchOf {
public:
    BatchOf(const Rows& rows, const PegasosPass& pass, PegasosScores& scores, const PegasosWeights& weights,
            std::size_t k, double& square)
        : rows_(rows), pass_(pass), scores_(scores), square_(square), k_(k), v_(weights.v + k * weights.width),
          sums_(weights.sums ? weights.sums + k * weights.width : nullptr),
          beta_(weights.beta ? weights.beta + k * weights.n_rows : nullptr),
          beta_sums_(weights.beta_sums ? weights.beta_sums + k * weights.n_rows : nullptr) {}

    MARGIN_INLINED bool too_close(std::size_t i, double scale) const noexcept {
        return scores_.sign(pass_.y[i], k_) * (scale * rows_.dot(i, v_) + scores_.b[k_]) < 1;
    }

    MARGIN_INLINED void add(std::size_t i, double factor, double step) const noexcept {
        const double sign = scores_.sign(pass_.y[i], k_), weight = pass_.weight ? pass_.weight[i] : 1;
        factor *= weight;
        if (pass_.squares)
            square_ += 2 * sign * factor * rows_.dot(i, v_) + factor * factor * pass_.squares[i];
        rows_.add(i, sign * factor, v_);
        if (sums_ && scores_.sigma[k_] != 0)
            rows_.add(i, -scores_.sigma[k_] * sign * factor, sums_);
        if (beta_)
            beta_[i] += factor;
        if (beta_sums_)
            beta_sums_[i] -= scores_.sigma[k_] * factor;
        if (pass_.intercept)
            scores_.b[k_] += step * sign * weight;
    }

    /// The shrinking by steps of one size, before rows are added.
    void shrink(std::size_t n_rows) const noexcept {
        if (!(pass_.eta > 0))
            return;
        scores_.contraction[k_] *= 1 - pass_.eta * pass_.lambda;
        fold_small(n_rows);
    }

    /// Back onto the ball, after rows were added.
    void project(std::size_t n_rows) const noexcept {
        if (!pass_.squares)
            return;
        svm::project(pass_, scores_, k_, square_);
        fold_small(n_rows);
    }

private:
    /// Put v in units of its own where the contraction has become small.
    void fold_small(std::size_t n_rows) const noexcept {
        if (scores_.contraction[k_] >= smallest_contraction)
            return;
        fold(scores_, k_, v_, sums_, rows_.width());
        if (beta_)
            fold(scores_, k_, beta_, beta_sums_, n_rows);
        square_ *= scores_.contraction[k_] * scores_.contraction[k_];
        scores_.contraction[k_] = 1;
        scores_.sigma[k_] = 0;
    }

    const Rows& rows_;
    const PegasosPass& pass_;
    PegasosScores& scores_;
    double& square_;
    std::size_t k_;
    double *v_, *sums_, *beta_, *beta_sums_;
};

/// Visits [begin, end) with one row in each step.
template <class Rows>
MARGIN_SIMD_LOOK void descend_by_rows(const Rows& rows, const PegasosPass& pass, std::size_t begin, std::size_t end,
                                      PegasosScores& scores, const PegasosWeights& weights, double* squares) {
    for (std::size_t visit = begin; visit < end; ++visit, scores.t += 1) {
        linear::fetch_later(rows, pass.y, pass.visits, visit);
        const std::size_t i = pass.visits[visit];
        for (std::size_t k = 0; k < scores.n; ++k) {
            const BatchOf<Rows> batch(rows, pass, scores, weights, k, squares[k]);
            const bool close = batch.too_close(i, begin_step(pass, scores, k));
            batch.shrink(weights.n_rows);
            if (!close)
                continue;
            batch.add(i, addend(pass, scores, k, 1), move(pass, scores.t, 1));
            batch.project(weights.n_rows);
        }
    }
}

/// Visits [first, last) in one step; `close` has room for them.
template <class Rows>
MARGIN_SIMD_LOOK void descend_by_batch(const Rows& rows, const PegasosPass& pass, std::size_t first, std::size_t last,
                                       PegasosScores& scores, const PegasosWeights& weights, double* squares,
                                       std::vector<std::size_t>& close, Monitor& monitor) {
    constexpr std::size_t between_checks = 4096;
    for (std::size_t k = 0; k < scores.n; ++k) {
        const BatchOf<Rows> batch(rows, pass, scores, weights, k, squares[k]);
        const double scale = begin_step(pass, scores, k);
        std::size_t n_close = 0;
        for (std::size_t visit = first; visit < last; ++visit) {
            linear::fetch_later(rows, pass.y, pass.visits, visit);
            if ((visit - first) % between_checks == between_checks - 1)
                monitor.check();
            const std::size_t i = pass.visits[visit];
            if (batch.too_close(i, scale))
                close[n_close++] = i;
        }
        batch.shrink(weights.n_rows);
        const double factor = addend(pass, scores, k, last - first), step = move(pass, scores.t, last - first);
        for (std::size_t c = 0; c < n_close; ++c)
            batch.add(close[c], factor, step);
        batch.project(weights.n_rows);
    }
    scores.t += 1;
}

} // namespace detail

/// One pass over the visits, which changes scores and weights. Requires rows as wide as the weights, visited rows that
/// are there, y[i] below 2 (one score) or the number of scores, batch >= 1, and eta lambda < 1. One thread: every step
/// stands on the one before. O(visits × n_scores × width), or the stored cells instead of the width.
template <class Rows>
void pegasos_pass(const Rows& rows, const PegasosPass& pass, PegasosScores& scores, const PegasosWeights& weights,
                  Monitor& monitor) {
    std::vector<double> squares(scores.n);
    for (std::size_t k = 0; pass.squares && k < scores.n; ++k)
        for (std::size_t j = 0; j < rows.width(); ++j)
            squares[k] += weights.v[k * weights.width + j] * weights.v[k * weights.width + j];
    std::vector<std::size_t> close(std::min(pass.batch, pass.visits.n));
    const std::size_t chunk = pass.batch == 1 ? linear::rows_per_chunk(rows.width(), scores.n) : pass.batch;
    for (std::size_t begin = 0; begin < pass.visits.n; begin += chunk) {
        monitor.check();
        const std::size_t end = std::min(begin + chunk, pass.visits.n);
        if (pass.batch == 1)
            detail::descend_by_rows(rows, pass, begin, end, scores, weights, squares.data());
        else
            detail::descend_by_batch(rows, pass, begin, end, scores, weights, squares.data(), close, monitor);
    }
}

} // namespace margin::svm
