#pragma once
// Scores of linear and quadratic discriminants. A row's scores are the same to the last bit in any batch.
#include "margin/core/products.hpp"
#include "margin/core/threads.hpp"
#include "margin/data/cells.hpp"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace margin::bayes {

namespace detail {

inline constexpr std::size_t scored_rows = 96; // rows in hand: they stay in the cache while all classes pass over them

/// Rows as deviations from a point.
template <class T>
MARGIN_SIMD_LOOK void deviations(const T* __restrict x, const double* __restrict center, std::size_t rows,
                                 std::size_t columns, double* __restrict to) {
    for (std::size_t r = 0; r < rows; ++r, x += columns, to += columns)
        for (std::size_t j = 0; j < columns; ++j)
            to[j] = static_cast<double>(x[j]) - center[j];
}

/// Call tile<Rows>(r) for all rows, four at a time and the rest one by one.
template <class Tile>
MARGIN_INLINED void by_tiles(std::size_t rows, Tile&& tile) {
    std::size_t r = 0;
    for (; r + tile_rows <= rows; r += tile_rows)
        tile.template operator()<tile_rows>(r);
    for (; r < rows; ++r)
        tile.template operator()<1>(r);
}

/// scores[r][k] = base[k] + x_r . coef_k for the (at most 4 Vectors) classes of one panel.
template <std::size_t Vectors>
MARGIN_INLINED void linear_panel(const double* x, std::size_t rows, std::size_t columns, const double* panel,
                                 const double* base, std::size_t classes, std::size_t stride, double* scores) {
    by_tiles(rows, [&]<std::size_t Rows>(std::size_t r) {
        margin::detail::Lanes sums[Rows][Vectors];
        multiply_tile(x + r * columns, columns, 1, panel, columns, sums);
        for (std::size_t i = 0; i < Rows; ++i)
            for (std::size_t k = 0; k < classes; ++k)
                scores[(r + i) * stride + k] = base[k] + sums[i][k / 4][k % 4];
    });
}

MARGIN_SIMD inline void linear_chunk(const double* x, std::size_t rows, std::size_t columns, const double* panels,
                                     const double* base, std::size_t classes, double* scores) {
    for (std::size_t k = 0; k < classes; k += panel_width, panels += columns * panel_width) {
        const std::size_t here = std::min(panel_width, classes - k);
        if (here <= 4)
            linear_panel<1>(x, rows, columns, panels, base + k, here, classes, scores + k);
        else if (here <= 8)
            linear_panel<2>(x, rows, columns, panels, base + k, here, classes, scores + k);
        else
            linear_panel<3>(x, rows, columns, panels, base + k, here, classes, scores + k);
    }
}

/// norms[r] += the squared length of what one panel of a triangular matrix makes of x_r, in four running sums.
template <std::size_t Vectors>
MARGIN_INLINED void add_lengths(const double* x, std::size_t rows, std::size_t columns, const double* panel,
                                std::size_t first, double* norms) {
    by_tiles(rows, [&]<std::size_t Rows>(std::size_t r) {
        margin::detail::Lanes sums[Rows][Vectors];
        multiply_tile(x + r * columns + first, columns, 1, panel, columns - first, sums);
        for (std::size_t i = 0; i < Rows; ++i) {
            margin::detail::Lanes& norm = *reinterpret_cast<margin::detail::Lanes*>(norms + (r + i) * 4);
            for (std::size_t v = 0; v < Vectors; ++v)
                norm += sums[i][v] * sums[i][v];
        }
    });
}

/// scores[r * stride] = base - |W x_r|^2 / 2.
MARGIN_SIMD inline void quadratic_chunk(const double* x, std::size_t rows, std::size_t columns, const double* panels,
                                        double base, std::size_t stride, double* scores) {
    double norms[scored_rows * 4] = {};
    for (std::size_t first = 0; first < columns; first += panel_width) {
        const std::size_t here = columns - first;
        if (here <= 4)
            add_lengths<1>(x, rows, columns, panels, first, norms);
        else if (here <= 8)
            add_lengths<2>(x, rows, columns, panels, first, norms);
        else
            add_lengths<3>(x, rows, columns, panels, first, norms);
        panels += here * panel_width;
    }
    for (std::size_t r = 0; r < rows; ++r) {
        const double* n = norms + r * 4;
        scores[r * stride] = base - 0.5 * ((n[0] + n[2]) + (n[1] + n[3]));
    }
}

} // namespace detail

