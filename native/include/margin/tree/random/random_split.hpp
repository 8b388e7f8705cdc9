#pragma once
// Splits drawn at random instead of sought: of all columns looked at, the best of those wins.
// Geurts, Ernst, Wehenkel (2006), "Extremely randomized trees".
#include "margin/core/random.hpp"
#include <cstddef>
#include <cstdint>

namespace margin::tree {

/// The random numbers of one column in one node: the same whatever other columns are looked at, and in which order.
inline Stream split_stream(std::uint64_t seed, std::uint64_t path, std::size_t column) noexcept {
    return {seed ^ 0x9E3779B97F4A7C15 * (column + 1), path};
}

/// A threshold between the smallest and the largest number of a node, uniformly; never as large as the second, so that
/// both sides hold something. Requires lowest < highest.
inline double drawn_between(double lowest, double highest, std::uint64_t seed, std::uint64_t path,
                            std::size_t column) noexcept {
    const double u = split_stream(seed, path, column).uniform01();
    const double t = lowest * (1 - u) + highest * u; // their distance may be no double
    return lowest <= t && t < highest ? t : lowest;
}

} // namespace margin::tree
