#pragma once
// Stochastic gradient descent, one row at a time, for
//     mean of loss(y f(x)) + alpha ((1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1),     f(x) = w . x + b.
//
// Weights are kept as s v with one number s, so that shrinking all of them (L2) is one product. The mean of the weights
// after each row is kept as (sigma v + rest) / count: while v stays, only sigma grows (Xu 2011). The L1 penalty is the
// cumulative one of Tsuruoka, Tsujii, Ananiadou (2009), in units of v, and is brought up to date before a weight is
// used: sparse and dense rows give the same weights.
#include "margin/core/exponential.hpp"
#include "margin/core/monitor.hpp"
#include "margin/linear/loss.hpp"
#include "margin/linear/rows.hpp"
#include <type_traits>

namespace margin::linear {

enum class Schedule { constant, optimal, invscaling };

/// How the epoch is made. eta: one step for each score (Schedule::constant), or the eta0 of all of them.
struct SgdEpoch {
    Visits visits;
    const std::int32_t* y = nullptr;
    const double* weight = nullptr; // of each row, null: 1
    Schedule schedule = Schedule::constant;
    const double* eta = nullptr;
    double power_t = 0.5, optimal_start = 0;
    double alpha = 0, l1_ratio = 0;
    bool intercept = true;
    double average_from = 0; // the first step to be averaged, from 1; 0: none
};

/// Weights of each score (1 for two classes, else one against the rest each), which the epoch goes on from.
struct SgdState {
    std::size_t n_scores = 1, width = 0; // padded
    double* w = nullptr;                 // n_scores × width
    double* b = nullptr;
    double* sum_w = nullptr; // sums over the averaged steps; null where there is no average
    double* sum_b = nullptr;
    double* averaged = nullptr;   // their number
    double* paid = nullptr;       // the L1 penalty that each weight has received, null without one
    double* owed = nullptr;       // and what each weight should have, of each score
    const bool* active = nullptr; // scores that still learn
    double t = 1;
};

namespace detail {

// Steeper slopes only arise where the method has left all bounds, and would be infinite one row later.
constexpr double steepest = 1e12;
constexpr double smallest_scale = 1e-9;

template <class Loss>
MARGIN_INLINED double slope_inlined(double m) noexcept {
    if constexpr (std::is_same_v<Loss, LogLoss>)
        return -1 / (1 + exp_inlined(m));
    else
        return std::clamp(Loss::slope(m), -steepest, steepest);
}

template <class Loss>
MARGIN_INLINED double value_inlined(double m) noexcept {
    if constexpr (std::is_same_v<Loss, LogLoss>)
        return (m < 0 ? -m : 0) + log1p_inlined(exp_inlined(-std::abs(m)));
    else
        return Loss::value(m);
}

MARGIN_INLINED double step_size(const SgdEpoch& epoch, std::size_t k, double t) noexcept {
    if (epoch.schedule == Schedule::optimal)
        return 1 / (epoch.alpha * (epoch.optimal_start + t - 1));
    if (epoch.schedule == Schedule::invscaling)
        return epoch.eta[0] * (epoch.power_t == 0.5 ? 1 / std::sqrt(t) : exp_inlined(-epoch.power_t * log_inlined(t)));
    return epoch.eta[k];
}

/// One score while an epoch lasts: the weights are scale * v.
struct SgdScore {
    double *v, *sum, *paid;
    double scale = 1, sigma = 0, owed = 0, inverse = 1;

    /// Make scale 1; what averages and penalties know of v is put in the new units.
    void fold(std::size_t width) noexcept {
        if (sum)
            for (std::size_t j = 0; j < width; ++j)
                sum[j] += sigma * v[j];
        sigma = 0;
        for (std::size_t j = 0; j < width; ++j)
            v[j] *= scale;
        if (paid)
            for (std::size_t j = 0; j < width; ++j)
                paid[j] *= scale;
        owed *= scale;
        scale = inverse = 1;
    }

