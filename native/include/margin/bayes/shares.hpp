#pragma once
// Log-shares of categories added up: the way back from the counts of counts.hpp.
#include "margin/bayes/counts.hpp"

namespace margin::bayes {

namespace detail {

/// The level a cell holds, -1 if it holds none of `levels`: missing, negative, too large or not a whole number.
/// Compared before it is converted, since a number beyond the type has no conversion.
template <class T>
MARGIN_INLINED std::int32_t level_of(T cell, T levels) {
    const bool inside = cell >= 0 && cell < levels;
    const auto level = static_cast<std::int32_t>(inside ? cell : T(0));
    return inside && static_cast<T>(level) == cell ? level : -1;
}

inline bool any_ruled_out(const double* scores, std::size_t n) {
    std::size_t found = 0;
    for (std::size_t c = 0; c < n; ++c)
        found += scores[c] == -std::numeric_limits<double>::infinity();
    return found > 0;
}

/// scores[k] += share[k]; a number of classes known to the compiler needs no loop.
template <std::size_t Classes>
MARGIN_INLINED void add_share(double* __restrict scores, const double* __restrict share, std::size_t classes) {
    for (std::size_t k = 0; k < (Classes > 0 ? Classes : classes); ++k)
        scores[k] += share[k];
}

/// f.operator()<Classes>(), with 0 for all numbers of classes above four.
template <class F>
void for_classes(std::size_t classes, F&& f) {
    switch (classes) {
    case 1:
        return f.template operator()<1>();
    case 2:
        return f.template operator()<2>();
    case 3:
        return f.template operator()<3>();
    case 4:
        return f.template operator()<4>();
    default:
        return f.template operator()<0>();
    }
}

template <std::size_t Classes>
MARGIN_SIMD void add_column(const std::int32_t* codes, std::int32_t levels, const double* share, const double* nothing,
                            double* scores, std::size_t rows, std::size_t classes) {
    for (std::size_t i = 0; i < rows; ++i) {
        const bool known = codes[i] >= 0 && codes[i] < levels;
        add_share<Classes>(scores + i * classes, known ? share + static_cast<std::size_t>(codes[i]) * classes : nothing,
                           classes);
    }
}

/// The level of every cell of a row, from the numbers of levels of its columns.
template <class T>
MARGIN_SIMD void find_levels(const T* __restrict cells, const T* __restrict levels, std::size_t columns,
                             std::size_t rows, std::int32_t* __restrict level) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            level[i * columns + j] = level_of(cells[i * columns + j], levels[j]);
}

template <std::size_t Classes>
MARGIN_SIMD void add_rows(const std::int32_t* level, const std::int64_t* first, const double* log_share,
                          const double* nothing, double* scores, std::size_t rows, std::size_t columns,
                          std::size_t classes) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const std::int32_t here = level[i * columns + j];
            const double* share = here < 0 ? nothing : log_share + static_cast<std::size_t>(first[j] + here) * classes;
            add_share<Classes>(scores + i * classes, share, classes);
        }
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
            for (std::size_t j = 0; j < columns.size(); ++j)
                detail::add_column<Classes>(columns[j] + begin, static_cast<std::int32_t>(first[j + 1] - first[j]),
                                            log_share + static_cast<std::size_t>(first[j]) * classes, nothing.data(),
                                            scores + begin * classes, end - begin, classes);
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
