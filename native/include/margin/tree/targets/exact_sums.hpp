#pragma once
// Numbers rounded to a grid on which all their sums are exact, so that no sum depends on the order of the rows.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace margin::tree {

__extension__ using wide_t = __int128;

/// sum x_i to about 80 bits below the largest |x_i|, the same for any order of the numbers. n < 2^40.
inline double total_in_any_order(std::span<const double> x) {
    double largest = 0;
    for (const double v : x)
        largest = std::max(largest, std::abs(v));
    int exponent = 0;
    std::frexp(largest, &exponent);
    wide_t total = 0;
    for (const double v : x)
        total += static_cast<wide_t>(std::ldexp(v, 80 - exponent));
    return std::ldexp(static_cast<double>(total), exponent - 80);
}

/// The distance between the points of the finest grid, a power of two, on which all sums of numbers with this total
/// magnitude are exact in double. One bit is to spare for what rounding adds.
inline double grid_step(double total_magnitude) {
    int exponent = 0;
    std::frexp(total_magnitude, &exponent);
    return std::max(std::ldexp(1.0, exponent - 52), std::ldexp(1.0, -1074)); // no finer than doubles themselves
}

/// Weights on the grid of their total. Whole numbers up to a total of 2^52 stay as they are, and no weight becomes 0.
/// Requires weights above 0 with a total below 2^1000. O(n).
template <class Weights>
void round_weights(Weights& weight) {
    if (weight.empty())
        return;
    const double step = grid_step(total_in_any_order(weight));
    for (double& w : weight)
        w = std::max(std::nearbyint(w / step) * step, step);
}

} // namespace margin::tree
