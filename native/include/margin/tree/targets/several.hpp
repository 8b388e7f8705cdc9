#pragma once
// Several targets per case, learnt by one tree: a loss is the mean of those of the single targets.
//
// Sums begin with the weight; what follows needs no bounds between the outputs, since their weights add up to the number of
// outputs times the weight. Items point to rows that the caller keeps alive as long as the tree is grown.
#include "criterion.hpp"
#include "margin/tree/exact/fractional_cases.hpp"
#include "margin/tree/exact/node.hpp"
#include "mean.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace margin::tree {

/// One class of each of several outputs per case. A sum is the weight, and the weight of each class of each output.
struct SeveralClasses {
    struct Item {
        const std::uint32_t* place; // in a sum, of the class of each output
        std::uint32_t n;            // outputs
    };
    static constexpr bool several = true, counts = true;
    std::size_t n_classes = 0, n_outputs = 1; // classes of all outputs together
    std::size_t width() const noexcept { return n_classes + 1; }
    std::size_t value_width() const noexcept { return n_classes; }
    static void add(double* sum, const Item& item, double w) noexcept {
        sum[0] += w;
        for (std::uint32_t o = 0; o < item.n; ++o)
            sum[item.place[o]] += w;
    }
    static double weight(const double* sum, std::size_t) noexcept { return sum[0]; }
};

/// Several numbers per case. A sum is the weight, and the weighted sum of each, on grids as those of Values.
struct SeveralValues {
    struct Item {
        const double* y; // and behind them the parts
        std::uint32_t n; // of either
        const double* parts() const noexcept { return y + n; }
    };
    static constexpr bool several = true, counts = false;
    std::size_t n_outputs = 1;
    std::size_t width() const noexcept { return n_outputs + 1; }
    std::size_t value_width() const noexcept { return n_outputs; }
    static void add(double* sum, const Item& item, double w) noexcept {
        sum[0] += w;
        for (std::uint32_t o = 0; o < item.n; ++o)
            sum[o + 1] += item.parts()[o];
    }
    static double weight(const double* sum, std::size_t) noexcept { return sum[0]; }
};

/// The mean of the Gini indices of the outputs, 1 - sum over all classes of w_k^2 / W / (m W); m W is the sum of all w_k.
struct SeveralGini : AnyCriterion {
    static constexpr std::string_view name = Gini::name;
    static constexpr Counted counted = Counted::squares;
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double squares = 0, total = 0;
        for (std::size_t k = 1; k < width; ++k) {
            squares += sum[k] * sum[k];
            total += sum[k];
        }
        return total > 0 ? weight - squares / total : 0.0;
    }
};

/// The mean of the entropies of the outputs.
struct SeveralEntropy : AnyCriterion {
    static constexpr std::string_view name = Entropy::name;
    static constexpr Counted counted = Counted::logarithms;
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double spread = 0, total = 0;
        for (std::size_t k = 1; k < width; ++k) {
            spread += x_log2_x(sum[k]);
            total += sum[k];
        }
        return total > 0 ? std::max(x_log2_x(weight) - weight / total * spread, 0.0) : 0.0;
    }
};

/// The mean of the squared errors of the outputs, but for the sums of squares, which no split changes.
struct SeveralSquaredError : AnyCriterion {
    static constexpr std::string_view name = SquaredError::name;
    static constexpr int unit_power = SquaredError::unit_power;
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double squares = 0;
        for (std::size_t o = 1; o < width; ++o)
            squares += sum[o] * sum[o];
        return weight > 0 ? -squares / weight / static_cast<double>(width - 1) : 0.0;
    }
};

using SeveralClassCriteria = OneOf<SeveralGini, SeveralEntropy>;
using SeveralValueCriteria = OneOf<SeveralSquaredError>;

/// Whether all cases have the same targets. Requires cases.
inline bool is_pure(const Segment<SeveralClasses>& cases, const std::vector<double>& sum) noexcept {
    const auto n_present = std::count_if(sum.begin() + 1, sum.end(), [](double w) { return w > 0; });
    return static_cast<std::size_t>(n_present) <= cases.target.front().n;
}
inline bool is_pure(const Segment<SeveralValues>& cases, const std::vector<double>&) noexcept {
    const auto& first = cases.target.front();
    return std::ranges::all_of(cases.target, [&](const SeveralValues::Item& item) {
        return item.y == first.y || std::equal(item.y, item.y + item.n, first.y);
    });
}

/// What a node answers, and its impurity.
inline void describe_several(const Node<SeveralClasses>& node, double* value, double& impurity) {
    std::copy(node.sum.begin() + 1, node.sum.end(), value);
    impurity = node.weight > 0 ? node.loss / node.weight : 0.0;
}

/// Means in twice the precision of a double, as those of one output. O(n outputs).
inline void describe_several(const Node<SeveralValues>& node, double* value, double& impurity) {
    const auto& cases = node.cases;
    const std::size_t m = node.width - 1;
    impurity = 0;
    std::vector<Values::Item> column(cases.n);
    const double* weight = cases.weight.empty() ? nullptr : cases.weight.data();
    for (std::size_t o = 0; o < m; ++o) {
        for (std::size_t i = 0; i < cases.n; ++i)
            column[i].y = cases.target[i].y[o];
        const Spread spread = spread_of(column.data(), weight, cases.n, node.weight);
        value[o] = spread.mean;
        impurity += spread.variance / static_cast<double>(m);
    }
}

/// Classes of a case in parts are those of the case. Numbers would need sums of their own: callers refuse that.
inline SeveralClasses::Item part_of(const SeveralClasses::Item& item, double, const Steps&) noexcept { return item; }
inline SeveralValues::Item part_of(const SeveralValues::Item& item, double, const Steps&) noexcept { return item; }

/// The rows behind items: for each case the places of its classes in a sum, those of output o behind those before it.
inline std::vector<std::uint32_t> class_places(MatrixView<const std::int32_t> y,
                                               std::span<const std::int64_t> n_classes) {
    const std::size_t m = y.columns();
    std::vector<std::uint32_t> first(m, 1), places(y.rows() * m);
    for (std::size_t o = 1; o < m; ++o)
        first[o] = first[o - 1] + static_cast<std::uint32_t>(n_classes[o - 1]);
    for (std::size_t i = 0; i < y.rows(); ++i)
        for (std::size_t o = 0; o < m; ++o)
            places[i * m + o] = first[o] + static_cast<std::uint32_t>(y(i, o));
    return places;
}

/// The same for numbers: those of a case, and behind them what they add to sums.
inline std::vector<double> values_and_parts(MatrixView<const double> y, std::span<const double> weight) {
    const std::size_t n = y.rows(), m = y.columns();
    std::vector<double> rows(2 * n * m), column(n);
    for (std::size_t o = 0; o < m; ++o) {
        for (std::size_t i = 0; i < n; ++i)
            column[i] = y(i, o);
        const auto items = value_items(column, weight, centre_of(column, weight));
        for (std::size_t i = 0; i < n; ++i) {
            rows[2 * i * m + o] = items[i].y;
            rows[2 * i * m + m + o] = items[i].part;
        }
    }
    return rows;
}

} // namespace margin::tree
