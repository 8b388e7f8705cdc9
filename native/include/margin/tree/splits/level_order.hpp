#pragma once
// Orders of levels, in which the best division into two subsets is sought as a threshold.
#include "groups.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::tree {

/// A level and what it is ordered by.
struct Ranking {
    double key;
    std::uint32_t level;
};

/// Sort by key, of equal keys by level. Requires levels in ascending order. O(L log L), for most keys O(L).
void sort_by_key(std::vector<Ranking>& order);

/// By the share of the second of two classes, or by the mean: sum[1] / weight is either.
///
/// The loss of both sides together is concave in the sums of one side, so it is smallest at a corner of the polygon of
/// all such sums, and corners are the divisions at a threshold on sum[1] / weight: no other subset is better (Breiman
/// et al. 1984, theorem 4.5; for Gini, entropy, error and squared error, and with missing cells on either side). For
/// error others may be as good.
void order_by_share(const Groups& levels, std::vector<Ranking>& order);

/// The direction in which the rows of a matrix vary most, by power iteration from its longest row. O(rows width).
std::vector<double> main_direction(std::span<const double> rows, std::size_t width);

/// By the first principal component of the class shares of the levels, each counted by its weight: for more than two
/// classes the best threshold in this order is seldom far from the best subset (Coppersmith, Hong, Hosking 1999).
/// O(levels (K + log levels)).
void order_by_component(const Groups& levels, std::span<const double> whole, double whole_weight,
                        std::vector<Ranking>& order);

} // namespace margin::tree
