#pragma once
// Rows of a node dealt out to its branches.
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace margin::boosting {

/// Deal items out from one place to another, those of which is_low(item) first; both keep their order. `side` has room
/// for a byte each. Returns how many are low.
template <class Item, class IsLow>
std::size_t deal_rows(std::span<const Item> from, Item* to, std::uint8_t* side, IsLow&& is_low, std::size_t threads,
                      Monitor& monitor) {
    constexpr std::size_t block = 16384;
    const std::size_t n = from.size();
    if (n == 0)
        return 0;
    std::vector<std::size_t> low_before((n - 1) / block + 2);
    const std::size_t n_threads = n < 2 * block ? 1 : threads;
    parallel_for(n, block, n_threads, monitor, [&](std::size_t first, std::size_t last, std::size_t) {
        std::size_t count = 0;
        for (std::size_t i = first; i < last; ++i)
            count += side[i] = is_low(from[i]);
        low_before[first / block + 1] = count;
    });
    std::partial_sum(low_before.begin(), low_before.end(), low_before.begin());
    const std::size_t n_low = low_before.back();
    parallel_for(n, block, n_threads, monitor, [&](std::size_t first, std::size_t last, std::size_t) {
        Item* lower = to + low_before[first / block];
        Item* higher = to + n_low + first - low_before[first / block];
        for (std::size_t i = first; i < last; ++i) { // no branch on the side: it cannot be foretold
            const bool is = side[i];
            *(is ? lower : higher) = from[i];
            lower += is;
            higher += !is;
        }
    });
    return n_low;
}

} // namespace margin::boosting