/// scores[i][k] = base[k] + (x_i - center) . coef_k.
/// Requires coef as panels of twelve classes, each with a line per column, filled up with zeros.
/// O(rows columns classes) time.
template <class T>
void linear_scores(const T* x, const double* center, const double* panels, const double* base, double* scores,
                   std::size_t rows, std::size_t columns, std::size_t classes, std::size_t n_threads,
                   Monitor& monitor) {
    parallel_for(rows, detail::scored_rows, n_threads, monitor, [=](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<double> away((end - begin) * columns);
        detail::deviations(x + begin * columns, center, end - begin, columns, away.data());
        detail::linear_chunk(away.data(), end - begin, columns, panels, base, classes, scores + begin * classes);
    });
}

/// The class with the largest linear score of each row; ties go to the first. As linear_scores, but nothing is written
/// down, and cells are looked at while they are in the cache: nothing is answered if one is missing or above `largest`
/// in magnitude.
template <class T>
std::optional<std::vector<std::int64_t>>
linear_winners(const T* x, const double* center, const double* panels, const double* base, T largest, std::size_t rows,
               std::size_t columns, std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    std::vector<std::int64_t> winners(rows);
    std::atomic<bool> clean = true;
    parallel_for(rows, detail::scored_rows, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        if (!data::all_within(x + begin * columns, (end - begin) * columns, largest))
            clean = false;
        if (!clean)
            return;
        std::vector<double> away((end - begin) * columns), scores((end - begin) * classes);
        detail::deviations(x + begin * columns, center, end - begin, columns, away.data());
        detail::linear_chunk(away.data(), end - begin, columns, panels, base, classes, scores.data());
        for (std::size_t i = begin; i < end; ++i) {
            const double* of_row = scores.data() + (i - begin) * classes;
            winners[i] = std::max_element(of_row, of_row + classes) - of_row;
        }
    });
    return clean ? std::optional(std::move(winners)) : std::nullopt;
}

/// The number of cells that the panels of one upper triangular matrix take.
constexpr std::size_t triangle_size(std::size_t columns) noexcept {
    std::size_t lines = 0;
    for (std::size_t first = 0; first < columns; first += panel_width)
        lines += columns - first;
    return lines * panel_width;
}

/// scores[i][k] = base[k] - |W_k (x_i - mean_k)|^2 / 2 with upper triangular W_k.
/// Requires W_k in panels of twelve of its rows, transposed: panel q has a line for each of the columns 12 q … columns-1
/// (those before are zero), and its cells are those of rows 12 q … 12 q + 11, filled up with zeros.
/// O(rows classes columns^2 / 2) time.
template <class T>
void quadratic_scores(const T* x, const double* mean, const double* panels, const double* base, double* scores,
                      std::size_t rows, std::size_t columns, std::size_t classes, std::size_t n_threads,
                      Monitor& monitor) {
    const std::size_t size = triangle_size(columns);
    parallel_for(rows, detail::scored_rows, n_threads, monitor,
                 [=, &monitor](std::size_t begin, std::size_t end, std::size_t) {
                     std::vector<double> away((end - begin) * columns);
                     for (std::size_t k = 0; k < classes; ++k) {
                         monitor.check();
                         detail::deviations(x + begin * columns, mean + k * columns, end - begin, columns, away.data());
                         detail::quadratic_chunk(away.data(), end - begin, columns, panels + k * size, base[k], classes,
                                                 scores + begin * classes + k);
                     }
                 });
}

} // namespace margin::bayes
