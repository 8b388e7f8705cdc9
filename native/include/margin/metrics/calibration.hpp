#pragma once
// Confidence and success added up over bins of confidence.
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::metrics {

/// Of each bin: the weight of its cases, their confidence and how much of the weight was right.
struct BinSums {
    std::vector<double> weight, confidence, right;
};

/// Sums by bin (edges[b], edges[b + 1]], the lowest edge included in the first; what lies outside goes to the nearest
/// bin. Requires at least two edges, ascending. `weight` may be null. The same bits for any number of threads.
/// O(n) where the edges are about evenly spaced between 0 and 1, O(n bins) at worst.
inline BinSums calibration_bins(const double* confidence, std::ptrdiff_t stride, const std::uint8_t* right,
                                const double* weight, std::size_t n, const std::vector<double>& edges,
                                std::size_t n_threads, Monitor& monitor) {
    const std::size_t bins = edges.size() - 1;
    const auto bin_of = [&](double x) {
        const double guess = x * static_cast<double>(bins);
        std::size_t at = guess > 0 ? std::min(static_cast<std::size_t>(std::min(guess, 1e9)), bins - 1) : 0;
        while (at > 0 && x <= edges[at])
            --at;
        while (at + 1 < bins && x > edges[at + 1])
            ++at;
        return at;
    };
    const auto make = [&] {
        return BinSums{std::vector<double>(bins), std::vector<double>(bins), std::vector<double>(bins)};
    };
    return reduce_in_order(
        n, std::max<std::size_t>(1 << 15, 16 * bins), n_threads, monitor, make,
        [&](BinSums& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const double x = confidence[static_cast<std::ptrdiff_t>(i) * stride], w = weight ? weight[i] : 1.0;
                const std::size_t at = bin_of(x);
                part.weight[at] += w;
                part.confidence[at] += w * x;
                part.right[at] += right[i] ? w : 0.0;
            }
        },
        [&](BinSums& total, const BinSums& part) {
            for (std::size_t b = 0; b < bins; ++b) {
                total.weight[b] += part.weight[b];
                total.confidence[b] += part.confidence[b];
                total.right[b] += part.right[b];
            }
        });
}

} // namespace margin::metrics
