#pragma once
// Columns along which values may only rise, or only fall: the bounds that nodes hand down to their branches.
#include "margin/tree/exact/node.hpp"
#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace margin::tree {

/// What is bounded: the share of the second of two classes, or the mean (less the overall mean).
template <class Target>
double bounded_value(const double* sum, double weight) noexcept {
    return sum[1] / weight;
}

/// Whether the values of two branches keep to the order (way 1: rising, -1: falling) and to the bounds of the node.
template <class Target>
bool keeps_order(const Node<Target>& node, std::int8_t way, const double* low, double low_weight, const double* high,
                 double high_weight) noexcept {
    const double a = bounded_value<Target>(low, low_weight), b = bounded_value<Target>(high, high_weight);
    return (a - b) * way <= 0 && std::min(a, b) >= node.lowest && std::max(a, b) <= node.highest;
}

struct Bounds {
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
};

/// The bounds of branch 0 or 1 of a split on a column with this way: the middle between the values of the two.
inline Bounds hand_down(Bounds node, std::int8_t way, std::size_t branch, double middle) noexcept {
    if (way == 0)
        return node;
    if ((branch == 0) == (way > 0))
        node.highest = middle;
    else
        node.lowest = middle;
    return node;
}

} // namespace margin::tree
