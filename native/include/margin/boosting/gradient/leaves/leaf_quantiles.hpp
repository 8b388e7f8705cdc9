#pragma once
// Leaves that are quantiles of residuals, and how they are bound where the answer must rise or fall with a column.
#include "margin/boosting/gradient/grown_tree.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace margin::boosting {

/// Numbers and their weights.
using Weighted = std::vector<std::pair<double, double>>;

/// The least number that has the share of all weight at or below it; 0 of no numbers.
inline double weighted_quantile(Weighted& numbers, double share) {
    if (numbers.empty())
        return 0;
    std::ranges::sort(numbers);
    double total = 0, sum = 0;
    for (const auto& [number, weight] : numbers)
        total += weight;
    for (const auto& [number, weight] : numbers)
        if ((sum += weight) >= share * total * (1 - 1e-12))
            return number;
    return numbers.back().first;
}

/// Values of all leaves from the residuals at each of them (`at`, by node). From the root on, no leaf on one side of a
/// question about a bound column may pass the middle of what both sides say: bounds found while the tree was grown
/// are in the unit of -G / H, and say nothing of quantiles.
inline void bind_quantiles(GrownTree& tree, std::vector<Weighted> at, const std::vector<std::int8_t>& monotone,
                           double share) {
    struct Bound {
        double value = 0;
        double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
        double within() const noexcept { return std::clamp(value, low, high); }
    };
    std::vector<Bound> bound(tree.size());
    for (std::size_t k = tree.size(); k-- > 0;) { // branches come behind their node
        if (!tree[k].is_leaf())
            for (const std::size_t branch : {tree[k].first, tree[k].first + 1}) {
                at[k].insert(at[k].end(), at[branch].begin(), at[branch].end());
                at[branch] = {};
            }
        bound[k].value = weighted_quantile(at[k], share);
    }
    for (std::size_t k = 0; k < tree.size(); ++k) {
        if (tree[k].is_leaf()) {
            tree[k].value = bound[k].within();
            continue;
        }
        Bound &low = bound[tree[k].first], &high = bound[tree[k].first + 1];
        for (Bound* const branch : {&low, &high}) {
            branch->low = bound[k].low;
            branch->high = bound[k].high;
        }
        const int sign = tree[k].split.nominal ? 0 : monotone[tree[k].split.column];
        if (sign == 0)
            continue;
        const double middle = low.within() / 2 + high.within() / 2;
        (sign > 0 ? low.high : low.low) = (sign > 0 ? high.low : high.high) = middle;
    }
}

} // namespace margin::boosting
