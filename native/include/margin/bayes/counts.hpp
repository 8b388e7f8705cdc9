#pragma once
// Categories: how often every level of every column occurs in every class, and the log-shares that follow from it.
// Columns are separate arrays of codes, or one row-major matrix whose cells are the level numbers themselves.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace margin::bayes {

using Codes = std::vector<const std::int32_t*>; // one array per column, -1 where the cell is missing

namespace detail {

/// Counters of all columns. Each column has a place before its first level, where missing cells (-1) are counted and
/// forgotten: no branch is needed to leave them out.
struct Places {
    std::vector<std::size_t> at; // of each column: where level 0 of class 0 is counted
    std::size_t size = 0;

    Places(const std::int64_t* first, std::size_t columns, std::size_t classes)
        : size((static_cast<std::size_t>(first[columns]) + columns) * classes) {
        for (std::size_t j = 0; j < columns; ++j)
            at.push_back((static_cast<std::size_t>(first[j]) + j + 1) * classes);
    }
};

/// Rows counted into fresh counters, so that clearing and adding these up is little beside counting.
inline std::size_t counting_block(std::size_t counters, std::size_t columns) {
    return std::max<std::size_t>(1 << 14, 4 * counters / std::max<std::size_t>(columns, 1));
}

/// Count blocks of rows by count(counters, begin, end); the counters of the levels alone, in order of the levels.
template <class Counter, class Count>
std::vector<double> count_blocks(const Places& places, const std::int64_t* first, std::size_t rows, std::size_t columns,
                                 std::size_t classes, std::size_t n_threads, Monitor& monitor, Count&& count) {
    const auto counted = [&](std::size_t begin, std::size_t end, std::vector<double>& into) {
        std::vector<Counter> counters(places.size);
        count(counters.data(), begin, end);
        for (std::size_t j = 0; j < columns; ++j) {
            double* to = into.data() + static_cast<std::size_t>(first[j]) * classes;
            const Counter* from = counters.data() + places.at[j];
            for (std::size_t c = 0; c < static_cast<std::size_t>(first[j + 1] - first[j]) * classes; ++c)
                to[c] = static_cast<double>(from[c]);
        }
    };
    const std::size_t size = static_cast<std::size_t>(first[columns]) * classes;
    return reduce_in_order(
        rows, counting_block(places.size, columns), n_threads, monitor, [=] { return std::vector<double>(size); },
        [&](std::vector<double>& part, std::size_t begin, std::size_t end) { counted(begin, end, part); },
        [](std::vector<double>& total, const std::vector<double>& part) {
            for (std::size_t c = 0; c < total.size(); ++c)
                total[c] += part[c];
        });
}

/// One column. An increment waits for the one before it if both meet the same counter; neighbouring rows therefore
/// count in different tables, as long as these are small.
template <class Counter>
void count_column(const std::int32_t* codes, const std::int32_t* y, const double* w, std::size_t rows,
                  std::size_t levels, std::size_t classes, Counter* counters) {
    const auto one = [=](std::size_t i) { return w ? static_cast<Counter>(w[i]) : Counter(1); };
    const auto place = [=](std::size_t i) {
        return static_cast<std::ptrdiff_t>(codes[i]) * static_cast<std::ptrdiff_t>(classes) + y[i];
    };
    const std::size_t width = (levels + 1) * classes;
    constexpr std::size_t tables = 4;
    if (width > 2048) {
        for (std::size_t i = 0; i < rows; ++i)
            counters[place(i)] += one(i);
        return;
    }
    std::vector<Counter> cells(tables * width);
    Counter* table[tables];
    for (std::size_t t = 0; t < tables; ++t)
        table[t] = cells.data() + t * width + classes;
    std::size_t i = 0;
    for (; i + tables <= rows; i += tables)
        for (std::size_t t = 0; t < tables; ++t)
            table[t][place(i + t)] += one(i + t);
    for (; i < rows; ++i)
        table[0][place(i)] += one(i);
    for (std::size_t c = 0; c < levels * classes; ++c)
        counters[c] += (table[0][c] + table[1][c]) + (table[2][c] + table[3][c]);
}

} // namespace detail

/// Weight of every level of every column within every class; level v of column j in class k stands at
/// (first[j] + v) * classes + k. Codes of -1 are left out; without weights (w null) every row counts once.
/// Requires -1 <= code < the column's number of levels. O(rows columns) time.
inline std::vector<double> count_columns(const Codes& columns, const std::int64_t* first, const std::int32_t* y,
                                         const double* w, std::size_t rows, std::size_t classes, std::size_t n_threads,
                                         Monitor& monitor) {
    const detail::Places places(first, columns.size(), classes);
    const auto count = [&]<class Counter>(Counter* counters, std::size_t begin, std::size_t end) {
        for (std::size_t j = 0; j < columns.size(); ++j)
            detail::count_column(columns[j] + begin, y + begin, w ? w + begin : nullptr, end - begin,
                                 static_cast<std::size_t>(first[j + 1] - first[j]), classes, counters + places.at[j]);
    };
    if (w)
        return detail::count_blocks<double>(places, first, rows, columns.size(), classes, n_threads, monitor, count);
    return detail::count_blocks<std::uint32_t>(places, first, rows, columns.size(), classes, n_threads, monitor, count);
}

/// The same of a matrix whose cells are the level numbers; missing cells are NaN or -1.
template <class T>
std::vector<double> count_matrix(const T* x, const std::int64_t* first, const std::int32_t* y, const double* w,
                                 std::size_t rows, std::size_t columns, std::size_t classes, std::size_t n_threads,
                                 Monitor& monitor) {
    const detail::Places places(first, columns, classes);
    const auto count = [&]<class Counter>(Counter* counters, std::size_t begin, std::size_t end) {
        const std::size_t* at = places.at.data();
        for (std::size_t i = begin; i < end; ++i) {
            const T* row = x + i * columns;
            const Counter one = w ? static_cast<Counter>(w[i]) : Counter(1);
            Counter* of_class = counters + y[i];
            for (std::size_t j = 0; j < columns; ++j) {
                std::ptrdiff_t level = -1;
                if constexpr (std::is_floating_point_v<T>)
                    level = static_cast<std::ptrdiff_t>(row[j] >= 0 ? row[j] : T(-1));
                else
                    level = static_cast<std::ptrdiff_t>(row[j]);
                of_class[static_cast<std::ptrdiff_t>(at[j]) + level * static_cast<std::ptrdiff_t>(classes)] += one;
            }
        }
    };
    if (w)
        return detail::count_blocks<double>(places, first, rows, columns, classes, n_threads, monitor, count);
    return detail::count_blocks<std::uint32_t>(places, first, rows, columns, classes, n_threads, monitor, count);
}

} // namespace margin::bayes
