#pragma once
// What a split pays for having been chosen among many: so much would be gained by chance alone.
#include "margin/tree/exact/node.hpp"
#include "mean.hpp"
#include <algorithm>

namespace margin::tree {

/// Impurity over degrees of freedom: n gain / this is like chi-squared where the target depends on nothing. Gini for
/// classes, the variance for numbers.
inline double chance_scale(const Node<Classes>& node) noexcept {
    const auto n_classes = static_cast<double>(std::ranges::count_if(node.sum, [](double w) { return w > 0; }));
    return Gini::loss(node.sum.data(), node.width, node.weight) / node.weight / std::max(n_classes - 1, 1.0);
}
inline double chance_scale(const Node<Values>& node) noexcept {
    if (node.cases.target.empty()) // rows in bins keep no more than sums: nothing is charged
        return 0;
    const double* weight = node.cases.weight.empty() ? nullptr : node.cases.weight.data();
    return spread_of(node.cases.target.data(), weight, node.cases.n, node.weight).variance;
}

/// The price, as a gain, of having chosen one of 2^bits splits: bits per case, as in Quinlan (1996). Gains of other
/// criteria are converted by what chance makes of them. O(K), for numbers O(n).
template <class Criterion, class Target>
double price(const Node<Target>& node, double bits) noexcept {
    if constexpr (Target::several) // nothing is charged: callers refuse to ask for it
        return 0;
    else
        return bits == 0
                   ? 0.0
                   : Criterion::null_gain(bits / static_cast<double>(node.cases.n), [&] { return chance_scale(node); });
}

} // namespace margin::tree
