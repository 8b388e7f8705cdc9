#pragma once
// Counts of events (words, visits) and events that happened or not: sums of every column by class, and the products of
// rows with tables of log-probabilities.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include "margin/data/survey.hpp"
#include <cmath>
#include <cstdint>
#include <vector>

namespace margin::bayes {

/// Class k, column j stands at k * columns + j: the sum of w x, and the sum of w over the cells that are there.
struct ClassSums {
    std::vector<double> sums, cells;

    ClassSums() = default;
    explicit ClassSums(std::size_t n) : sums(n), cells(n) {}
};

namespace detail {

/// Sums of value(x) by class.
template <class T, class Value>
ClassSums sum_by_class(const T* x, const std::int32_t* y, const double* w, std::size_t rows, std::size_t columns,
                       std::size_t classes, std::size_t n_threads, Monitor& monitor, Value value) {
    const std::size_t block = std::max<std::size_t>(data::rows_of(1 << 18, columns), 8 * classes);
    return reduce_in_order(
        rows, block, n_threads, monitor, [=] { return ClassSums(classes * columns); },
        [=](ClassSums& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const T* row = x + i * columns;
                const double wi = w ? w[i] : 1.0;
                double* sum = part.sums.data() + static_cast<std::size_t>(y[i]) * columns;
                double* cell = part.cells.data() + static_cast<std::size_t>(y[i]) * columns;
                for (std::size_t j = 0; j < columns; ++j)
                    if (row[j] == row[j]) {
                        sum[j] += wi * value(row[j]);
                        cell[j] += wi;
                    }
            }
        },
        [](ClassSums& total, const ClassSums& part) {
            for (std::size_t c = 0; c < total.sums.size(); ++c) {
                total.sums[c] += part.sums[c];
                total.cells[c] += part.cells[c];
            }
        });
}

} // namespace detail

/// Sums of every column in every class over the cells that are there (not NaN). Without weights (w null) every row
/// counts once. Requires y[i] in [0, classes). O(rows columns) time, O(classes columns) memory per thread.
template <class T>
ClassSums sum_dense(const T* x, const std::int32_t* y, const double* w, std::size_t rows, std::size_t columns,
                    std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    return detail::sum_by_class(x, y, w, rows, columns, classes, n_threads, monitor,
                                [](T cell) { return static_cast<double>(cell); });
}

/// The same with 1 for cells above the threshold and 0 for the others.
template <class T>
ClassSums sum_dense_above(const T* x, double threshold, const std::int32_t* y, const double* w, std::size_t rows,
                          std::size_t columns, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    return detail::sum_by_class(x, y, w, rows, columns, classes, n_threads, monitor,
                                [=](T cell) { return static_cast<double>(cell) > threshold ? 1.0 : 0.0; });
}

/// scores[i][k] += sum_j x_ij table_jk, where a cell that is missing or 0 adds nothing, even where the table holds minus
/// infinity. O(rows columns classes) time.
template <class T>
void add_dense(const T* x, const double* table, double* scores, std::size_t rows, std::size_t columns,
               std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    parallel_for(rows, 256, n_threads, monitor, [=](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                const auto cell = static_cast<double>(x[i * columns + j]);
                if (cell == cell && cell != 0)
                    for (std::size_t k = 0; k < classes; ++k)
                        scores[i * classes + k] += cell * table[j * classes + k];
            }
    });
}

/// scores[i][k] += present_jk over the cells above the threshold and absent_jk over the others; missing cells add
/// nothing. O(rows columns classes) time.
template <class T>
void add_dense_above(const T* x, double threshold, const double* present, const double* absent, double* scores,
                     std::size_t rows, std::size_t columns, std::size_t classes, std::size_t n_threads,
                     Monitor& monitor) {
    parallel_for(rows, 256, n_threads, monitor, [=](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                const auto cell = static_cast<double>(x[i * columns + j]);
                const double* table = cell > threshold ? present : absent;
                for (std::size_t k = 0; cell == cell && k < classes; ++k)
                    scores[i * classes + k] += table[j * classes + k];
            }
    });
}

} // namespace margin::bayes
