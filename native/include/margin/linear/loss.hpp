#pragma once
// The error layers that can stand on one linear layer f(x) = w . x + b.
//
// A loss is a function of the margin m = y f(x) with y = +1 or -1: positive where the answer is right. Each member
// gives value(m), slope(m) = d value / d m (a subgradient where there is a corner) and curvature(m), the second
// derivative (0 where it does not exist). All are branch-free enough to be inlined into a row-by-row loop.
#include "margin/core/one_of.hpp"
#include <cmath>
#include <string_view>

namespace margin::linear {

/// Rosenblatt (1958): max(0, -m). A mistake is m <= 0, as in y (w . x - tau) <= 0.
struct PerceptronLoss {
    static constexpr std::string_view name = "perceptron";
    static constexpr std::string_view formula = "max(0, -m)";
    static double value(double m) noexcept { return m < 0 ? -m : 0; }
    static double slope(double m) noexcept { return m <= 0 ? -1 : 0; }
    static double curvature(double) noexcept { return 0; }
};

/// Widrow, Hoff (1960), Adaline: (1 - m)^2 / 2, the same as (y - f)^2 / 2.
struct SquaredError {
    static constexpr std::string_view name = "squared_error";
    static constexpr std::string_view formula = "(1 - m)^2 / 2";
    static double value(double m) noexcept { return (1 - m) * (1 - m) / 2; }
    static double slope(double m) noexcept { return m - 1; }
    static double curvature(double) noexcept { return 1; }
};

/// Logistic regression: log(1 + exp(-m)), the cross-entropy of p = 1 / (1 + exp(-f)).
struct LogLoss {
    static constexpr std::string_view name = "log_loss";
    static constexpr std::string_view formula = "log(1 + exp(-m))";
    static double value(double m) noexcept { return m > 0 ? std::log1p(std::exp(-m)) : -m + std::log1p(std::exp(m)); }
    static double slope(double m) noexcept {
        return m > 0 ? -std::exp(-m) / (1 + std::exp(-m)) : -1 / (1 + std::exp(m));
    }
    static double curvature(double m) noexcept {
        const double e = std::exp(-std::abs(m));
        return e / ((1 + e) * (1 + e));
    }
};

/// The soft margin of the support vector machine: max(0, 1 - m). Cortes, Vapnik (1995).
struct Hinge {
    static constexpr std::string_view name = "hinge";
    static constexpr std::string_view formula = "max(0, 1 - m)";
    static double value(double m) noexcept { return m < 1 ? 1 - m : 0; }
    static double slope(double m) noexcept { return m < 1 ? -1 : 0; }
    static double curvature(double) noexcept { return 0; }
};

/// max(0, 1 - m)^2.
struct SquaredHinge {
    static constexpr std::string_view name = "squared_hinge";
    static constexpr std::string_view formula = "max(0, 1 - m)^2";
    static double value(double m) noexcept { return m < 1 ? (1 - m) * (1 - m) : 0; }
    static double slope(double m) noexcept { return m < 1 ? -2 * (1 - m) : 0; }
    static double curvature(double m) noexcept { return m < 1 ? 2 : 0; }
};

/// Zhang (2004): the squared hinge, continued as a line where m < -1, so that outliers pull no harder than others.
struct ModifiedHuber {
    static constexpr std::string_view name = "modified_huber";
    static constexpr std::string_view formula = "max(0, 1 - m)^2 if m >= -1, else -4 m";
    static double value(double m) noexcept { return m < -1 ? -4 * m : SquaredHinge::value(m); }
    static double slope(double m) noexcept { return m < -1 ? -4 : SquaredHinge::slope(m); }
    static double curvature(double m) noexcept { return m < -1 ? 0 : SquaredHinge::curvature(m); }
};

/// What AdaBoost goes down: wrong answers cost without measure, so that one outlier outweighs all other rows.
struct ExponentialLoss {
    static constexpr std::string_view name = "exponential";
    static constexpr std::string_view formula = "exp(-m)";
    static double value(double m) noexcept { return std::exp(m > -largest ? -m : largest); }
    static double slope(double m) noexcept { return -value(m); }
    static double curvature(double m) noexcept { return value(m); }

private:
    static constexpr double largest = 700; // beyond it are no numbers
};

using Losses = OneOf<PerceptronLoss, SquaredError, LogLoss, Hinge, SquaredHinge, ModifiedHuber, ExponentialLoss>;

} // namespace margin::linear
