#pragma once
// The dual problem and a point of it, in the form that the solver works on; what can be said about the point.
#include "smo.hpp"
#include <cstdint>
#include <span>
#include <utility>

namespace margin::svm {

struct DualProblem {
    std::span<const std::uint32_t> rows; // those of the source that take part
    std::span<const double> sign, upper; // s (+1 or -1) and c >= 0, infinity allowed, one for each of them
    std::span<const double> start;       // a first a, or nothing for zeros
};

/// b_i = s_i a_i with lower_i <= b_i <= upper_i, and the residuals e_i = s_i - sum_j b_j k(i, j).
struct DualState {
    std::span<const double> sign, most;
    std::vector<double> b, e, lower, upper;

    /// At b = 0.
    explicit DualState(const DualProblem& problem)
        : sign(problem.sign), most(problem.upper), b(sign.size()), e(sign.begin(), sign.end()), lower(sign.size()),
          upper(sign.size()) {
        for (std::size_t i = 0; i < size(); ++i)
            (sign[i] > 0 ? upper : lower)[i] = sign[i] * most[i];
    }

    std::size_t size() const noexcept { return sign.size(); }
    bool may_rise(std::size_t i) const noexcept { return b[i] < upper[i]; }
    bool may_fall(std::size_t i) const noexcept { return b[i] > lower[i]; }
};

/// A start as b: within the bounds, and with the sum 0. For that the side that has more is scaled down, or, where only
/// rounding is to be mended, its free variables are: scaling would take every other one off its bound.
inline std::vector<double> feasible(const DualProblem& problem) {
    std::vector<double> b(problem.start.size());
    double sum[2] = {0, 0};
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = std::clamp(problem.start[i], 0.0, problem.upper[i]);
        sum[problem.sign[i] > 0] += b[i];
    }
    const std::size_t heavier = sum[1] > sum[0];
    const double larger = sum[heavier], smaller = sum[1 - heavier];
    double excess = larger - smaller;
    const bool scale = !(excess <= 1e-9 * larger);
    for (std::size_t i = 0; i < b.size(); ++i) {
        if ((problem.sign[i] > 0) == heavier) {
            if (scale)
                b[i] *= smaller / larger;
            else if (b[i] < problem.upper[i]) {
                const double less = std::min(excess, b[i]);
                b[i] -= less;
                excess -= less;
            }
        }
        b[i] *= problem.sign[i];
    }
    return b;
}

inline Extremes extremes(const DualState& state) {
    Extremes found;
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (!std::isfinite(state.e[i]))
            throw std::domain_error("the values of the kernel must be finite");
        if (state.may_rise(i) && state.e[i] > found.high)
            found.high = state.e[i], found.at = i;
        if (state.may_fall(i) && state.e[i] < found.low)
            found.low = state.e[i], found.low_at = i;
    }
    return found;
}

/// The bias that makes sum_i c_i max(0, s_i (e_i - bias)), the loss of the primal, the smallest; the smallest of equals.
/// Infinite c count as 1: they hold whatever the bias is, or not at all. O(n log n).
inline double least_loss_bias(const DualState& state) {
    struct Knee {
        double at, weight;
    };
    std::vector<Knee> knees;
    double slope = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const double weight = std::isinf(state.most[i]) ? 1 : state.most[i];
        knees.push_back({state.e[i], weight});
        slope -= state.sign[i] > 0 ? weight : 0;
    }
    std::sort(knees.begin(), knees.end(), [](const Knee& a, const Knee& b) { return a.at < b.at; });
    for (const Knee& knee : knees)
        if ((slope += knee.weight) >= 0)
            return knee.at;
    return 0;
}

/// The mean residual of the free variables; without any, the middle of what the conditions of optimality allow.
inline double bias_of(const DualState& state, const Extremes& found) {
    double sum = 0;
    std::size_t n_free = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (state.may_rise(i) && state.may_fall(i))
            sum += state.e[i], ++n_free;
    if (n_free > 0)
        return sum / static_cast<double>(n_free);
    if (std::isinf(found.high) || std::isinf(found.low)) // one class alone: any bias beyond the one limit
        return std::isinf(found.high) ? (std::isinf(found.low) ? 0 : found.low) : found.high;
    return (found.high + found.low) / 2;
}

/// |w|^2 = a'Qa and sum_i a_i.
inline std::pair<double, double> square_and_sum(const DualState& state) {
    double square = 0, sum = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
        square += state.b[i] * (state.sign[i] - state.e[i]);
        sum += state.b[i] * state.sign[i];
    }
    return {square, sum};
}

struct Objectives {
    double primal = 0, dual = 0;
    /// (P - D) / |P| with D as the maximum that the primal is bounded by.
    double gap() const noexcept {
        return std::isinf(primal) ? infinity : (primal - dual) / std::max(std::abs(primal), 1e-300);
    }
};

/// P = 1/2 |w|^2 + sum_i c_i max(0, 1 - s_i f_i) and its bound D = sum_i a_i - 1/2 |w|^2, at a bias.
/// Rows with infinite c must have no loss: w and the bias are made as much larger as the worst of them needs (infinite P
/// where that does not help).
inline Objectives objectives(const DualState& state, double bias) {
    const auto [square, sum] = square_and_sum(state);
    double worst = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (std::isinf(state.most[i]))
            worst = std::max(worst, state.sign[i] * (state.e[i] - bias));
    const double larger = worst < 1 ? 1 / (1 - worst) : infinity;
    double loss = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (const double slack = 1 - larger * (1 - state.sign[i] * (state.e[i] - bias));
            slack > 0 && state.most[i] > 0 && !std::isinf(state.most[i]))
            loss += state.most[i] * slack;
    return {larger < infinity ? 0.5 * larger * larger * square + loss : infinity, sum - 0.5 * square};
}

} // namespace margin::svm
