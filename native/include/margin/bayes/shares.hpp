#pragma once
// Log-shares of categories added up: the way back from the counts of counts.hpp.
#include "counts.hpp"
#include "table_rows.hpp"
#include <atomic>
#include <limits>

namespace margin::bayes {

namespace detail {

inline bool any_ruled_out(const double* scores, std::size_t n) {
    std::size_t found = 0;
    for (std::size_t c = 0; c < n; ++c)
        found += scores[c] == -std::numeric_limits<double>::infinity();
    return found > 0;
}

/// The level a cell holds, -1 if it holds none of `levels`: missing, negative, too large or not a whole number.
/// Compared before it is converted, since a number beyond the type has no conversion.
template <class T>
MARGIN_INLINED std::int32_t level_of(T cell, T levels) {
    const bool inside = cell >= 0 && cell < levels;
    const auto level = static_cast<std::int32_t>(inside ? cell : T(0));
    return inside && static_cast<T>(level) == cell ? level : -1;
}

/// The level of every cell of a row, from the numbers of levels of its columns.
template <class T>
MARGIN_SIMD_LOOK void find_levels(const T* __restrict cells, const T* __restrict levels, std::size_t columns,
                                  std::size_t rows, std::int32_t* __restrict level) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            level[i * columns + j] = level_of(cells[i * columns + j], levels[j]);
}

/// Rows from `begin` on of columns that stand for themselves.
template <std::size_t Classes>
MARGIN_SIMD_LOOK void add_coded_rows(const std::int32_t* const* codes, const std::int64_t* first,
                                     const double* log_share, const double* nothing, double* scores, std::size_t begin,
                                     std::size_t end, std::size_t columns, std::size_t classes) {
    for (std::size_t i = begin; i < end; ++i)
        add_rows_of_table<Classes>(scores + i * classes, columns, classes, [=](std::size_t j) {
            const std::int64_t code = codes[j][i];
            return code >= 0 && code < first[j + 1] - first[j]
                       ? log_share + static_cast<std::size_t>(first[j] + code) * classes
                       : nothing;
        });
}

template <std::size_t Classes>
MARGIN_SIMD_LOOK void add_rows(const std::int32_t* level, const std::int64_t* first, const double* log_share,
                               const double* nothing, double* scores, std::size_t rows, std::size_t columns,
                               std::size_t classes) {
    for (std::size_t i = 0; i < rows; ++i)
        add_rows_of_table<Classes>(scores + i * classes, columns, classes, [=](std::size_t j) {
            const std::int32_t here = level[i * columns + j];
            return here < 0 ? nothing : log_share + static_cast<std::size_t>(first[j] + here) * classes;
        });
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
    const std::vector<double> nothing(classes);
    return detail::add_blocks(scores, rows, classes, n_threads, monitor, [&](std::size_t begin, std::size_t end) {
        detail::for_classes(classes, [&]<std::size_t Classes> {
            detail::add_coded_rows<Classes>(columns.data(), first, log_share, nothing.data(), scores, begin, end,
                                            columns.size(), classes);
        });
    });
}

/// The same for a matrix whose cells are the level numbers; any other cell adds nothing.
template <class T>
bool add_matrix(const T* x, const std::int64_t* first, const double* log_share, double* scores, std::size_t rows,
                std::size_t columns, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    const std::vector<double> nothing(classes);
    std::vector<T> levels(columns);
    for (std::size_t j = 0; j < columns; ++j)
        levels[j] = static_cast<T>(first[j + 1] - first[j]);
    const std::size_t strip = std::max<std::size_t>((1 << 11) / std::max<std::size_t>(columns, 1), 1);
    return detail::add_blocks(scores, rows, classes, n_threads, monitor, [&](std::size_t begin, std::size_t end) {
        std::vector<std::int32_t> level(std::min(strip, end - begin) * columns);
        for (std::size_t i = begin; i < end; i += strip) {
            const std::size_t n = std::min(strip, end - i);
            detail::find_levels(x + i * columns, levels.data(), columns, n, level.data());
            detail::for_classes(classes, [&]<std::size_t Classes> {
                detail::add_rows<Classes>(level.data(), first, log_share, nothing.data(), scores + i * classes, n,
                                          columns, classes);
            });
        }
    });
}

} // namespace margin::bayes
