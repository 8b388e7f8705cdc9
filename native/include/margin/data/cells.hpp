#pragma once
// Whether the cells of a matrix can be used.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace margin::data {

constexpr std::int64_t clean = -1;
constexpr std::int64_t clean_but_missing = -2;

/// Whether a matrix of `n` cells can be used: the flat position of the first cell that is infinite or larger than
/// `largest` in magnitude; else `clean`, or `clean_but_missing` if some cells are NaN. O(n) time.
template <class T>
std::int64_t inspect(const T* cells, std::size_t n, T largest, std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t block = 1 << 15;
    struct Found {
        bool missing = false, bad = false;
    };
    const auto look = [=](Found& found, std::size_t begin, std::size_t end) {
        // NaN compares as false, so a NaN is neither small nor large: count both sides and look at the rest.
        std::size_t small = 0, large = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const T magnitude = std::abs(cells[i]);
            small += magnitude <= largest;
            large += magnitude > largest;
        }
        found.bad |= large > 0;
        found.missing |= small + large < end - begin;
    };
    Found found;
    if (n <= block)
        look(found, 0, n);
    else
        found = reduce_in_order(
            n, block, n_threads, monitor, [] { return Found{}; }, look,
            [](Found& total, Found part) {
                total.bad |= part.bad;
                total.missing |= part.missing;
            });
    if (!found.bad)
        return found.missing ? clean_but_missing : clean;
    for (std::size_t i = 0;; ++i)
        if (std::abs(cells[i]) > largest)
            return static_cast<std::int64_t>(i);
}

/// Whether no cell is missing, infinite or above `largest` in magnitude: for kernels that look at cells while they have
/// them in the cache.
template <class T>
MARGIN_SIMD_LOOK bool all_within(const T* cells, std::size_t n, T largest) {
    std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t> beyond = 0;
    for (std::size_t c = 0; c < n; ++c)
        beyond += !(std::abs(cells[c]) <= largest);
    return beyond == 0;
}

} // namespace margin::data
