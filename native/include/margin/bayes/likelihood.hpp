#pragma once
// Naive Bayes: counts of categories by class, and sums of log-likelihoods, one column after another.
#include "margin/bayes/tiles.hpp"
#include <cstdint>
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

/// Normal log-densities of classes x columns: off - steep (x - mean)^2. A missing cell takes back the `off` that its
/// column has in the peak.
struct NormalTable {
    const double *mean, *steep, *off, *peak;
    std::size_t columns;

    struct Term {
        double mean, steep, minus_off;

        MARGIN_INLINED double operator()(double x) const {
            const double d = x - mean, bent = -(steep * d * d);
            return bent == bent ? bent : minus_off;
        }
    };
    MARGIN_INLINED double start(std::size_t k) const { return peak[k]; }
    MARGIN_INLINED Term term(std::size_t j, std::size_t k) const {
        const std::size_t at = k * columns + j;
        return {mean[at], steep[at], -off[at]};
    }
};

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
    return add_terms(cells, NormalTable{mean, steep, off, peak, columns}, scores, rows, columns, classes, n_threads,
                     monitor);
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
