#pragma once
// Whether the cells of a matrix can be used.
#include "margin/core/threads.hpp"
#include <cmath>
#include <cstdint>
#include <limits>

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

} // namespace margin::data