    /// The cumulative penalty of weight j: never beyond 0.
    MARGIN_INLINED void pay(std::size_t j) const noexcept {
        const double before = v[j];
        const double after = before > 0   ? std::max(0.0, before - (owed + paid[j]))
                             : before < 0 ? std::min(0.0, before + (owed - paid[j]))
                                          : 0.0;
        paid[j] += after - before;
        if (sum)
            sum[j] -= sigma * (after - before);
        v[j] = after;
    }
};

/// One row, one score: its margin before the update.
template <class Loss, class Rows>
MARGIN_INLINED double learn_row(const Rows& rows, std::size_t i, double sign, double eta, const SgdEpoch& epoch,
                                SgdScore& score, double& b) {
    if (score.paid)
        rows.for_each_column(i, [&](std::size_t j) { score.pay(j); });
    const double margin = sign * (score.scale * rows.dot(i, score.v) + b);
    const double shrink = 1 - eta * epoch.alpha * (1 - epoch.l1_ratio);
    score.scale *= shrink > 0 ? shrink : 0;
    if (!(score.scale >= smallest_scale))
        score.fold(rows.width());
    score.inverse = 1 / score.scale;
    double update = -eta * sign * slope_inlined<Loss>(margin);
    if (epoch.weight)
        update *= epoch.weight[i];
    if (update != 0) {
        const double factor = update * score.inverse;
        rows.add(i, factor, score.v);
        if (score.sum && score.sigma != 0)
            rows.add(i, -score.sigma * factor, score.sum);
        if (epoch.intercept)
            b += update;
    }
    if (score.paid) {
        score.owed += epoch.l1_ratio * epoch.alpha * eta * score.inverse;
        rows.for_each_column(i, [&](std::size_t j) { score.pay(j); });
    }
    return margin;
}

/// Visits [begin, end) with one score after another for each row; margins go to (end - begin) × n_scores.
template <class Loss, class Rows>
MARGIN_SIMD_LOOK void learn_rows(const Rows& rows, const SgdEpoch& epoch, std::size_t begin, std::size_t end,
                                 SgdState& state, SgdScore* scores, double* margins) {
    for (std::size_t visit = begin; visit < end; ++visit) {
        fetch_later(rows, epoch.y, epoch.visits, visit);
        const std::size_t i = epoch.visits[visit];
        const std::int32_t own = state.n_scores == 1 ? epoch.y[i] - 1 : epoch.y[i];
        const bool averaging = epoch.average_from > 0 && state.t >= epoch.average_from;
        for (std::size_t k = 0; k < state.n_scores; ++k) {
            if (!state.active[k])
                continue;
            const double sign = own == static_cast<std::int32_t>(k) ? 1 : -1;
            *margins++ = learn_row<Loss>(rows, i, sign, step_size(epoch, k, state.t), epoch, scores[k], state.b[k]);
            if (averaging) {
                scores[k].sigma += scores[k].scale;
                state.sum_b[k] += state.b[k];
                state.averaged[k] += 1;
            }
        }
        state.t += 1;
    }
}

/// Losses of rows [begin, end) of the visits, added to those of each score. Apart from the learning, which cannot wait
/// for logarithms.
template <class Loss>
MARGIN_SIMD void add_losses(const SgdEpoch& epoch, std::size_t begin, std::size_t end, const SgdState& state,
                            const double* margins, double* losses) {
    if (state.n_scores == 1 && !epoch.weight) {
        double sums[lanes] = {};
        const std::size_t n = end - begin;
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes)
            for (std::size_t j = 0; j < lanes; ++j)
                sums[j] += value_inlined<Loss>(margins[i + j]);
        for (; i < n; ++i)
            sums[0] += value_inlined<Loss>(margins[i]);
        losses[0] += joined(sums);
        return;
    }
    for (std::size_t visit = begin; visit < end; ++visit)
        for (std::size_t k = 0; k < state.n_scores; ++k)
            if (state.active[k])
                losses[k] += value_inlined<Loss>(*margins++) * (epoch.weight ? epoch.weight[epoch.visits[visit]] : 1.0);
}

/// The scores as an epoch keeps them.
inline std::vector<SgdScore> begin_epoch(const SgdState& state) {
    std::vector<SgdScore> scores(state.n_scores);
    for (std::size_t k = 0; k < state.n_scores; ++k) {
        const std::size_t at = k * state.width;
        scores[k] = {state.w + at, state.sum_w ? state.sum_w + at : nullptr, state.paid ? state.paid + at : nullptr};
        scores[k].owed = state.paid ? state.owed[k] : 0;
    }
    return scores;
}

/// Back to weights, after all penalties are paid.
inline void end_epoch(SgdState& state, std::vector<SgdScore>& scores, std::size_t width) {
    for (std::size_t k = 0; k < state.n_scores; ++k) {
        if (state.paid)
            for (std::size_t j = 0; j < width; ++j)
                scores[k].pay(j);
        scores[k].fold(width);
        if (state.paid)
            state.owed[k] = scores[k].owed;
    }
}

/// What is compiled for each loss; what is around it, once.
template <class Rows>
struct LossPasses {
    void (*learn_rows)(const Rows&, const SgdEpoch&, std::size_t, std::size_t, SgdState&, SgdScore*, double*);
    void (*add_losses)(const SgdEpoch&, std::size_t, std::size_t, const SgdState&, const double*, double*);
};

template <class Rows>
[[gnu::noinline]] std::vector<double> run_epoch(const LossPasses<Rows>& loss, const Rows& rows, const SgdEpoch& epoch,
                                                SgdState& state, Monitor& monitor) {
    std::vector<double> losses(state.n_scores);
    std::vector<SgdScore> scores = begin_epoch(state);
    const std::size_t chunk = rows_per_chunk(rows.width(), state.n_scores);
    std::vector<double> margins(std::min(chunk, epoch.visits.n) * state.n_scores);
    for (std::size_t begin = 0; begin < epoch.visits.n; begin += chunk) {
        monitor.check();
        const std::size_t end = std::min(begin + chunk, epoch.visits.n);
        loss.learn_rows(rows, epoch, begin, end, state, scores.data(), margins.data());
        loss.add_losses(epoch, begin, end, state, margins.data(), losses.data());
    }
    end_epoch(state, scores, rows.width());
    return losses;
}

} // namespace detail

/// One epoch. Gives the sum of (weight × loss before the row was learnt) of each score; 0 where it no longer learns.
/// Requires rows as wide as the state, visited rows that are there, y[i] below 2 (n_scores 1) or n_scores, and alpha
/// above 0 for Schedule::optimal. O(visits × n_scores × width), or the stored cells instead of the width.
template <class Loss, class Rows>
std::vector<double> sgd_epoch(const Rows& rows, const SgdEpoch& epoch, SgdState& state, Monitor& monitor) {
    return detail::run_epoch<Rows>({&detail::learn_rows<Loss, Rows>, &detail::add_losses<Loss>}, rows, epoch, state,
                                   monitor);
}

} // namespace margin::linear
