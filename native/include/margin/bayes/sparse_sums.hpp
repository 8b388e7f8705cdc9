#pragma once
// The sums and products of sums.hpp for matrices that hold only the cells that are not 0.
#include "margin/core/threads.hpp"
#include "margin/data/csr.hpp"
#include <cstdint>
#include <vector>

namespace margin::bayes {

/// Sums by class over the stored cells; `lost` holds the weight of stored cells that are missing (NaN), and is empty if
/// there are none.
struct SparseSums {
    std::vector<double> sums, lost;
};

namespace detail {

template <class T, class Index, class Value>
SparseSums sum_csr_by_class(const data::Csr<T, Index>& x, const std::int32_t* y, const double* w, std::size_t classes,
                            std::size_t, Monitor& monitor, Value value) {
    SparseSums found;
    found.sums.resize(classes * x.width);
    for (std::size_t i = 0; i < x.rows; ++i) {
        if (i % 1024 == 0)
            monitor.check();
        const double wi = w ? w[i] : 1.0;
        const std::size_t at = static_cast<std::size_t>(y[i]) * x.width;
        for (Index c = x.start[i]; c < x.start[i + 1]; ++c)
            if (x.values[c] == x.values[c])
                found.sums[at + static_cast<std::size_t>(x.columns[c])] += wi * value(x.values[c]);
            else {
                found.lost.resize(classes * x.width);
                found.lost[at + static_cast<std::size_t>(x.columns[c])] += wi;
            }
    }
    return found;
}

} // namespace detail

/// Sums of w x of every column in every class. Requires a canonical matrix and y[i] in [0, classes); without weights
/// (w null) every row counts once. O(stored + classes columns) time.
template <class T, class Index>
SparseSums sum_csr(const data::Csr<T, Index>& x, const std::int32_t* y, const double* w, std::size_t classes,
                   std::size_t n_threads, Monitor& monitor) {
    return detail::sum_csr_by_class(x, y, w, classes, n_threads, monitor,
                                    [](T cell) { return static_cast<double>(cell); });
}

/// The same with 1 for stored cells above the threshold and 0 for the others. Requires threshold >= 0.
template <class T, class Index>
SparseSums sum_csr_above(const data::Csr<T, Index>& x, double threshold, const std::int32_t* y, const double* w,
                         std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    return detail::sum_csr_by_class(x, y, w, classes, n_threads, monitor,
                                    [=](T cell) { return static_cast<double>(cell) > threshold ? 1.0 : 0.0; });
}

/// scores[i][k] += sum_j x_ij table_jk over the stored cells; one that is missing or 0 adds nothing, even where the
/// table holds minus infinity. O(stored classes) time.
template <class T, class Index>
void add_csr(const data::Csr<T, Index>& x, const double* table, double* scores, std::size_t classes,
             std::size_t n_threads, Monitor& monitor) {
    parallel_for(x.rows, 256, n_threads, monitor, [=](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (Index c = x.start[i]; c < x.start[i + 1]; ++c) {
                const auto cell = static_cast<double>(x.values[c]);
                if (cell == cell && cell != 0)
                    for (std::size_t k = 0; k < classes; ++k)
                        scores[i * classes + k] += cell * table[static_cast<std::size_t>(x.columns[c]) * classes + k];
            }
    });
}

/// scores[i][k] += table_jk for every stored cell above the threshold (>= 0), and missing_table_jk, if there is one, for
/// every stored cell that is missing. O(stored classes) time.
template <class T, class Index>
void add_csr_above(const data::Csr<T, Index>& x, double threshold, const double* table, const double* missing_table,
                   double* scores, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    parallel_for(x.rows, 256, n_threads, monitor, [=](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (Index c = x.start[i]; c < x.start[i + 1]; ++c) {
                const auto cell = static_cast<double>(x.values[c]);
                const double* from = cell > threshold ? table : cell == cell ? nullptr : missing_table;
                for (std::size_t k = 0; from && k < classes; ++k)
                    scores[i * classes + k] += from[static_cast<std::size_t>(x.columns[c]) * classes + k];
            }
    });
}

} // namespace margin::bayes
