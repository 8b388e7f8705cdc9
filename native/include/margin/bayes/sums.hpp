#pragma once
// Counts of events (words, visits) and events that happened or not: sums of every column by class, and the products of
// rows with tables of log-probabilities.
#include "margin/data/survey.hpp"
#include "tiles.hpp"
#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

namespace margin::bayes {

/// Class k, column j stands at k * columns + j: the sum of w x, and the sum of w over the cells that are there.
struct ClassSums {
    std::vector<double> sums, cells;
};

/// What a cell of weight w counts: w times itself, or w if it is above a threshold.
struct ItsValue {
    template <class T>
    MARGIN_INLINED double operator()(T cell, double w) const {
        return w * static_cast<double>(cell);
    }
};
struct WhetherAbove {
    double threshold;
    std::int64_t whole; // whole numbers are compared with a whole number: AVX2 cannot convert them

    explicit WhetherAbove(double t) : threshold(t), whole(round_down(t)) {}

    template <class T>
    MARGIN_INLINED double operator()(T cell, double w) const {
        if constexpr (std::is_integral_v<T>)
            return static_cast<std::int64_t>(cell) > whole ? w : 0.0;
        else
            return static_cast<double>(cell) > threshold ? w : 0.0;
    }

private:
    static std::int64_t round_down(double t) {
        if (!(t < 0x1p63)) // also NaN, above which there is nothing
            return std::numeric_limits<std::int64_t>::max();
        return t < -0x1p63 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(std::floor(t));
    }
};

namespace detail {

template <class T>
MARGIN_INLINED bool has_gaps(const T* row, std::size_t columns) {
    data::detail::Count<T> lost = 0;
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t j = 0; j < columns; ++j)
            lost += row[j] != row[j];
    return lost > 0;
}

/// Add rows to sums and cells. A row without gaps, as nearly all are, adds its weight once to `whole` of its class in
/// place of once for every column.
template <class T, class Value>
MARGIN_SIMD_LOOK void add_to_sums(const T* x, const std::int32_t* y, const double* w, std::size_t rows,
                                  std::size_t columns, Value value, double* sums, double* cells, double* whole) {
    for (std::size_t i = 0; i < rows; ++i) {
        const T* __restrict row = x + i * columns;
        const auto k = static_cast<std::size_t>(y[i]);
        const double wi = w ? w[i] : 1.0;
        double* __restrict sum = sums + k * columns;
        if (!has_gaps(row, columns)) {
            whole[k] += wi;
            for (std::size_t j = 0; j < columns; ++j)
                sum[j] += value(row[j], wi);
            continue;
        }
        double* __restrict cell = cells + k * columns;
        for (std::size_t j = 0; j < columns; ++j) {
            const double counted = value(row[j], wi);
            sum[j] += row[j] == row[j] ? counted : 0.0;
            cell[j] += row[j] == row[j] ? wi : 0.0;
        }
    }
}

/// Add rows begin ... end to sums and cells, and to `whole` of their classes.
using AddRows = std::function<void(std::size_t begin, std::size_t end, double* sums, double* cells, double* whole)>;

/// Only adding rows, a block at a time, is compiled for each type of cells.
inline ClassSums sum_rows(const AddRows& add, std::size_t rows, std::size_t columns, std::size_t classes,
                          std::size_t n_threads, Monitor& monitor) {
    struct Part {
        std::vector<double> sums, cells, whole;
    };
    const std::size_t block = std::max<std::size_t>(data::rows_of(1 << 17, columns), 16 * classes);
    Part found = reduce_in_order(
        rows, block, n_threads, monitor,
        [=] {
            return Part{std::vector<double>(classes * columns), std::vector<double>(classes * columns),
                        std::vector<double>(classes)};
        },
        [&](Part& part, std::size_t begin, std::size_t end) {
            add(begin, end, part.sums.data(), part.cells.data(), part.whole.data());
        },
        [](Part& total, const Part& part) {
            for (std::size_t c = 0; c < total.sums.size(); ++c) {
                total.sums[c] += part.sums[c];
                total.cells[c] += part.cells[c];
            }
            for (std::size_t k = 0; k < total.whole.size(); ++k)
                total.whole[k] += part.whole[k];
        });
    for (std::size_t c = 0; c < found.cells.size(); ++c)
        found.cells[c] += found.whole[c / columns];
    return {std::move(found.sums), std::move(found.cells)};
}

} // namespace detail

/// Sums of value(x, w) of every column in every class over the cells that are there (not NaN). Without weights (w null)
/// every row counts once. Requires y[i] in [0, classes). O(rows columns) time, O(classes columns) memory per thread.
template <class T, class Value>
ClassSums sum_dense(const T* x, Value value, const std::int32_t* y, const double* w, std::size_t rows,
                    std::size_t columns, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    return detail::sum_rows(
        [=](std::size_t begin, std::size_t end, double* sums, double* cells, double* whole) {
            detail::add_to_sums(x + begin * columns, y + begin, w ? w + begin : nullptr, end - begin, columns, value,
                                sums, cells, whole);
        },
        rows, columns, classes, n_threads, monitor);
}

/// A cell times the table; one that is missing or 0 adds nothing, even where the table holds minus infinity: both ways
/// the product is not a number.
struct ProductTable {
    const double* table; // columns x classes
    std::size_t classes;

    struct Term {
        double factor;
        MARGIN_INLINED double operator()(double x) const {
            const double product = x * factor;
            return product == product ? product : 0.0;
        }
    };
    MARGIN_INLINED double start(std::size_t) const { return 0; }
    MARGIN_INLINED Term term(std::size_t j, std::size_t k) const { return {table[j * classes + k]}; }
};

/// One number for cells above the threshold, another for the others; missing cells add nothing.
struct PresenceTable {
    double threshold;
    const double *present, *absent; // columns x classes
    std::size_t classes;

    struct Term {
        double threshold, present, absent;
        MARGIN_INLINED double operator()(double x) const {
            const double either = x > threshold ? present : absent;
            return x == x ? either : 0.0;
        }
    };
    MARGIN_INLINED double start(std::size_t) const { return 0; }
    MARGIN_INLINED Term term(std::size_t j, std::size_t k) const {
        return {threshold, present[j * classes + k], absent[j * classes + k]};
    }
};

} // namespace margin::bayes
