#pragma once
// What a split should make small. A loss is impurity times weight, so that the losses of branches simply add up:
//     gain = (loss(node) - sum over branches of loss(branch)) / weight(node).
#include "margin/core/one_of.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace margin::tree {

inline double x_log2_x(double x) noexcept { return x > 0 ? x * std::log2(x) : 0.0; }

/// Gini index, 1 - sum p_k^2. Breiman, Friedman, Olshen, Stone (1984), ch. 4.
struct Gini {
    static constexpr std::string_view name = "gini";
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double squares = 0;
        for (std::size_t k = 0; k < width; ++k)
            squares += sum[k] * sum[k];
        return weight > 0 ? weight - squares / weight : 0.0;
    }
};

/// Entropy in bits, -sum p_k log2 p_k. Quinlan (1986).
struct Entropy {
    static constexpr std::string_view name = "entropy";
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double spread = x_log2_x(weight);
        for (std::size_t k = 0; k < width; ++k)
            spread -= x_log2_x(sum[k]);
        return std::max(spread, 0.0);
    }
};

/// Share of the cases that are not of the most frequent class, 1 - max p_k.
struct Error {
    static constexpr std::string_view name = "error";
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        return weight - *std::max_element(sum, sum + width);
    }
};

using ClassCriteria = OneOf<Gini, Entropy, Error>;

/// Sum of squared deviations from the mean, but for the sum of squares, which no split changes.
struct SquaredError {
    static constexpr std::string_view name = "squared_error";
    static double loss(const double* sum, std::size_t, double weight) noexcept {
        return weight > 0 ? -sum[1] * sum[1] / weight : 0.0;
    }
};

/// Sum of absolute deviations from the median; not a function of sums, so its scans keep the ranks of the targets.
struct AbsoluteError {
    static constexpr std::string_view name = "absolute_error";
};

using ValueCriteria = OneOf<SquaredError, AbsoluteError>;

} // namespace margin::tree
