#pragma once
// Exact nearest neighbours by looking at every row.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include "margin/neighbors/distance.hpp"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::neighbors {

/// The k best rows so far, best first. Rows arrive in ascending order, so a later row at an equal distance comes after:
/// ties go to the smaller row number.
template <class T>
class NearestOfOrdered {
public:
    explicit NearestOfOrdered(std::size_t k) : distance_(k, std::numeric_limits<T>::infinity()), row_(k, -1) {}

    /// `n` rows from number `first` on.
    void offer(const T* distances, std::size_t n, std::int64_t first) {
        for (std::size_t i = 0; i < n; ++i)
            if (distances[i] < distance_.back() || row_.back() < 0)
                insert(distances[i], first + static_cast<std::int64_t>(i));
    }

    T distance(std::size_t i) const { return distance_[i]; }
    std::int64_t row(std::size_t i) const { return row_[i]; }

private:
    void insert(T distance, std::int64_t row) {
        std::size_t at = distance_.size() - 1;
        for (; at > 0 && (row_[at - 1] < 0 || distance < distance_[at - 1]); --at) {
            distance_[at] = distance_[at - 1];
            row_[at] = row_[at - 1];
        }
        distance_[at] = distance;
        row_[at] = row;
    }

    std::vector<T> distance_;
    std::vector<std::int64_t> row_;
};

/// Rows side by side, sixteen to a block: block b holds columns one after another, each with the cells of rows
/// 16 b … 16 b + 15, and columns of zeros up to a multiple of four. A query then meets sixteen rows at once, and
/// nothing has to be added up across a register.
inline constexpr std::size_t block_rows = 16;
inline constexpr std::size_t column_group = 4;

/// Unfinished distances from one query to the rows of `n` blocks, columns joined from first to last: the same bits on
/// every instruction set and in every batch. Requires columns % 4 == 0.
/// Four columns at a time: with one, GCC writes the sums to memory after each and is six times slower.
template <class D, class T>
MARGIN_SIMD void distances_to(const T* __restrict query, const T* __restrict cells, std::size_t n, std::size_t columns,
                              double p, T* __restrict out) {
    const auto step = [p](T sum, T d) { return D::join(sum, D::term(d, p)); };
    for (std::size_t b = 0; b < n; ++b, out += block_rows) {
        const T* block = cells;
        for (std::size_t l = 0; l < block_rows; ++l)
            out[l] = 0; // every term is at least 0, so that 0 joins without a trace
        for (std::size_t j = 0; j < columns; j += column_group, cells += column_group * block_rows) {
            const T q0 = query[j], q1 = query[j + 1], q2 = query[j + 2], q3 = query[j + 3];
            for (std::size_t l = 0; l < block_rows; ++l)
                out[l] = step(
                    step(step(step(out[l], q0 - cells[l]), q1 - cells[l + block_rows]), q2 - cells[l + 2 * block_rows]),
                    q3 - cells[l + 3 * block_rows]);
        }
        if constexpr (requires { D::settle(out[0], columns, p, [](std::size_t) { return T(); }); })
            for (std::size_t l = 0; l < block_rows; ++l)
                out[l] =
                    D::settle(out[l], columns, p, [=](std::size_t j) { return query[j] - block[j * block_rows + l]; });
    }
}

/// The k nearest rows of each query, nearest first; ties go to the smaller row number.
/// Requires `blocks` as above with the last one filled up by any numbers, 1 <= k <= n_rows, no NaN in
/// rows or queries. O(n_queries n_rows columns) time, O(k) memory per query in hand.
/// Blocks are taken in tiles that stay in the cache while a group of queries passes over them.
template <class D, class T>
void nearest(const T* blocks, std::size_t n_rows, const T* queries, std::size_t n_queries, std::size_t columns,
             std::size_t k, double p, double* distance, std::int64_t* row, std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t group = 16;
    const std::size_t wide = (columns + column_group - 1) / column_group * column_group;
    const std::size_t block_cells = wide * block_rows;
    const std::size_t n_blocks = (n_rows + block_rows - 1) / block_rows;
    const std::size_t tile = std::max<std::size_t>(1, (128 << 10) / std::max<std::size_t>(block_cells * sizeof(T), 1));
    monitor.expect(n_queries);
    parallel_for(n_queries, group, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<NearestOfOrdered<T>> best(end - begin, NearestOfOrdered<T>(k));
        std::vector<T> found(tile * block_rows), padded((end - begin) * wide);
        for (std::size_t q = begin; q < end; ++q)
            std::copy_n(queries + q * columns, columns, padded.begin() + (q - begin) * wide);
        for (std::size_t first = 0; first < n_blocks; first += tile) {
            monitor.check();
            const std::size_t n = std::min(tile, n_blocks - first);
            const std::size_t first_row = first * block_rows;
            for (std::size_t q = begin; q < end; ++q) {
                distances_to<D, T>(padded.data() + (q - begin) * wide, blocks + first * block_cells, n, wide, p,
                                   found.data());
                best[q - begin].offer(found.data(), std::min(n * block_rows, n_rows - first_row),
                                      static_cast<std::int64_t>(first_row));
            }
        }
        for (std::size_t q = begin; q < end; ++q)
            for (std::size_t i = 0; i < k; ++i) {
                distance[q * k + i] = D::finish(best[q - begin].distance(i), p);
                row[q * k + i] = best[q - begin].row(i);
            }
        monitor.step(end - begin);
    });
}

} // namespace margin::neighbors
