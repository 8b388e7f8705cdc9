#pragma once
// Weighted products of columns with each other, [Z 1]' S [Z 1] with z = (x - shift) scale: the curvature of a loss.
#include "margin/core/products.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace margin::linear {

namespace detail {

inline constexpr std::size_t gram_rows = 128; // two panels of so many lines stay in the first cache

/// One row, times the root of its weight, to line `line` of panels of `lines` lines; the last column is the constant.
template <class T>
MARGIN_INLINED void place_row(const T* x, const double* shift, const double* scale, double root, std::size_t columns,
                              std::size_t line, std::size_t lines, double* panels) {
    double* to = panels + line * panel_width;
    std::size_t j = 0;
    for (; j + panel_width <= columns; j += panel_width, to += lines * panel_width)
        for (std::size_t l = 0; l < panel_width; ++l)
            to[l] = (static_cast<double>(x[j + l]) - shift[j + l]) * scale[j + l] * root;
    for (std::size_t l = 0; j < columns; ++j, ++l)
        to[l] = (static_cast<double>(x[j]) - shift[j]) * scale[j] * root;
    to[columns % panel_width] = root;
}

template <class T>
MARGIN_SIMD_LOOK void place_rows(const T* x, const double* root, const double* shift, const double* scale,
                                 std::size_t columns, std::size_t lines, double* panels) {
    for (std::size_t r = 0; r < lines; ++r)
        place_row(x + r * columns, shift, scale, root[r], columns, r, lines, panels);
}

} // namespace detail

/// sum_i w_i [z_i 1][z_i 1]' (columns + 1 lines and columns) with z_ij = (x_ij - shift_j) scale_j. w null: all 1.
/// Requires w_i >= 0 and z whose squares can be added up. O(rows columns^2) time and columns^2 memory per thread:
/// meant for some hundred columns. The sums do not depend on the number of threads.
template <class T>
std::vector<double> gram(const T* x, const double* w, const double* shift, const double* scale, std::size_t rows,
                         std::size_t columns, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n_panels = panels_for(columns + 1), width = n_panels * panel_width;
    const std::size_t block = std::clamp<std::size_t>(8 * width / 128 * 128, 1024, 8192);
    const auto total = reduce_in_order(
        rows, block, n_threads, monitor, [=] { return std::vector<double>(width * width); },
        [=, &monitor](std::vector<double>& part, std::size_t begin, std::size_t end) {
            std::vector<double> panels(n_panels * detail::gram_rows * panel_width), root(detail::gram_rows, 1.0);
            for (std::size_t i = begin; i < end; i += detail::gram_rows) {
                monitor.check();
                const std::size_t lines = std::min(detail::gram_rows, end - i);
                if (lines < detail::gram_rows) // what fills up the last panel moves
                    std::fill(panels.begin(), panels.end(), 0.0);
                for (std::size_t r = 0; w && r < lines; ++r)
                    root[r] = std::sqrt(w[i + r]);
                detail::place_rows(x + i * columns, root.data(), shift, scale, columns, lines, panels.data());
                add_symmetric_product(panels.data(), lines, n_panels, part.data());
            }
        },
        [](std::vector<double>& to, const std::vector<double>& part) {
            for (std::size_t c = 0; c < to.size(); ++c)
                to[c] += part[c];
        });
    return mirrored(total, columns + 1, width);
}

} // namespace margin::linear
