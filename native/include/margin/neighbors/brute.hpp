#pragma once
// Exact nearest neighbours by looking at every row.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include "margin/neighbors/distance.hpp"
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::neighbors {

/// The k best rows so far, best first. Rows arrive in ascending order, so a later row at an equal distance comes after:
/// ties go to the smaller row number.
template <class T>
class Nearest {
public:
    explicit Nearest(std::size_t k) : distance_(k, std::numeric_limits<T>::infinity()), row_(k, -1) {}

    T worst() const { return distance_.back(); }
    bool full() const { return row_.back() >= 0; }

    void offer(T distance, std::int64_t row) {
        if (full() && !(distance < worst()))
            return;
        std::size_t at = distance_.size() - 1;
        while (at > 0 && (row_[at - 1] < 0 || distance < distance_[at - 1])) {
            distance_[at] = distance_[at - 1];
            row_[at] = row_[at - 1];
            --at;
        }
        distance_[at] = distance;
        row_[at] = row;
    }

    void clear() {
        std::fill(distance_.begin(), distance_.end(), std::numeric_limits<T>::infinity());
        std::fill(row_.begin(), row_.end(), -1);
    }
    T distance(std::size_t i) const { return distance_[i]; }
    std::int64_t row(std::size_t i) const { return row_[i]; }

private:
    std::vector<T> distance_;
    std::vector<std::int64_t> row_;
};

/// Unfinished distances from one query to `n` rows that follow each other. Sixteen running values, joined in one order:
/// the same bits on every instruction set and in every batch.
template <class D, class T>
MARGIN_SIMD void distances_to(const T* query, const T* rows, std::size_t n, std::size_t columns, double p, T* out) {
    constexpr std::size_t width = 16;
    for (std::size_t i = 0; i < n; ++i) {
        const T* row = rows + i * columns;
        T lane[width] = {};
        std::size_t j = 0;
        for (; j + width <= columns; j += width)
            for (std::size_t l = 0; l < width; ++l)
                lane[l] = D::join(lane[l], D::term(query[j + l], row[j + l], p));
        for (std::size_t l = 0; j < columns; ++j, ++l)
            lane[l] = D::join(lane[l], D::term(query[j], row[j], p));
        for (std::size_t half = width / 2; half > 0; half /= 2)
            for (std::size_t l = 0; l < half; ++l)
                lane[l] = D::join(lane[l], lane[l + half]);
        if constexpr (requires { D::settle(lane[0], query, row, columns, p); })
            out[i] = D::settle(lane[0], query, row, columns, p);
        else
            out[i] = lane[0];
    }
}

/// The k nearest rows of each query, nearest first; ties go to the smaller row number.
/// Requires 1 <= k <= n_rows and no NaN. O(n_queries n_rows columns) time, O(k) memory per query in hand.
/// Rows are taken in tiles that stay in the cache while a group of queries passes over them.
template <class D, class T>
void nearest(const T* rows, std::size_t n_rows, const T* queries, std::size_t n_queries, std::size_t columns,
             std::size_t k, double p, double* distance, std::int64_t* row, std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t group = 16;
    const std::size_t tile = std::max<std::size_t>(16, (128 << 10) / (columns * sizeof(T) + 1));
    monitor.expect(n_queries);
    parallel_for(n_queries, group, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<Nearest<T>> best(end - begin, Nearest<T>(k));
        std::vector<T> found(tile);
        for (std::size_t first = 0; first < n_rows; first += tile) {
            monitor.check();
            const std::size_t n = std::min(tile, n_rows - first);
            for (std::size_t q = begin; q < end; ++q) {
                distances_to<D, T>(queries + q * columns, rows + first * columns, n, columns, p, found.data());
                Nearest<T>& mine = best[q - begin];
                for (std::size_t i = 0; i < n; ++i)
                    mine.offer(found[i], static_cast<std::int64_t>(first + i));
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
