#pragma once
// Scores and gradients of a few rows that stay in the cache.
//
// A tile is at most 64 rows of doubles, each filled up with zeros to a multiple of four columns (its stride), so that
// every loop below works on whole registers. Rows of doubles that need no filling up are read where they are.
#include "margin/core/products.hpp"
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace margin::linear {

/// The next multiple of four: numbers in one register of AVX2.
constexpr std::size_t padded_to_four(std::size_t count) noexcept { return (count + 3) / 4 * 4; }

/// Rows of a tile: 32 kB of them, but at least 16, for which the second cache has room up to 4,000 columns.
constexpr std::size_t rows_in_tile(std::size_t columns) noexcept {
    return std::clamp<std::size_t>(4096 / std::max<std::size_t>(columns, 1) / 8 * 8, 16, 64);
}

namespace detail {

using margin::detail::Lanes;

MARGIN_INLINED const Lanes& lanes_at(const double* p) noexcept { return *reinterpret_cast<const Lanes*>(p); }
MARGIN_INLINED Lanes& lanes_at(double* p) noexcept { return *reinterpret_cast<Lanes*>(p); }

template <bool Moved, class T>
MARGIN_INLINED void fill_tile(const T* x, std::size_t rows, std::size_t columns, const double* origin, double* tile) {
    for (std::size_t r = 0; r < rows; ++r, x += columns, tile += padded_to_four(columns))
        for (std::size_t j = 0; j < columns; ++j)
            tile[j] = static_cast<double>(x[j]) - (Moved ? origin[j] : 0.0);
}

/// scores[r] = x_r . w of Rows rows. Each sum has two registers of its own, whatever Rows is.
template <std::size_t Rows>
MARGIN_INLINED void score_rows(const double* x, std::size_t stride, const double* w, double* scores) {
    Lanes s[Rows][2] = {};
    std::size_t j = 0;
    for (; j + 8 <= stride; j += 8) {
#pragma GCC unroll 4
        for (std::size_t r = 0; r < Rows; ++r) {
            s[r][0] += lanes_at(x + r * stride + j) * lanes_at(w + j);
            s[r][1] += lanes_at(x + r * stride + j + 4) * lanes_at(w + j + 4);
        }
    }
    if (j < stride)
        for (std::size_t r = 0; r < Rows; ++r)
            s[r][0] += lanes_at(x + r * stride + j) * lanes_at(w + j);
    for (std::size_t r = 0; r < Rows; ++r) {
        const Lanes sum = s[r][0] + s[r][1];
        scores[r] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
}

/// scores[r][k] = x_r . w_k of Rows rows and the first 4 Vectors scores of a panel.
template <std::size_t Rows, std::size_t Vectors>
MARGIN_INLINED void score_panel(const double* x, std::size_t stride, const double* panel, double* scores,
                                std::size_t score_stride) {
    Lanes sums[Rows][Vectors];
    multiply_tile(x, stride, 1, panel, stride, sums);
    for (std::size_t r = 0; r < Rows; ++r)
        for (std::size_t v = 0; v < Vectors; ++v)
            lanes_at(scores + r * score_stride + 4 * v) = sums[r][v];
}

template <std::size_t Rows>
MARGIN_INLINED void score_panels(const double* x, std::size_t stride, const double* panels, double* scores,
                                 std::size_t score_stride) {
    for (std::size_t k = 0; k < score_stride; k += panel_width, panels += stride * panel_width) {
        const std::size_t left = score_stride - k;
        if (left >= 12)
            score_panel<Rows, 3>(x, stride, panels, scores + k, score_stride);
        else if (left == 8)
            score_panel<Rows, 2>(x, stride, panels, scores + k, score_stride);
        else
            score_panel<Rows, 1>(x, stride, panels, scores + k, score_stride);
    }
}

/// gradient[k][j] += sum over rows of residual[r][k] x[r][j], for Scores scores and 4 Vectors columns.
template <std::size_t Scores, std::size_t Vectors>
MARGIN_INLINED void add_columns(const double* x, std::size_t stride, const double* residual,
                                std::size_t residual_stride, std::size_t rows, double* gradient) {
    Lanes s[Scores][Vectors] = {};
    for (std::size_t r = 0; r < rows; ++r, x += stride, residual += residual_stride) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < Scores; ++k)
#pragma GCC unroll 12
            for (std::size_t v = 0; v < Vectors; ++v)
                s[k][v] += residual[k] * lanes_at(x + 4 * v);
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < Scores; ++k)
#pragma GCC unroll 12
        for (std::size_t v = 0; v < Vectors; ++v)
            lanes_at(gradient + k * stride + 4 * v) += s[k][v];
}

/// The same for all columns, as many at a time as there are registers for.
template <std::size_t Scores, std::size_t Most>
MARGIN_INLINED void add_scores(const double* x, std::size_t stride, const double* residual, std::size_t residual_stride,
                               std::size_t rows, double* gradient) {
    std::size_t j = 0;
    for (; j + 4 * Most <= stride; j += 4 * Most)
        add_columns<Scores, Most>(x + j, stride, residual, residual_stride, rows, gradient + j);
    for (; j < stride; j += 4)
        add_columns<Scores, 1>(x + j, stride, residual, residual_stride, rows, gradient + j);
}

} // namespace detail

/// Rows minus `origin` (null: 0) as a tile: where they are, or copied to `tile`, whose padding is 0 beforehand.
template <class T>
MARGIN_SIMD_LOOK const double* tile_of(const T* x, std::size_t rows, std::size_t columns, const double* origin,
                                       double* tile) {
    if constexpr (std::is_same_v<T, double>)
        if (columns % 4 == 0 && !origin)
            return x;
    if (origin)
        detail::fill_tile<true>(x, rows, columns, origin, tile);
    else
        detail::fill_tile<false>(x, rows, columns, origin, tile);
    return tile;
}

/// The scores of a tile, one for each row: x w.
MARGIN_SIMD inline void score_tile(const double* x, std::size_t rows, std::size_t stride, const double* w,
                                   double* scores) {
    std::size_t r = 0;
    for (; r + 4 <= rows; r += 4)
        detail::score_rows<4>(x + r * stride, stride, w, scores + r);
    for (; r < rows; ++r)
        detail::score_rows<1>(x + r * stride, stride, w, scores + r);
}

/// Several scores for each row, score_stride (a multiple of four) of them side by side.
/// Requires the coefficients in panels of twelve scores, each with `stride` lines.
MARGIN_SIMD inline void score_tile(const double* x, std::size_t rows, std::size_t stride, const double* panels,
                                   double* scores, std::size_t score_stride) {
    std::size_t r = 0;
    for (; r + 4 <= rows; r += 4)
        detail::score_panels<4>(x + r * stride, stride, panels, scores + r * score_stride, score_stride);
    for (; r < rows; ++r)
        detail::score_panels<1>(x + r * stride, stride, panels, scores + r * score_stride, score_stride);
}

/// gradient += residual' x, for one score or for score_stride (a multiple of four) of them.
MARGIN_SIMD inline void add_gradient(const double* x, std::size_t rows, std::size_t stride, const double* residual,
                                     double* gradient, std::size_t score_stride) {
    if (score_stride == 1)
        return detail::add_scores<1, 12>(x, stride, residual, 1, rows, gradient);
    for (std::size_t k = 0; k < score_stride; k += 4)
        detail::add_scores<4, 3>(x, stride, residual + k, score_stride, rows, gradient + k * stride);
}

} // namespace margin::linear
