#pragma once
// Columns that each have memory of their own: their levels counted, and laid side by side.
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace margin::data {

/// How often each level occurs; codes of -1 are left out. Requires -1 <= code < n_levels. O(n + n_levels) time.
inline std::vector<std::int64_t> level_counts(const std::int32_t* codes, std::size_t n, std::size_t n_levels,
                                              std::size_t n_threads, Monitor& monitor) {
    const std::size_t block = std::max<std::size_t>(1 << 16, 4 * n_levels);
    return reduce_in_order(
        n, block, n_threads, monitor, [=] { return std::vector<std::int64_t>(n_levels); },
        [=](std::vector<std::int64_t>& total, std::size_t begin, std::size_t end) {
            // An increment waits for the one before if both meet the same counter: neighbours use different tables.
            // Code -1 counts in a place before the first.
            constexpr std::size_t tables = 4;
            const std::size_t width = n_levels + 1;
            std::vector<std::uint32_t> counters(tables * width);
            std::uint32_t* table[tables];
            for (std::size_t t = 0; t < tables; ++t)
                table[t] = counters.data() + t * width + 1;
            std::size_t i = begin;
            for (; i + tables <= end; i += tables)
                for (std::size_t t = 0; t < tables; ++t)
                    ++table[t][codes[i + t]];
            for (; i < end; ++i)
                ++table[0][codes[i]];
            for (std::size_t level = 0; level < n_levels; ++level)
                for (std::size_t t = 0; t < tables; ++t)
                    total[level] += table[t][level];
        },
        [](std::vector<std::int64_t>& total, const std::vector<std::int64_t>& part) {
            for (std::size_t level = 0; level < total.size(); ++level)
                total[level] += part[level];
        });
}

/// matrix[i][j] = columns[j][i]. Tiles of a few rows, written while they are in the cache. O(rows columns) time.
inline void side_by_side(const std::vector<const double*>& columns, std::size_t rows, double* matrix,
                         std::size_t n_threads, Monitor& monitor) {
    const std::size_t width = columns.size();
    constexpr std::size_t tile_rows = 16, tile_columns = 64;
    const std::size_t block = tile_rows * std::max<std::size_t>((1 << 12) / std::max<std::size_t>(width, 1), 1);
    parallel_for(rows, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t top = begin; top < end; top += tile_rows)
            for (std::size_t left = 0; left < width; left += tile_columns) {
                const std::size_t bottom = std::min(top + tile_rows, end), right = std::min(left + tile_columns, width);
                for (std::size_t j = left; j < right; ++j)
                    for (std::size_t i = top; i < bottom; ++i)
                        matrix[i * width + j] = columns[j][i];
            }
    });
}

} // namespace margin::data
