#pragma once
// Mean and spread of the targets of a node, in twice the precision of a double.
#include "exact_sums.hpp"
#include "margin/tree/exact/segment.hpp"
#include <cstddef>
#include <span>

namespace margin::tree {

struct Spread {
    double mean = 0;
    double variance = 0; // mean squared deviation
    bool constant = true;
};

/// Weighted mean of the targets and the mean square of what is left. Equal targets give exactly that number.
/// No weights are weights of 1. Requires n > 0 and the sum of the weights in `total`. O(n).
Spread spread_of(const Values::Item* item, const double* weight, std::size_t n, double total) noexcept;

/// A number near the weighted mean of the targets, the same for any order of the rows, and (but for bad luck) for rows
/// that are repeated and rows with whole weights: rounded to a 2^24th of the range.
double centre_of(std::span<const double> y, std::span<const double> weight);

/// Targets as items: what each adds to the sums of a node is weight times deviation from the centre, on a grid on which
/// all sums are exact. Requires weights that are empty or as many as targets, on a grid of their own.
/// Deviations are rounded before whole weights multiply them, so that these add up to as many repeated rows.
Buffer<Values::Item> value_items(std::span<const double> y, std::span<const double> weight, double centre);

} // namespace margin::tree
