#pragma once
// Naive Bayes: counts of categories by class, and sums of log-likelihoods, one column after another.
#include "margin/core/threads.hpp"
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

/// Sum over the columns of steep[j] (x[j] - mean[j])^2, with off[j] in place of the term where x[j] is missing.
/// Eight running sums, added up in one order, so that the result is the same for any batch and thread.
template <class T>
double bend(const T* x, const double* mean, const double* steep, const double* off, std::size_t columns) {
    double lane[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= columns; j += 8)
        for (std::size_t l = 0; l < 8; ++l) {
            const double d = x[j + l] - mean[j + l];
            lane[l] += d == d ? steep[j + l] * d * d : off[j + l];
        }
    for (std::size_t l = 0; j < columns; ++j, ++l) {
        const double d = x[j] - mean[j];
        lane[l] += d == d ? steep[j] * d * d : off[j];
    }
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

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
    parallel_for(rows, 256, n_threads, monitor, [=, &ruled_out](std::size_t begin, std::size_t end, std::size_t) {
        bool here = false;
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t k = 0; k < classes; ++k) {
                const std::size_t at = k * columns;
                double& score = scores[i * classes + k];
                score += peak[k] - bend(cells + i * columns, mean + at, steep + at, off + at, columns);
                here |= score == -std::numeric_limits<double>::infinity();
            }
        if (here)
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
