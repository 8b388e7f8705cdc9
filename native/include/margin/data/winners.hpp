#pragma once
// The place of the largest number of each row.
#include "margin/core/threads.hpp"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::data {

/// The column of each row's largest number, the first of equal ones. Requires columns > 0. O(rows columns) time.
inline std::vector<std::int64_t> winners(const double* scores, std::size_t rows, std::size_t columns,
                                         std::size_t n_threads, Monitor& monitor) {
    std::vector<std::int64_t> found(rows);
    parallel_for(rows, 4096, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            const double* row = scores + i * columns;
            std::size_t best = 0;
            for (std::size_t k = 1; k < columns; ++k)
                best = row[k] > row[best] ? k : best;
            found[i] = static_cast<std::int64_t>(best);
        }
    });
    return found;
}

} // namespace margin::data
