#pragma once
// Naive Bayes on numbers: normal log-densities, added up over the columns.
#include "tiles.hpp"
#include <cstddef>

namespace margin::bayes {

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

} // namespace margin::bayes
