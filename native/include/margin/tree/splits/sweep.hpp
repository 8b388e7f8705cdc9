#pragma once
// One pass over the known cells of a column in ascending order: behind each code a threshold may stand.
#include "margin/core/simd.hpp"
#include "margin/tree/exact/segment.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// What a pass is given. A threshold at i sends entries[0 ... i] low. Behind the last known entry comes a missing one,
/// if there are any, whose code differs from all others.
struct Sweep {
    const Entry* entries;
    std::size_t first, last;       // thresholds may stand at first ... last - 1
    std::size_t n_low, n_all;      // cases on the low side beforehand (missing ones sent there), and on both sides
    const double *low, *all;       // their sums
    double low_weight, all_weight; // and weights
    double least_weight;           // of either side
};

/// The best threshold of a pass; the sum of the low side is in Scratch::best.
struct Cut {
    bool found = false;
    std::size_t at = 0;
    double low_weight = 0;
};

/// Codes are looked at in blocks, so that scores of neighbours are found in one go.
inline constexpr std::size_t sweep_block = 256;

/// What passes write to while they run; one for each worker.
struct Scratch {
    std::array<std::int32_t, sweep_block> counts;
    std::array<double, sweep_block> sums, weights, scores;
    std::array<std::int64_t, sweep_block> low_parts, high_parts;
    std::vector<double> low, high, best, none, absent, known;
    std::vector<std::int32_t> class_counts, high_counts, block_counts, best_counts;
};

/// Where in a block of scores the largest one first appears.
template <class Score>
std::size_t place_of(const Score* scores, std::size_t n, Score largest) noexcept {
    return static_cast<std::size_t>(std::find(scores, scores + n, largest) - scores);
}

} // namespace margin::tree
