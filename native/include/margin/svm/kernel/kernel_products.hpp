#pragma once
// Products of rows with panels: rows that stand side by side, so that one register holds a cell of several of them.
//
// A panel is 24 rows in float32, 12 in float64: `depth` lines of so many cells one after another. A tile is four rows by
// one panel: twelve registers of sums, the most that AVX2 has room for beside the cells that are read. Every sum runs
// over the columns from first to last, whatever the tile, so that the product of two rows is the same in every block.
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace margin::svm {

template <class T>
inline constexpr std::size_t panel_rows = 96 / sizeof(T);

template <class T>
constexpr std::size_t panels_for(std::size_t rows) noexcept {
    return (rows + panel_rows<T> - 1) / panel_rows<T>;
}

/// The cells of row i that are not 0: values[start[i] .. start[i + 1]), in ascending columns.
template <class T>
struct StoredRows {
    const T* values;
    const std::uint32_t* columns;
    const std::size_t* start;
};

/// Rows that are spread out together for products with stored rows: six registers of sums, so that finding the line of
/// a cell counts less.
template <class T>
inline constexpr std::size_t spread_rows = 2 * panel_rows<T>;

namespace detail {

template <class T>
struct Register;
template <>
struct Register<float> {
    typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));
};
template <>
struct Register<double> {
    typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));
};

template <std::size_t Rows, class T>
MARGIN_INLINED void multiply_tile(const T* const* __restrict rows, const T* __restrict panel, std::size_t depth,
                                  T* __restrict out, std::size_t stride) {
    using Lanes = typename Register<T>::Lanes;
    Lanes s[Rows][3] = {};
    const T* row[Rows];
    for (std::size_t r = 0; r < Rows; ++r)
        row[r] = rows[r];
    for (std::size_t t = 0; t < depth; ++t, panel += panel_rows<T>) {
        const Lanes* line = reinterpret_cast<const Lanes*>(panel);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < 3; ++v)
                s[r][v] += row[r][t] * line[v];
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < 3; ++v)
            reinterpret_cast<Lanes*>(out + r * stride)[v] = s[r][v];
}

template <class T>
MARGIN_INLINED void multiply(const T* const* rows, std::size_t n_rows, const T* panels, std::size_t n_panels,
                             std::size_t depth, T* out, std::size_t stride) {
    for (std::size_t p = 0; p < n_panels; ++p, panels += depth * panel_rows<T>, out += panel_rows<T>) {
        std::size_t r = 0;
        for (; r + 4 <= n_rows; r += 4)
            multiply_tile<4>(rows + r, panels, depth, out + r * stride, stride);
        for (; r < n_rows; ++r)
            multiply_tile<1>(rows + r, panels, depth, out + r * stride, stride);
    }
}

template <class T>
MARGIN_INLINED void multiply_stored(const StoredRows<T>& x, const std::uint32_t* rows, std::size_t n_rows,
                                    const std::uint32_t* __restrict line_of, const T* __restrict panel,
                                    T* __restrict out) {
    using Lanes = typename Register<T>::Lanes;
    for (std::size_t r = 0; r < n_rows; ++r, out += spread_rows<T>) {
        Lanes s[6] = {};
        for (std::size_t i = x.start[rows[r]]; i < x.start[rows[r] + 1]; ++i) {
            const Lanes* line = reinterpret_cast<const Lanes*>(panel + line_of[x.columns[i]]);
            const T value = x.values[i];
#pragma GCC unroll 6
            for (std::size_t v = 0; v < 6; ++v)
                s[v] += value * line[v];
        }
#pragma GCC unroll 6
        for (std::size_t v = 0; v < 6; ++v)
            reinterpret_cast<Lanes*>(out)[v] = s[v];
    }
}

template <class T>
MARGIN_INLINED void square_panel(const T* panel, std::size_t depth, T* out) {
    T sums[panel_rows<T>] = {};
    for (std::size_t t = 0; t < depth; ++t, panel += panel_rows<T>)
        for (std::size_t lane = 0; lane < panel_rows<T>; ++lane)
            sums[lane] += panel[lane] * panel[lane];
    std::copy_n(sums, panel_rows<T>, out);
}

/// Rows side by side; lanes without a row hold zeros.
template <class T>
MARGIN_INLINED void pack(const T* const* rows, std::size_t n_rows, std::size_t depth, T* panel) {
    for (std::size_t lane = 0; lane < n_rows; ++lane)
        for (std::size_t t = 0; t < depth; ++t)
            panel[t * panel_rows<T> + lane] = rows[lane][t];
    for (std::size_t lane = n_rows; lane < panel_rows<T>; ++lane)
        for (std::size_t t = 0; t < depth; ++t)
            panel[t * panel_rows<T> + lane] = 0;
}

} // namespace detail

/// out[r * stride + c] = rows[r] · column c, for n_rows rows and all columns of n_panels panels.
/// About n_rows * n_panels * panel_rows * depth fused products.
MARGIN_SIMD inline void multiply_panels(const float* const* rows, std::size_t n_rows, const float* panels,
                                        std::size_t n_panels, std::size_t depth, float* out, std::size_t stride) {
    detail::multiply(rows, n_rows, panels, n_panels, depth, out, stride);
}
MARGIN_SIMD inline void multiply_panels(const double* const* rows, std::size_t n_rows, const double* panels,
                                        std::size_t n_panels, std::size_t depth, double* out, std::size_t stride) {
    detail::multiply(rows, n_rows, panels, n_panels, depth, out, stride);
}

/// out[r * spread_rows + c] = stored row rows[r] · column c of a panel, of which only some lines are there: the cells of
/// column t begin at panel[line_of[t]]. Columns of the matrix that no row of the panel has share a line of zeros.
MARGIN_SIMD inline void multiply_stored_rows(const StoredRows<float>& x, const std::uint32_t* rows, std::size_t n_rows,
                                             const std::uint32_t* line_of, const float* panel, float* out) {
    detail::multiply_stored(x, rows, n_rows, line_of, panel, out);
}
MARGIN_SIMD inline void multiply_stored_rows(const StoredRows<double>& x, const std::uint32_t* rows, std::size_t n_rows,
                                             const std::uint32_t* line_of, const double* panel, double* out) {
    detail::multiply_stored(x, rows, n_rows, line_of, panel, out);
}

/// The squared lengths of the rows of a panel, summed as their products are: a row and its copy have equal sums.
MARGIN_SIMD inline void square_rows(const float* panel, std::size_t depth, float* out) {
    detail::square_panel(panel, depth, out);
}
MARGIN_SIMD inline void square_rows(const double* panel, std::size_t depth, double* out) {
    detail::square_panel(panel, depth, out);
}

/// Up to panel_rows rows as a panel.
template <class T>
void pack_panel(const T* const* rows, std::size_t n_rows, std::size_t depth, T* panel) {
    detail::pack(rows, n_rows, depth, panel);
}

} // namespace margin::svm
