#pragma once
// The losses that trees are boosted under: one struct for each, all in one list.
//
// With the score f of a row and its target y, a loss gives its value and its first two derivatives by f. Losses whose
// second derivative says nothing (0, or 0 almost everywhere) put 1 in its place; of these some set a leaf to a quantile
// of the residuals y - f of its rows once a tree is grown (`quantile`), since a mean of signs is no step to go.
// Friedman (2001), "Greedy function approximation: a gradient boosting machine".
#include "margin/core/exponential.hpp"
#include "margin/core/one_of.hpp"
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

namespace margin::boosting {

/// First and second derivative.
struct Slopes {
    double g, h;
};

/// What a loss may state: `bounded` if |g| <= 1 and h <= most_h, `renewed` if leaves are quantiles of residuals.
struct Traits {
    bool bounded = false, renewed = false;
    double most_h = 1;
};

/// (f - y)^2 / 2.
struct Squared {
    static constexpr std::string_view name = "squared_error";
    static constexpr Traits traits{};
    MARGIN_INLINED static Slopes slopes(double f, double y, double) noexcept { return {f - y, 1}; }
    MARGIN_INLINED static double loss(double f, double y, double) noexcept { return 0.5 * (f - y) * (f - y); }
};

/// |f - y|; leaves are medians.
struct Absolute {
    static constexpr std::string_view name = "absolute_error";
    static constexpr Traits traits{.bounded = true, .renewed = true};
    MARGIN_INLINED static Slopes slopes(double f, double y, double) noexcept {
        return {static_cast<double>(f > y) - static_cast<double>(f < y), 1};
    }
    MARGIN_INLINED static double loss(double f, double y, double) noexcept { return std::abs(f - y); }
    static double share(double) noexcept { return 0.5; }
};

/// alpha (y - f) where y lies above, (1 - alpha) (f - y) below; leaves are quantiles.
struct Quantile {
    static constexpr std::string_view name = "quantile";
    static constexpr Traits traits{.bounded = true, .renewed = true};
    MARGIN_INLINED static Slopes slopes(double f, double y, double alpha) noexcept {
        return {(1 - alpha) * static_cast<double>(f > y) - alpha * static_cast<double>(f < y), 1};
    }
    MARGIN_INLINED static double loss(double f, double y, double alpha) noexcept {
        const double above = y - f;
        return above > 0 ? alpha * above : (alpha - 1) * above;
    }
    static double share(double alpha) noexcept { return alpha; }
};

/// (f - y)^2 / 2 up to |f - y| = delta, a straight line beyond. Huber (1964).
struct Huber {
    static constexpr std::string_view name = "huber";
    static constexpr Traits traits{};
    MARGIN_INLINED static Slopes slopes(double f, double y, double delta) noexcept {
        const double r = f - y, most = std::abs(r) < delta ? std::abs(r) : delta;
        return {std::copysign(most, r), 1};
    }
    MARGIN_INLINED static double loss(double f, double y, double delta) noexcept {
        const double r = std::abs(f - y);
        return r <= delta ? 0.5 * r * r : delta * (r - 0.5 * delta);
    }
};

/// e^f - y f: counts of mean e^f. The second derivative is taken too large by e^0.7, so that a step from few cases does
/// not overshoot.
struct Poisson {
    static constexpr std::string_view name = "poisson";
    static constexpr Traits traits{};
    MARGIN_INLINED static Slopes slopes(double f, double y, double) noexcept {
        const double mean = exp_inlined(f < 100 ? f : 100);
        return {mean - y, mean * 2.0137527074704766};
    }
    MARGIN_INLINED static double loss(double f, double y, double) noexcept {
        return exp_inlined(f < 100 ? f : 100) - y * f;
    }
};

/// log(1 + e^f) - y f: classes 0 and 1, f are the log odds of 1.
struct Logistic {
    static constexpr std::string_view name = "log_loss";
    static constexpr Traits traits{.bounded = true, .most_h = 0.25};
    MARGIN_INLINED static Slopes slopes(double f, double y, double) noexcept {
        const double e = exp_of_minus(std::abs(f)), small = e / (1 + e), p = f < 0 ? small : 1 - small;
        return {p - y, small * (1 - small)};
    }
    MARGIN_INLINED static double loss(double f, double y, double) noexcept {
        const double larger = f > 0 ? f : 0;
        return larger + log1p_inlined(exp_of_minus(std::abs(f))) - y * f;
    }
};

/// e^-f for class 1, e^f for class 0: the loss of AdaBoost. f are half the log odds.
struct Exponential {
    static constexpr std::string_view name = "exponential";
    static constexpr Traits traits{};
    MARGIN_INLINED static Slopes slopes(double f, double y, double) noexcept {
        const double side = 1 - 2 * y, z = side * f, e = exp_inlined(z < 50 ? z : 50);
        return {side * e, e};
    }
    MARGIN_INLINED static double loss(double f, double y, double) noexcept {
        const double z = (1 - 2 * y) * f;
        return exp_inlined(z < 50 ? z : 50);
    }
};

/// -(1 - s)^gamma log s with the probability s of the class that is there: rows that are told apart well count little. Lin
/// et al. (2017), "Focal loss for dense object detection". It bends downwards where s is small: the second derivative is
/// never taken smaller than that of the log loss times (1 - s)^gamma.
struct Focal {
    static constexpr std::string_view name = "focal";
    static constexpr Traits traits{};
    static Slopes slopes(double f, double y, double gamma) noexcept {
        const double side = 2 * y - 1, log_s = -minus_log(side * f), s = std::exp(log_s), rest = -std::expm1(log_s);
        const double factor = std::pow(rest, gamma), inner = gamma * s * log_s - rest;
        const double h = s * factor * (-gamma * inner + rest * (gamma * log_s + gamma + 1));
        return {side * factor * inner, std::max(h, factor * s * rest)};
    }
    static double loss(double f, double y, double gamma) noexcept {
        const double less = minus_log((2 * y - 1) * f);
        return std::pow(-std::expm1(-less), gamma) * less;
    }

private:
    /// -log of 1 / (1 + e^-z).
    static double minus_log(double z) noexcept { return (z < 0 ? -z : 0) + log1p_inlined(exp_of_minus(std::abs(z))); }
};

/// Losses of one score for each row; several classes have the softmax of a score each (softmax.hpp).
using Losses = OneOf<Logistic, Exponential, Focal, Squared, Absolute, Quantile, Huber, Poisson>;

/// A loss by its name: what is around it is compiled once.
struct LossFunctions {
    Traits traits;
    double share = 0.5; // of the quantile that leaves are set to
    void (*slopes)(const double* f, const double* y, std::size_t n, double parameter, double* g, double* h) noexcept;
    double (*loss)(const double* f, const double* y, const double* weight, std::size_t n, double parameter) noexcept;
};

namespace detail {

template <class L>
MARGIN_SIMD void all_slopes(const double* f, const double* y, std::size_t n, double parameter, double* g,
                            double* h) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        const Slopes slopes = L::slopes(f[i], y[i], parameter);
        g[i] = slopes.g;
        h[i] = slopes.h;
    }
}

template <class L>
double sum_of_losses(const double* f, const double* y, const double* weight, std::size_t n, double parameter) noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += (weight ? weight[i] : 1) * L::loss(f[i], y[i], parameter);
    return sum;
}

} // namespace detail

inline LossFunctions loss_functions(std::string_view name, double parameter) {
    return Losses::visit(name, [&]<class L>() {
        LossFunctions made{L::traits, 0.5, &detail::all_slopes<L>, &detail::sum_of_losses<L>};
        if constexpr (L::traits.renewed)
            made.share = L::share(parameter);
        return made;
    });
}

} // namespace margin::boosting
