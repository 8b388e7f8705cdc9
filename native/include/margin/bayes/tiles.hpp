#pragma once
// Terms of all columns added up for every row and class, a tile of rows at a time.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::bayes {

namespace detail {

/// Rows that lie column by column while all classes look at them: as many as fit the cache, at least a vector of them.
inline std::size_t tile_rows(std::size_t columns) {
    return std::clamp<std::size_t>((1 << 11) / std::max<std::size_t>(columns, 1) / 8 * 8, 8, 64);
}

/// tile[j * rows + i] = x[i][j]
template <class T>
MARGIN_SIMD_LOOK void turn(const void* cells, std::size_t rows, std::size_t columns, double* __restrict tile) {
    const T* __restrict x = static_cast<const T*>(cells);
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) { // four cells written together
        const T *a = x + i * columns, *b = a + columns, *c = b + columns, *d = c + columns;
        for (std::size_t j = 0; j < columns; ++j) {
            double* to = tile + j * rows + i;
            to[0] = static_cast<double>(a[j]);
            to[1] = static_cast<double>(b[j]);
            to[2] = static_cast<double>(c[j]);
            to[3] = static_cast<double>(d[j]);
        }
    }
    for (; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            tile[j * rows + i] = static_cast<double>(x[i * columns + j]);
}

/// The rows of one tile, turned; true if some score is minus infinity then. Rows, not columns, lie side by side in
/// vectors, so that a row's terms are added up in the same order whatever rows come with it.
template <class Table>
MARGIN_SIMD bool add_tile(const double* __restrict tile, const Table& table, double* __restrict scores,
                          std::size_t rows, std::size_t columns, std::size_t classes, double* __restrict sum) {
    std::size_t ruled_out = 0;
    for (std::size_t k = 0; k < classes; ++k) {
        for (std::size_t i = 0; i < rows; ++i)
            sum[i] = table.start(k);
        std::size_t j = 0;
        for (; j + 4 <= columns; j += 4) {
            const double *a = tile + j * rows, *b = a + rows, *c = b + rows, *d = c + rows;
            const auto of_a = table.term(j, k), of_b = table.term(j + 1, k);
            const auto of_c = table.term(j + 2, k), of_d = table.term(j + 3, k);
            for (std::size_t i = 0; i < rows; ++i)
                sum[i] += (of_a(a[i]) + of_b(b[i])) + (of_c(c[i]) + of_d(d[i]));
        }
        for (; j < columns; ++j) {
            const auto of_j = table.term(j, k);
            for (std::size_t i = 0; i < rows; ++i)
                sum[i] += of_j(tile[j * rows + i]);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            double& score = scores[i * classes + k];
            score += sum[i];
            ruled_out += score == -std::numeric_limits<double>::infinity();
        }
    }
    return ruled_out > 0;
}

/// Rows of cells that only `turn` knows the type of, so that nothing else is compiled for each.
struct AnyRows {
    const std::byte* cells;
    std::size_t n, columns, row_bytes;
    void (*turn)(const void* x, std::size_t rows, std::size_t columns, double* tile);
};

template <class Table>
bool add_terms(const AnyRows& x, const Table& table, double* scores, std::size_t classes, std::size_t n_threads,
               Monitor& monitor) {
    std::atomic<bool> ruled_out = false;
    const std::size_t tile_rows = detail::tile_rows(x.columns);
    parallel_for(x.n, 8 * tile_rows, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<double> tile(std::min(tile_rows, end - begin) * x.columns), sum(tile_rows);
        for (std::size_t i = begin; i < end; i += tile_rows) {
            const std::size_t rows = std::min(tile_rows, end - i);
            x.turn(x.cells + i * x.row_bytes, rows, x.columns, tile.data());
            if (add_tile(tile.data(), table, scores + i * classes, rows, x.columns, classes, sum.data()))
                ruled_out = true;
        }
    });
    return ruled_out;
}

} // namespace detail

/// scores[i][k] += table.start(k) + sum_j table.term(j, k)(x_ij); true if some score is minus infinity now. A term is a
/// function of a few numbers that stays without branches if it chooses last, between values that are there already:
/// only then does GCC work on vectors. O(rows columns classes) time.
template <class T, class Table>
bool add_terms(const T* x, const Table& table, double* scores, std::size_t rows, std::size_t columns,
               std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    return detail::add_terms(
        {reinterpret_cast<const std::byte*>(x), rows, columns, columns * sizeof(T), &detail::turn<T>}, table, scores,
        classes, n_threads, monitor);
}

} // namespace margin::bayes
