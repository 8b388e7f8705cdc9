#pragma once
// Weighted products of many columns with each other in float32: good enough to precondition with, twice as fast.
//
// Rows are packed, some thousand at a time, into panels of 24 columns; then the panels of the product are shared out,
// each summed up by one thread from the first row to the last. No thread needs a product of its own, which for
// thousands of columns would be tens of megabytes.
#include "margin/core/products.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace margin::linear {

namespace detail {

inline constexpr std::size_t single_width = 24;  // columns of a panel: three registers of AVX2
inline constexpr std::size_t single_depth = 256; // rows of a packed panel: two of them stay in the second cache
inline constexpr std::size_t single_rows = 8 * single_depth;

typedef float Singles __attribute__((vector_size(32), aligned(4), may_alias));

/// The sums over `depth` rows of 4 columns of panel a by all columns of panel b, added to `product`.
MARGIN_INLINED void add_single_tile(const float* __restrict a, const float* __restrict b, std::size_t depth,
                                    float* __restrict product, std::size_t width) {
    Singles s[4][3] = {};
    for (std::size_t t = 0; t < depth; ++t, a += single_width, b += single_width) {
        const Singles* line = reinterpret_cast<const Singles*>(b);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < 4; ++r)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < 3; ++v)
                s[r][v] += a[r] * line[v];
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < 3; ++v)
            reinterpret_cast<Singles*>(product + r * width)[v] += s[r][v];
}

/// Panel q of the product (24 columns, the lines down to the diagonal) from the packed rows of one depth.
MARGIN_SIMD inline void add_single_panel(const float* packed, std::size_t depth, std::size_t q, std::size_t width,
                                         float* product) {
    const float* b = packed + q * depth * single_width;
    for (std::size_t i = 0; i < (q + 1) * single_width; i += 4)
        add_single_tile(packed + i / single_width * depth * single_width + i % single_width, b, depth,
                        product + i * width + q * single_width, width);
}

/// Rows at[0] … at[depth - 1], times the roots of their weights, as panels; the last column is the constant.
template <class T>
MARGIN_SIMD_LOOK void pack_singles(const T* x, const std::int64_t* at, const double* w, const double* shift,
                                   const double* scale, std::size_t columns, std::size_t depth, float* packed) {
    for (std::size_t r = 0; r < depth; ++r) {
        const T* row = x + static_cast<std::size_t>(at[r]) * columns;
        const double root = w ? std::sqrt(w[r]) : 1.0;
        float* to = packed + r * single_width;
        std::size_t j = 0;
        for (; j + single_width <= columns; j += single_width, to += depth * single_width)
            for (std::size_t l = 0; l < single_width; ++l)
                to[l] = static_cast<float>((static_cast<double>(row[j + l]) - shift[j + l]) * scale[j + l] * root);
        for (std::size_t l = 0; l < single_width; ++l, ++j)
            to[l] = j < columns ? static_cast<float>((static_cast<double>(row[j]) - shift[j]) * scale[j] * root)
                                : (j == columns ? static_cast<float>(root) : 0.0F);
    }
}

} // namespace detail

/// sum_i w_i [z_i 1][z_i 1]' over the rows at[0] … at[rows - 1] of x, with z_ij = (x_ij - shift_j) scale_j, in float32.
/// w null: all 1. Requires w_i >= 0 and z whose squares can be added up in float32.
/// O(rows columns^2) time; room for the product and 2,048 packed rows. The sums do not depend on the number of threads.
template <class T>
std::vector<float> gram_single(const T* x, const std::int64_t* at, const double* w, const double* shift,
                               const double* scale, std::size_t rows, std::size_t columns, std::size_t n_threads,
                               Monitor& monitor) {
    using namespace detail;
    const std::size_t n_panels = columns / single_width + 1, width = n_panels * single_width;
    std::vector<float> product(width * width), packed(width * std::min(rows, single_rows));
    for (std::size_t first = 0; first < rows; first += single_rows) {
        const std::size_t count = std::min(single_rows, rows - first);
        parallel_for(count, single_depth, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            pack_singles(x, at + first + begin, w ? w + first + begin : nullptr, shift, scale, columns, end - begin,
                         packed.data() + begin * width);
        });
        parallel_for(n_panels, 1, n_threads, monitor, [&](std::size_t begin, std::size_t, std::size_t) {
            const std::size_t q = n_panels - 1 - begin; // the longest first
            for (std::size_t r = 0; r < count; r += single_depth)
                add_single_panel(packed.data() + r * width, std::min(single_depth, count - r), q, width,
                                 product.data());
        });
    }
    return mirrored(product, columns + 1, width);
}

} // namespace margin::linear
