#pragma once
// Naive Bayes: counts of categories by class, and sums of log-likelihoods, one column after another.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::bayes {

/// Weight of every level of every coded column within every class. Level v of column j in class k stands at
/// (first[j] + v) * classes + k. Cells of -1 (missing) are left out.
/// Requires -1 <= codes < the column's number of levels. O(rows columns) time.
inline std::vector<double> count_levels(const std::int32_t* codes, const std::int64_t* first, const std::int32_t* y,
                                        const double* w, std::size_t rows, std::size_t columns, std::size_t levels,
                                        std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    // Blocks large enough that clearing and adding up the counters is little beside counting.
    const std::size_t block = std::max<std::size_t>(1 << 14, 4 * levels * classes / std::max<std::size_t>(columns, 1));
    return reduce_in_order(
        rows, block, n_threads, monitor, [=] { return std::vector<double>(levels * classes); },
        [=, &monitor](std::vector<double>& counts, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                if (i % 65536 == 0)
                    monitor.check();
                const std::int32_t* row = codes + i * columns;
                for (std::size_t j = 0; j < columns; ++j)
                    if (row[j] >= 0)
                        counts[(static_cast<std::size_t>(first[j]) + row[j]) * classes + y[i]] += w[i];
            }
        },
        [](std::vector<double>& total, std::vector<double> part) {
            for (std::size_t c = 0; c < total.size(); ++c)
                total[c] += part[c];
        });
}

namespace detail {

/// Rows that lie column by column while all classes look at them: as many as fit the cache, at least a vector of them.
inline std::size_t tile_rows(std::size_t columns) {
    return std::clamp<std::size_t>((1 << 11) / std::max<std::size_t>(columns, 1) / 8 * 8, 8, 64);
}

/// tile[j * rows + i] = x[i][j]
template <class T>
MARGIN_INLINED void turn(const T* __restrict x, std::size_t rows, std::size_t columns, double* __restrict tile) {
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

/// One column's density in one class.
struct Bend {
    double mean, steep, off;

    /// steep (x - mean)^2, or `off` where x is missing. The choice comes last, or GCC makes it a branch.
    MARGIN_INLINED double operator()(double x) const {
        const double d = x - mean, bent = steep * d * d;
        return bent == bent ? bent : off;
    }
};

/// add_normal for the rows of one tile; true if some score is minus infinity then. Rows, not columns, lie side by side
/// in vectors, so that a row's terms are added up in the same order whatever rows come with it.
template <class T>
MARGIN_SIMD bool add_normal_tile(const T* x, const double* mean, const double* steep, const double* off,
                                 const double* peak, double* __restrict scores, std::size_t rows, std::size_t columns,
                                 std::size_t classes, double* __restrict tile, double* __restrict sum) {
    turn(x, rows, columns, tile);
    std::size_t ruled_out = 0;
    for (std::size_t k = 0; k < classes; ++k, mean += columns, steep += columns, off += columns) {
        for (std::size_t i = 0; i < rows; ++i)
            sum[i] = 0;
        std::size_t j = 0;
        const auto bend = [=](std::size_t column) { return Bend{mean[column], steep[column], off[column]}; };
        for (; j + 4 <= columns; j += 4) {
            const double *a = tile + j * rows, *b = a + rows, *c = b + rows, *d = c + rows;
            const Bend at_a = bend(j), at_b = bend(j + 1), at_c = bend(j + 2), at_d = bend(j + 3);
            for (std::size_t i = 0; i < rows; ++i)
                sum[i] += (at_a(a[i]) + at_b(b[i])) + (at_c(c[i]) + at_d(d[i]));
        }
        for (; j < columns; ++j) {
            const Bend at = bend(j);
            for (std::size_t i = 0; i < rows; ++i)
                sum[i] += at(tile[j * rows + i]);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            double& score = scores[i * classes + k];
            score += peak[k] - sum[i];
            ruled_out += score == -std::numeric_limits<double>::infinity();
        }
    }
    return ruled_out > 0;
}

} // namespace detail

/// Add the normal log-densities of all columns to each row's scores:
///     scores[i][k] += sum_j log N(x_ij; mean_kj, var_kj) = peak_k - sum_j steep_kj (x_ij - mean_kj)^2
/// with steep = 1 / (2 var) and peak_k = sum_j off_kj, off = -log sqrt(2 pi var). Missing cells (NaN) add nothing.
/// The tables are classes x columns, scores rows x classes. O(rows columns classes) time.
/// True if some score is minus infinity now: a cell lies beyond what a density can tell, or a class was ruled out
/// before.
template <class T>
bool add_normal(const T* cells, const double* mean, const double* steep, const double* off, const double* peak,
                double* scores, std::size_t rows, std::size_t columns, std::size_t classes, std::size_t n_threads,
                Monitor& monitor) {
    std::atomic<bool> ruled_out = false;
    const std::size_t tile_rows = detail::tile_rows(columns);
    parallel_for(
        rows, 8 * tile_rows, n_threads, monitor, [=, &ruled_out](std::size_t begin, std::size_t end, std::size_t) {
            std::vector<double> tile(std::min(tile_rows, end - begin) * columns), sum(tile_rows);
            for (std::size_t i = begin; i < end; i += tile_rows)
                if (detail::add_normal_tile(cells + i * columns, mean, steep, off, peak, scores + i * classes,
                                            std::min(tile_rows, end - i), columns, classes, tile.data(), sum.data()))
                    ruled_out = true;
        });
    return ruled_out;
}

/// Add log_share[(first[j] + code) * classes + k] over the coded columns to each row's scores; codes of -1 add nothing.
inline void add_shares(const std::int32_t* codes, const std::int64_t* first, const double* log_share, double* scores,
                       std::size_t rows, std::size_t columns, std::size_t classes, std::size_t n_threads,
                       Monitor& monitor) {
    parallel_for(rows, 256, n_threads, monitor, [=](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                const std::int32_t code = codes[i * columns + j];
                if (code < 0)
                    continue;
                const double* share = log_share + (static_cast<std::size_t>(first[j]) + code) * classes;
                for (std::size_t k = 0; k < classes; ++k)
                    scores[i * classes + k] += share[k];
            }
    });
}

} // namespace margin::bayes
