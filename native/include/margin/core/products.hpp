#pragma once
// Products of small matrices, blocked so that sums stay in registers: symmetric ones (x'x) and rows times panels.
//
// A panel is twelve columns side by side: `depth` lines of twelve cells one after another. A matrix in panels holds its
// columns in groups of twelve, the last one filled up with zeros. A tile is four rows by one panel: twelve registers of
// four sums each, the most that AVX2 has room for beside the cells that are read.
#include "simd.hpp"
#include <cstddef>
#include <vector>

namespace margin {

inline constexpr std::size_t panel_width = 12;
inline constexpr std::size_t tile_rows = 4;

/// The number of panels that hold `columns` columns.
constexpr std::size_t panels_for(std::size_t columns) noexcept { return (columns + panel_width - 1) / panel_width; }

namespace detail {
// Four lanes as one value: written as loops over arrays, GCC keeps the sums in memory and is three times slower.
// Such a value is never passed to or from a function, which would be another thing on every instruction set, and its
// type never deduced (auto), which would forget that it may lie at any multiple of 8. (typedef: in
// a using-declaration clang passes over `aligned`.)
typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));
} // namespace detail

/// sums[r] = sum over t of a[r * across + t * along] * panel[t], for Rows rows and the first 4 Vectors columns of a
/// panel. Each sum runs over t from first to last, so that it does not depend on Rows, Vectors or the place in a tile.
template <std::size_t Rows, std::size_t Vectors>
MARGIN_INLINED void multiply_tile(const double* __restrict a, std::size_t across, std::size_t along,
                                  const double* __restrict panel, std::size_t depth,
                                  detail::Lanes (&sums)[Rows][Vectors]) {
    detail::Lanes s[Rows][Vectors] = {};
    for (std::size_t t = 0; t < depth; ++t, a += along, panel += panel_width) {
        const detail::Lanes* line = reinterpret_cast<const detail::Lanes*>(panel);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < Vectors; ++v)
                s[r][v] += a[r * across] * line[v];
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < Vectors; ++v)
            sums[r][v] = s[r][v];
}

/// Add x'x to the tiles of `product` that reach the diagonal or stand above it; the rest is left alone.
/// Requires x as `n_panels` panels of `rows` lines each; product has 12 n_panels rows and columns.
/// About rows (12 n_panels)^2 / 2 fused products; two panels of up to 128 lines stay in a cache of 32 kB.
MARGIN_SIMD inline void add_symmetric_product(const double* panels, std::size_t rows, std::size_t n_panels,
                                              double* product) {
    if (rows == 0)
        return; // and there may be no panels at all
    const std::size_t width = n_panels * panel_width;
    for (std::size_t q = 0; q < n_panels; ++q)
        for (std::size_t i = 0; i < (q + 1) * panel_width; i += tile_rows) {
            detail::Lanes sums[tile_rows][3];
            multiply_tile(panels + i / panel_width * rows * panel_width + i % panel_width, 1, panel_width,
                          panels + q * rows * panel_width, rows, sums);
            for (std::size_t r = 0; r < tile_rows; ++r) {
                detail::Lanes* to = reinterpret_cast<detail::Lanes*>(product + (i + r) * width + q * panel_width);
                for (std::size_t v = 0; v < 3; ++v)
                    to[v] += sums[r][v];
            }
        }
}

/// The first n rows and columns of a symmetric product of which only the upper half was computed, in lines of `width`.
template <class T>
std::vector<T> mirrored(const std::vector<T>& product, std::size_t n, std::size_t width) {
    std::vector<T> whole(n * n);
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a; b < n; ++b)
            whole[a * n + b] = whole[b * n + a] = product[a * width + b];
    return whole;
}

} // namespace margin
