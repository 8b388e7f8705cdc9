#pragma once
// Neighbours where the distances are given: a row of the matrix is a case, a column a training row.
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include "margin/neighbors/distances/found_lists.hpp"
#include <algorithm>

namespace margin::neighbors {

/// Cases that a thread takes at a time: some 0.1 ms of work.
inline std::size_t cases_at_once(std::size_t columns) { return std::max<std::size_t>(1, (1 << 17) / (columns + 1)); }

/// The k smallest distances of each case, smallest first, and their columns; of equal ones the smaller column first.
/// Requires 1 <= k <= columns, no NaN. O(cells + cases k log k).
inline void nearest_given(MatrixView<const double> cells, std::size_t k, double* distance, std::int64_t* place,
                          std::size_t n_threads, Monitor& monitor) {
    const auto look = [&](std::size_t begin, std::size_t end, std::size_t) {
        Nearest best(k);
        for (std::size_t q = begin; q < end; ++q) {
            best.clear();
            for (std::size_t j = 0; j < cells.columns(); ++j)
                best.offer(cells.row(q)[j], static_cast<std::int64_t>(j));
            const auto& found = best.sorted();
            for (std::size_t i = 0; i < k; ++i) {
                distance[q * k + i] = found[i].distance;
                place[q * k + i] = found[i].row;
            }
        }
    };
    parallel_for(cells.rows(), cases_at_once(cells.columns()), n_threads, monitor, look);
}

/// All columns at a distance of at most its radius from each case, in the order of nearest_given.
inline FoundLists within_given(MatrixView<const double> cells, Radii radius, std::size_t n_threads, Monitor& monitor) {
    std::vector<std::vector<Found>> lists(cells.rows());
    const auto look = [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t q = begin; q < end; ++q) {
            for (std::size_t j = 0; j < cells.columns(); ++j)
                if (cells.row(q)[j] <= radius[q])
                    lists[q].push_back({cells.row(q)[j], static_cast<std::int64_t>(j)});
            std::sort(lists[q].begin(), lists[q].end());
        }
    };
    parallel_for(cells.rows(), cases_at_once(cells.columns()), n_threads, monitor, look);
    return end_to_end(lists, [](double distance) { return distance; });
}

} // namespace margin::neighbors
