#pragma once
// The dual problem and a point of it, in the form that the solver works on; what can be said about the point.
#include "smo.hpp"
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace margin::svm {

/// What the variables of a start add up to, and so those of every later point: 0, or whatever it is, all together or
/// positive and negative ones apart.
enum class Sum : std::uint8_t { zero, kept, kept_apart };

struct DualProblem {
    std::span<const std::uint32_t> rows;  // those of the source that take part, one for each variable
    std::span<const double> target;       // p
    std::span<const double> lower, upper; // lower <= 0 <= upper, infinity allowed; apart, one of the two is 0
    std::span<const double> start;        // a first b, or nothing for zeros
    double tube = 0;
    Sum sum = Sum::zero;
    double unit = 1; // what residuals are measured in; 0 for the largest at the start
};

/// One of something for all variables, or one for the positive and one for the negative ones.
template <class T>
using Sides = std::array<T, 2>;

/// b with lower_i <= b_i <= upper_i, and the residuals e_i = p_i - sum_j b_j k(i, j).
struct DualState {
    std::span<const double> target, lower, upper;
    double tube;
    Sum sum;
    std::vector<double> b, e;

    /// At b = 0.
    explicit DualState(const DualProblem& problem)
        : target(problem.target), lower(problem.lower), upper(problem.upper), tube(problem.tube), sum(problem.sum),
          b(target.size()), e(target.begin(), target.end()) {}

    std::size_t size() const noexcept { return target.size(); }
    std::size_t n_sides() const noexcept { return sum == Sum::kept_apart ? 2 : 1; }
    std::size_t side(std::size_t i) const noexcept { return sum == Sum::kept_apart && !(upper[i] > 0); }
    bool takes_part(std::size_t i) const noexcept { return lower[i] < upper[i]; }
    bool may_rise(std::size_t i) const noexcept { return b[i] < upper[i]; }
    bool may_fall(std::size_t i) const noexcept { return b[i] > lower[i]; }
    /// Neither at a bound nor, where there is a tube, at 0.
    bool is_free(std::size_t i) const noexcept { return may_rise(i) && may_fall(i) && b[i] != 0; }
    /// The residual where b rises, and where it falls.
    double up(std::size_t i) const noexcept { return may_rise(i) ? e[i] - (b[i] >= 0 ? tube : -tube) : -infinity; }
    double down(std::size_t i) const noexcept { return may_fall(i) ? e[i] - (b[i] > 0 ? tube : -tube) : infinity; }
};

/// A start within the bounds; and with the sum 0, where that is asked. For that the side that has more is scaled down,
/// or, where only rounding is to be mended, its free variables are: scaling would take every other one off its bound.
inline std::vector<double> feasible(const DualProblem& problem) {
    std::vector<double> b(problem.start.size());
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = std::clamp(problem.start[i], problem.lower[i], problem.upper[i]);
        sums[b[i] > 0] += std::abs(b[i]);
    }
    if (problem.sum != Sum::zero)
        return b;
    const std::size_t heavier = sums[1] > sums[0];
    const double larger = sums[heavier], smaller = sums[1 - heavier];
    double excess = larger - smaller;
    const bool scale = !(excess <= 1e-9 * larger);
    for (std::size_t i = 0; i < b.size(); ++i)
        if (b[i] != 0 && (b[i] > 0) == heavier) {
            if (scale)
                b[i] *= smaller / larger;
            else if (b[i] < problem.upper[i] && b[i] > problem.lower[i]) {
                const double less = std::min(excess, std::abs(b[i]));
                b[i] -= b[i] > 0 ? less : -less;
                excess -= less;
            }
        }
    return b;
}

inline Sides<Extremes> extremes(const DualState& state) {
    Sides<Extremes> found;
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (!std::isfinite(state.e[i]))
            throw std::domain_error("the values of the kernel must be finite");
        Extremes& own = found[state.side(i)];
        if (const double up = state.up(i); up > own.high)
            own.high = up, own.at = i;
        if (const double down = state.down(i); down < own.low)
            own.low = down, own.low_at = i;
    }
    return found;
}

inline double violation(const Sides<Extremes>& found) { return std::max(found[0].violation(), found[1].violation()); }

/// The sum of the variables of a side.
inline double sum_of(const DualState& state, std::size_t side) {
    double sum = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (state.side(i) == side)
            sum += state.b[i];
    return sum;
}

