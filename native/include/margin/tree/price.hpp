#pragma once
// What a split pays for having been chosen among many: so much would be gained by chance alone.
#include "mean.hpp"
#include "node.hpp"
#include <algorithm>
#include <cstddef>
#include <numbers>

namespace margin::tree {

/// Impurity over degrees of freedom: n gain / this is like chi-squared where the target depends on nothing.
template <class Criterion>
double chance_scale(const Node<Classes>& node) noexcept {
    const auto n_classes = static_cast<double>(std::ranges::count_if(node.sum, [](double w) { return w > 0; }));
    return node.loss / node.weight / std::max(n_classes - 1, 1.0);
}
template <class Criterion>
double chance_scale(const Node<Values>& node) noexcept {
    const double* weight = node.cases.weight.empty() ? nullptr : node.cases.weight.data();
    return spread_of(node.cases.target.data(), weight, node.cases.n, node.weight).variance;
}

/// The price, as a gain, of having chosen one of 2^bits splits: bits per case, as in Quinlan (1996). Gains of other
/// criteria are converted by what chance makes of them, a bit of entropy being 2 log 2 of chi-squared. O(1), for numbers
/// O(n).
template <class Criterion, class Target>
double price(const Node<Target>& node, double bits) noexcept {
    const auto n = static_cast<double>(node.cases.n);
    if constexpr (std::is_same_v<Criterion, Entropy>)
        return bits / n;
    else
        return bits == 0 ? 0.0 : 2 * std::numbers::ln2 * chance_scale<Criterion>(node) * bits / n;
}

} // namespace margin::tree
