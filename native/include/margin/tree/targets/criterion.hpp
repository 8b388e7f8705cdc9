#pragma once
// What a split should make small. A loss is impurity times weight, so that the losses of branches simply add up:
//     gain = (loss(node) - sum over branches of loss(branch)) / weight(node).
//
// A criterion is one struct here and its name in a list: ClassCriteria, or ValueCriteria. Besides its name and its loss it
// says what chance gains under it; the other members of AnyCriterion are faster ways to the same splits, where it has any.
#include "margin/core/one_of.hpp"
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace margin::tree {

inline double x_log2_x(double x) noexcept { return x > 0 ? x * std::log2(x) : 0.0; }

/// What a loss is a function of.
enum class Statistic : std::uint8_t {
    sums,    // those of the target: weights of the classes, or weight and sum of the numbers
    medians, // absolute deviations from the median, by the ranks of the numbers (absolute.hpp)
};

/// What is kept up to date, in whole numbers, for the classes of either side where weights are whole (sweep_counts.hpp).
enum class Counted : std::uint8_t { nothing, squares, logarithms };

/// What holds of a criterion unless it says otherwise: its losses are worked out anew behind each code. A loss must be
/// concave in the shares of the classes (no split raises it), as divisions of levels rely on.
struct AnyCriterion {
    static constexpr Statistic statistic = Statistic::sums;
    static constexpr Counted counted = Counted::nothing;
    /// Whether the loss for sums of this width is that of a mean: up to a factor, a split lowers it by the squared
    /// distance of the means of both sides (sweep_moments.hpp).
    static constexpr bool is_mean(std::size_t) noexcept { return false; }
    /// The power of the unit of the targets that is the unit of impurities.
    static constexpr int unit_power = 0;
};

/// Whether two classes can be weighed roughly, in single precision, before they are weighed exactly: by
/// rough_loss(a, b, rest_a, rest_b), some factor times the loss of a branch with a and b cases of the classes, and the
/// rest in the other.
template <class Criterion>
concept Roughly = requires(float x) { Criterion::rough_loss(x, x, x, x); };

/// Stands at the end of a chain of cases, for what the chain has no case for.
template <auto>
inline constexpr bool has_case = false;

/// Bits per case as a gain that is like chi-squared where the target depends on nothing, a bit of entropy being 2 log 2
/// of chi-squared; `scale` is impurity over degrees of freedom.
inline double chi_squared_gain(double bits_per_case, double scale) noexcept {
    return 2 * std::numbers::ln2 * scale * bits_per_case;
}

/// Gini index, 1 - sum p_k^2. Breiman, Friedman, Olshen, Stone (1984), ch. 4.
struct Gini : AnyCriterion {
    static constexpr std::string_view name = "gini";
    static constexpr Counted counted = Counted::squares;
    static constexpr bool is_mean(std::size_t width) noexcept { return width == 2; } // of 0 and 1
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double squares = 0;
        for (std::size_t k = 0; k < width; ++k)
            squares += sum[k] * sum[k];
        return weight > 0 ? weight - squares / weight : 0.0;
    }
    /// Half the loss: a b / (a + b) and the same of the rest.
    MARGIN_INLINED static float rough_loss(float a, float b, float rest_a, float rest_b) noexcept {
        const float n = a + b, rest_n = rest_a + rest_b;
        return (a * b * rest_n + rest_a * rest_b * n) / (n * rest_n);
    }
    /// What a split gains by chance alone if that takes so many bits per case to say; scale() as in chi_squared_gain.
    template <class Scale>
    static double null_gain(double bits_per_case, Scale&& scale) noexcept {
        return chi_squared_gain(bits_per_case, scale());
    }
};

/// Entropy in bits, -sum p_k log2 p_k. Quinlan (1986).
struct Entropy : AnyCriterion {
    static constexpr std::string_view name = "entropy";
    static constexpr Counted counted = Counted::logarithms;
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double spread = x_log2_x(weight);
        for (std::size_t k = 0; k < width; ++k)
            spread -= x_log2_x(sum[k]);
        return std::max(spread, 0.0);
    }
    template <class Scale>
    static double null_gain(double bits_per_case, Scale&&) noexcept {
        return bits_per_case;
    }
};

/// Share of the cases that are not of the most frequent class, 1 - max p_k.
struct Error : AnyCriterion {
    static constexpr std::string_view name = "error";
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        return weight - *std::max_element(sum, sum + width);
    }
    MARGIN_INLINED static float rough_loss(float a, float b, float rest_a, float rest_b) noexcept {
        return std::min(a, b) + std::min(rest_a, rest_b);
    }
    /// Shares that are off by x lower Gini by 2 x^2 and the error by up to x.
    template <class Scale>
    static double null_gain(double bits_per_case, Scale&& scale) noexcept {
        return std::sqrt(chi_squared_gain(bits_per_case, scale()) / 2);
    }
};

using ClassCriteria = OneOf<Gini, Entropy, Error>;

/// Sum of squared deviations from the mean, but for the sum of squares, which no split changes.
struct SquaredError : AnyCriterion {
    static constexpr std::string_view name = "squared_error";
    static constexpr bool is_mean(std::size_t) noexcept { return true; }
    static constexpr int unit_power = 2;
    static double loss(const double* sum, std::size_t, double weight) noexcept {
        return weight > 0 ? -sum[1] * sum[1] / weight : 0.0;
    }
    template <class Scale>
    static double null_gain(double bits_per_case, Scale&& scale) noexcept {
        return chi_squared_gain(bits_per_case, scale());
    }
};

/// Sum of absolute deviations from the median; not a function of sums, so its scans keep the ranks of the targets.
struct AbsoluteError : AnyCriterion {
    static constexpr std::string_view name = "absolute_error";
    static constexpr Statistic statistic = Statistic::medians;
    static constexpr int unit_power = 1;
};

using ValueCriteria = OneOf<SquaredError, AbsoluteError>;

} // namespace margin::tree
