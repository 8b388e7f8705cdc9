#pragma once
// What every search for a split is given: the cases of a node, their sums, and how the tree is grown.
#include "margin/tree/settings.hpp"
#include "margin/tree/targets/criterion.hpp"
#include "segment.hpp"
#include <cmath>
#include <cstdint>
#include <vector>

namespace margin::tree {

template <class Target>
struct Node {
    const Segment<Target>& cases;
    const std::vector<Column>& columns;
    const Settings& settings;
    std::size_t width;       // of a sum
    std::vector<double> sum; // over all cases of the node
    double weight;           // of all cases of the node
    double loss;             // of the sum, under the criterion the tree is grown with
    // Values must stay between these where columns are monotone; for two classes the share of the second one.
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    double all = 0;                   // weight of all rows the tree is grown from
    std::uint64_t seed = 0, path = 0; // of random splits: the tree's, and a number for the way from the root
};

/// Whether a branch may be so small. Weights that are parts of cases are rounded, so a part in a thousand million less
/// is not held against them.
inline bool large_enough(const Settings& settings, std::size_t n, double weight) noexcept {
    const double slack = settings.missing == MissingSplit::fractional ? 1e-9 * settings.min_leaf_weight : 0.0;
    return n >= settings.min_leaf && weight >= settings.min_leaf_weight - slack;
}

/// Entropy in bits of a division into parts of these weights.
template <class Weights>
double split_information(const Weights& weights) noexcept {
    double total = 0, spread = 0;
    for (const double w : weights) {
        total += w;
        spread -= x_log2_x(w);
    }
    return total > 0 ? std::max((spread + x_log2_x(total)) / total, 0.0) : 0.0;
}

} // namespace margin::tree
