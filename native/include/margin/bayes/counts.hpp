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

/// Rows of a block, so that clearing and adding up the counters is little beside counting.
inline std::size_t counting_block(std::size_t cells, std::size_t columns) {
    return std::max<std::size_t>(1 << 14, 4 * cells / std::max<std::size_t>(columns, 1));
}

/// The level a cell holds, -1 if it holds none of `levels`: missing, negative, too large or not a whole number.
/// Compared before it is converted, since a number beyond the type has no conversion.
template <class T>
MARGIN_INLINED std::int64_t level_of(T cell, std::int64_t levels) {
    if constexpr (std::is_floating_point_v<T>) {
        const bool inside = cell >= 0 && cell < static_cast<T>(levels);
        const auto level = static_cast<std::int64_t>(inside ? cell : T(0));
        return inside && static_cast<T>(level) == cell ? level : -1;
    } else {
        return cell >= 0 && static_cast<std::int64_t>(cell) < levels ? static_cast<std::int64_t>(cell) : -1;
    }
}

template <class Add>
std::vector<double> count_blocks(std::size_t rows, std::size_t columns, std::size_t cells, std::size_t n_threads,
                                 Monitor& monitor, Add&& add) {
    return reduce_in_order(
        rows, counting_block(cells, columns), n_threads, monitor, [=] { return std::vector<double>(cells); }, add,
        [](std::vector<double>& total, const std::vector<double>& part) {
            for (std::size_t c = 0; c < total.size(); ++c)
                total[c] += part[c];
        });
}

} // namespace detail

/// Weight of every level of every column within every class; level v of column j in class k stands at
/// (first[j] + v) * classes + k. Codes of -1 are left out; without weights (w null) every row counts once.
/// Requires -1 <= code < the column's number of levels. O(rows columns) time.
inline std::vector<double> count_columns(const Codes& columns, const std::int64_t* first, const std::int32_t* y,
                                         const double* w, std::size_t rows, std::size_t classes, std::size_t n_threads,
                                         Monitor& monitor) {
    const std::size_t cells = static_cast<std::size_t>(first[columns.size()]) * classes;
    return detail::count_blocks(rows, columns.size(), cells, n_threads, monitor,
                                [&](std::vector<double>& counts, std::size_t begin, std::size_t end) {
                                    for (std::size_t j = 0; j < columns.size(); ++j) {
                                        double* table = counts.data() + static_cast<std::size_t>(first[j]) * classes;
                                        for (std::size_t i = begin; i < end; ++i)
                                            if (const std::int32_t code = columns[j][i]; code >= 0)
                                                table[static_cast<std::size_t>(code) * classes + y[i]] += w ? w[i] : 1;
                                    }
                                });
}

/// The same of a matrix whose cells are the level numbers; missing cells are NaN or -1.
template <class T>
std::vector<double> count_matrix(const T* x, const std::int64_t* first, const std::int32_t* y, const double* w,
                                 std::size_t rows, std::size_t columns, std::size_t classes, std::size_t n_threads,
                                 Monitor& monitor) {
    const std::size_t cells = static_cast<std::size_t>(first[columns]) * classes;
    return detail::count_blocks(
        rows, columns, cells, n_threads, monitor, [=](std::vector<double>& counts, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t j = 0; j < columns; ++j) {
                    const std::int64_t level = detail::level_of(x[i * columns + j], first[j + 1] - first[j]);
                    if (level >= 0)
                        counts[static_cast<std::size_t>(first[j] + level) * classes + y[i]] += w ? w[i] : 1;
                }
        });
}

namespace detail {

inline bool any_ruled_out(const double* scores, std::size_t n) {
    bool found = false;
    for (std::size_t c = 0; c < n; ++c)
        found |= scores[c] == -std::numeric_limits<double>::infinity();
    return found;
}

/// Add to the scores block by block; whether any is minus infinity then.
template <class Add>
bool add_blocks(double* scores, std::size_t rows, std::size_t classes, std::size_t n_threads, Monitor& monitor,
                Add&& add) {
    std::atomic<bool> ruled_out = false;
    parallel_for(rows, 512, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        add(begin, end);
        if (any_ruled_out(scores + begin * classes, (end - begin) * classes))
            ruled_out = true;
    });
    return ruled_out;
}

} // namespace detail

/// Add log_share[(first[j] + code) * classes + k] of every column to scores[i * classes + k]. Codes that are no level
/// of the column add nothing. True if some score is minus infinity now. O(rows columns classes) time.
inline bool add_columns(const Codes& columns, const std::int64_t* first, const double* log_share, double* scores,
                        std::size_t rows, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    return detail::add_blocks(scores, rows, classes, n_threads, monitor, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double* table = log_share + static_cast<std::size_t>(first[j]) * classes;
            for (std::size_t i = begin; i < end; ++i) {
                const std::int64_t level = detail::level_of(columns[j][i], first[j + 1] - first[j]);
                for (std::size_t k = 0; level >= 0 && k < classes; ++k)
                    scores[i * classes + k] += table[static_cast<std::size_t>(level) * classes + k];
            }
        }
    });
}

/// The same for a matrix whose cells are the level numbers; any other cell adds nothing.
template <class T>
bool add_matrix(const T* x, const std::int64_t* first, const double* log_share, double* scores, std::size_t rows,
                std::size_t columns, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    return detail::add_blocks(scores, rows, classes, n_threads, monitor, [=](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                const std::int64_t level = detail::level_of(x[i * columns + j], first[j + 1] - first[j]);
                const double* share = log_share + static_cast<std::size_t>(first[j] + level) * classes;
                for (std::size_t k = 0; level >= 0 && k < classes; ++k)
                    scores[i * classes + k] += share[k];
            }
    });
}

} // namespace margin::bayes
