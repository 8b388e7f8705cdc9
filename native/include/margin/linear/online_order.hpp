#pragma once
// The order in which a shuffled pass visits rows.
#include "margin/core/random.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace margin::linear {

/// Up to so many rows all orders are equally likely.
constexpr std::size_t rows_to_shuffle = 1 << 14;
constexpr std::size_t rows_per_block = 8, rows_per_window = 1024;

/// A random order of 0 … n - 1 for one pass; another for each pass. Requires n below 2^32. O(n).
///
/// Rows far apart in memory cost three times as much to read as neighbours. Where there are many, blocks of eight
/// neighbours are drawn in random order, and then all rows of 128 such blocks in random order: rows that are visited
/// shortly after one another come from 128 places all over the data, and eight neighbours never stand together.
inline std::vector<std::uint32_t> shuffled_visits(std::size_t n, std::uint64_t seed, std::uint64_t pass) {
    Stream stream(seed, pass);
    std::vector<std::uint32_t> order(n);
    if (n <= rows_to_shuffle) {
        std::iota(order.begin(), order.end(), 0u);
        stream.shuffle(std::span(order));
        return order;
    }
    std::vector<std::uint32_t> blocks((n + rows_per_block - 1) / rows_per_block);
    std::iota(blocks.begin(), blocks.end(), 0u);
    stream.shuffle(std::span(blocks));
    std::size_t filled = 0;
    for (const std::size_t block : blocks)
        for (std::size_t row = block * rows_per_block; row < std::min(n, (block + 1) * rows_per_block); ++row)
            order[filled++] = static_cast<std::uint32_t>(row);
    for (std::size_t first = 0; first < n; first += rows_per_window)
        stream.shuffle(std::span(order).subspan(first, std::min(rows_per_window, n - first)));
    return order;
}

} // namespace margin::linear