/// The bias t of a side that makes its part of the primal, sum_i loss_i(t) + t sum_i b_i, the smallest; the smallest of
/// equals. Infinite bounds count as 1: they hold whatever the bias is, or not at all. O(n log n).
inline double least_loss_bias(const DualState& state, std::size_t side) {
    struct Knee {
        double at, weight;
    };
    std::vector<Knee> knees;
    const auto weight_of = [](double bound) { return std::isinf(bound) ? 1 : std::abs(bound); };
    double slope = state.sum == Sum::zero ? 0 : sum_of(state, side);
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (state.side(i) != side)
            continue;
        if (state.upper[i] > 0) {
            knees.push_back({state.e[i] - state.tube, weight_of(state.upper[i])});
            slope -= weight_of(state.upper[i]);
        }
        if (state.lower[i] < 0)
            knees.push_back({state.e[i] + state.tube, weight_of(state.lower[i])});
    }
    std::sort(knees.begin(), knees.end(), [](const Knee& a, const Knee& b) { return a.at < b.at; });
    for (const Knee& knee : knees)
        if ((slope += knee.weight) >= 0)
            return knee.at;
    return 0;
}

/// The mean residual of the free variables; without any, the middle of what the conditions of optimality allow.
inline double bias_of(const DualState& state, const Extremes& found, std::size_t side) {
    double sum = 0;
    std::size_t n_free = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (state.side(i) == side && state.is_free(i))
            sum += state.up(i), ++n_free;
    if (n_free > 0)
        return sum / static_cast<double>(n_free);
    if (std::isinf(found.high) || std::isinf(found.low)) // one class alone: any bias beyond the one limit
        return std::isinf(found.high) ? (std::isinf(found.low) ? 0 : found.low) : found.high;
    return (found.high + found.low) / 2;
}

inline Sides<double> biases_of(const DualState& state, const Sides<Extremes>& found) {
    const double first = bias_of(state, found[0], 0);
    return {first, state.n_sides() == 2 ? bias_of(state, found[1], 1) : first};
}

/// |w|^2 = b'Kb and sum_i p_i b_i - tube sum_i |b_i|.
inline std::pair<double, double> square_and_sum(const DualState& state) {
    double square = 0, sum = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
        square += state.b[i] * (state.target[i] - state.e[i]);
        sum += state.b[i] * state.target[i];
        if (state.tube > 0)
            sum -= state.tube * std::abs(state.b[i]);
    }
    return {square, sum};
}

struct Objectives {
    double primal = 0, dual = 0, nothing = 1e-300; // smaller objectives are 0 but for rounding
    /// (P - D) / |P| with D as the maximum that the primal is bounded by.
    double gap() const noexcept {
        return std::isinf(primal) ? infinity : (primal - dual) / std::max(std::abs(primal), nothing);
    }
};

/// P = 1/2 |w|^2 + sum_i loss_i + sum_i b_i t_i and its bound D = sum_i p_i b_i - tube sum_i |b_i| - 1/2 |w|^2, at a
/// bias t for each side, where a row loses upper_i for each unit that p_i is above f_i + t + tube and -lower_i for each
/// that it is below f_i + t - tube, f = sum b k. (With signs for targets that is c_i max(0, 1 - s_i (f_i + t)).)
/// Rows with an infinite bound must have no loss: w and the bias are made as much larger as the worst of them needs
/// (infinite P where that does not help); that is for targets of +1 and -1 alone.
/// `unit` is what residuals are measured in.
inline Objectives objectives(const DualState& state, const Sides<double>& bias, double unit = 1) {
    const auto [square, sum] = square_and_sum(state);
    const auto is_hard = [&](std::size_t i) { return std::isinf(state.upper[i]) || std::isinf(state.lower[i]); };
    double worst = 0;
    for (std::size_t i = 0; i < state.size(); ++i)
        if (is_hard(i))
            worst = std::max(worst, state.target[i] * (state.e[i] - bias[0]));
    if (!(worst < 1))
        return {infinity, sum - 0.5 * square};
    const double larger = 1 / (1 - worst);
    double loss = 0;
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (is_hard(i))
            continue;
        double away = state.e[i] - bias[state.side(i)];
        if (worst > 0)
            away = state.target[i] - larger * (state.target[i] - away);
        loss += state.upper[i] * std::max(0.0, away - state.tube) - state.lower[i] * std::max(0.0, -away - state.tube);
    }
    double primal = 0.5 * larger * larger * square + loss;
    if (state.sum != Sum::zero)
        for (std::size_t side = 0; side < state.n_sides(); ++side)
            primal += bias[side] * sum_of(state, side);
    Objectives found{primal, sum - 0.5 * square};
    if (state.sum != Sum::zero)
        for (std::size_t i = 0; i < state.size(); ++i)
            found.nothing = std::max(found.nothing, 1e-9 * std::abs(state.b[i]) * unit);
    return found;
}

} // namespace margin::svm
