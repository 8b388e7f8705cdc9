#pragma once
// Products of the matrices of a network, all of them kept in panels, so that nothing is packed before a product.
//
// A panel is three registers of columns side by side (12 doubles, 24 floats): its lines, one after another, hold that
// many cells each. A matrix in panels has its columns in groups of that width, the last one filled up with zeros. Rows
// of a batch, weights, and errors are all kept so: a line is a row of the batch, or an input of a layer.
//
// A tile is four rows by one panel: twelve registers of sums, the most that AVX2 has room for. A sum runs over its terms
// from first to last, and so does not depend on the tile it stands in, nor on who computes it.
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cstddef>

namespace margin::deep {

inline constexpr std::size_t tile_rows = 4;
template <class T>
inline constexpr std::size_t lanes = 32 / sizeof(T);
/// Columns of a panel.
template <class T>
inline constexpr std::size_t panel = 3 * lanes<T>;

template <class T>
constexpr std::size_t panels_for(std::size_t columns) noexcept {
    return (columns + panel<T> - 1) / panel<T>;
}
constexpr std::size_t in_tiles(std::size_t rows) noexcept { return (rows + tile_rows - 1) / tile_rows * tile_rows; }

namespace detail {

// As in core/products.hpp: one value of several lanes, never passed to a function and never deduced.
template <class T>
struct Register;
template <>
struct Register<double> {
    typedef double type __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct Register<float> {
    typedef float type __attribute__((vector_size(32), aligned(4), may_alias));
};
template <class T>
using Lanes = typename Register<T>::type;

/// sums[r] += sum over t of a[r * across + t * along] * line t of a panel.
template <class T, std::size_t Vectors>
MARGIN_INLINED void accumulate(Lanes<T> (&sums)[tile_rows][Vectors], const T* __restrict a, std::size_t across,
                               std::size_t along, const T* __restrict lines, std::size_t depth) {
    for (std::size_t t = 0; t < depth; ++t, a += along, lines += panel<T>) {
        const Lanes<T>* line = reinterpret_cast<const Lanes<T>*>(lines);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < tile_rows; ++r)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < Vectors; ++v)
                sums[r][v] += a[r * across] * line[v];
    }
}

template <class T, std::size_t Vectors>
MARGIN_INLINED void store(const Lanes<T> (&sums)[tile_rows][Vectors], T* to) {
#pragma GCC unroll 4
    for (std::size_t r = 0; r < tile_rows; ++r)
#pragma GCC unroll 3
        for (std::size_t v = 0; v < Vectors; ++v)
            reinterpret_cast<Lanes<T>*>(to + r * panel<T>)[v] = sums[r][v];
}

// Panels of the left side that are multiplied before the next tile has its turn: the 240 lines of the right side that
// belong to them, of 96 bytes each, stay in a cache of 32 kB.
template <class T>
inline constexpr std::size_t panels_at_once = 240 / panel<T>;

template <class T, std::size_t Vectors>
MARGIN_INLINED void rows_times_panel(const T* a, std::size_t stride, std::size_t rows, std::size_t depth,
                                     const T* lines, const T* start, T* out) {
    constexpr std::size_t P = panel<T>;
    const std::size_t n = panels_for<T>(depth);
    for (std::size_t begin = 0; begin == 0 || begin < n; begin += panels_at_once<T>) {
        const std::size_t end = std::min(n, begin + panels_at_once<T>);
        for (std::size_t r = 0; r < rows; r += tile_rows) {
            Lanes<T> sums[tile_rows][Vectors];
#pragma GCC unroll 4
            for (std::size_t i = 0; i < tile_rows; ++i)
#pragma GCC unroll 3
                for (std::size_t v = 0; v < Vectors; ++v)
                    sums[i][v] = begin == 0 ? (start ? reinterpret_cast<const Lanes<T>*>(start)[v] : Lanes<T>{})
                                            : reinterpret_cast<const Lanes<T>*>(out + (r + i) * P)[v];
            for (std::size_t q = begin; q < end; ++q)
                accumulate<T, Vectors>(sums, a + q * stride + r * P, P, 1, lines + q * P * P,
                                       std::min(P, depth - q * P));
            store<T, Vectors>(sums, out + r * P);
        }
    }
}

template <class T, std::size_t Vectors>
MARGIN_INLINED void columns_times_panel(const T* a, std::size_t columns, std::size_t rows, const T* lines, T* out) {
    for (std::size_t i = 0; i < columns; i += tile_rows) {
        Lanes<T> sums[tile_rows][Vectors] = {};
        accumulate<T, Vectors>(sums, a + i, 1, panel<T>, lines, rows);
        store<T, Vectors>(sums, out + i * panel<T>);
    }
}

/// f.operator()<Vectors>() for the registers that the last panel of so many columns fills, or those before it.
template <class T, class F>
MARGIN_INLINED void with_vectors(std::size_t p, std::size_t columns, F&& f) {
    const std::size_t left = columns - p * panel<T>;
    if (left > 2 * lanes<T>)
        f.template operator()<3>();
    else if (left > lanes<T>)
        f.template operator()<2>();
    else
        f.template operator()<1>();
}

} // namespace detail

/// Panels [first, last) of out = start + A B: A has `rows` rows (a multiple of four) and `depth` columns, in panels
/// `stride` cells apart; B has `columns` columns, in panels `b_stride` cells apart; so has out, at `stride` too.
/// `start` is a cell for each column, or null.
template <class T>
MARGIN_SIMD void multiply(const T* a, std::size_t stride, std::size_t rows, std::size_t depth, const T* b,
                          std::size_t b_stride, const T* start, std::size_t columns, T* out, std::size_t first,
                          std::size_t last) {
    for (std::size_t p = first; p < last; ++p)
        detail::with_vectors<T>(p, columns, [&]<std::size_t Vectors>() __attribute__((always_inline)) {
            detail::rows_times_panel<T, Vectors>(a, stride, rows, depth, b + p * b_stride,
                                                 start ? start + p * panel<T> : nullptr, out + p * stride);
        });
}

/// Lines of out = A' D that belong to panels [first, last) of A: sums over the first `rows` rows of both, in panels
/// `stride` cells apart. out has a line for each of the `a_lines` columns of A (a multiple of four) in each panel.
template <class T>
MARGIN_SIMD void multiply_transposed(const T* a, std::size_t a_lines, const T* d, std::size_t columns, std::size_t rows,
                                     std::size_t stride, T* out, std::size_t first, std::size_t last) {
    constexpr std::size_t P = panel<T>;
    for (std::size_t q = first; q < last; ++q)
        for (std::size_t p = 0; p < panels_for<T>(columns); ++p)
            detail::with_vectors<T>(p, columns, [&]<std::size_t Vectors>() __attribute__((always_inline)) {
                detail::columns_times_panel<T, Vectors>(a + q * stride, std::min(P, a_lines - q * P), rows,
                                                        d + p * stride, out + (p * a_lines + q * P) * P);
            });
}

/// Columns become lines: to holds the first `lines` lines of `columns` columns the other way round.
template <class T>
MARGIN_SIMD_LOOK void transpose(const T* from, std::size_t from_lines, std::size_t lines, std::size_t columns, T* to) {
    constexpr std::size_t P = panel<T>;
    for (std::size_t q = 0; q < panels_for<T>(lines); ++q)
        for (std::size_t c = 0; c < columns; ++c) {
            const T* source = from + ((c / P) * from_lines + q * P) * P + c % P;
            T* line = to + (q * columns + c) * P;
            const std::size_t n = std::min(P, lines - q * P);
            for (std::size_t i = 0; i < n; ++i)
                line[i] = source[i * P];
            for (std::size_t i = n; i < P; ++i)
                line[i] = 0;
        }
}

/// to[c] = the sum of column c over the first `rows` lines.
template <class T>
MARGIN_SIMD_LOOK void sum_lines(const T* d, std::size_t stride, std::size_t rows, std::size_t columns, T* to) {
    constexpr std::size_t P = panel<T>;
    for (std::size_t p = 0; p < panels_for<T>(columns); ++p) {
        T sums[P] = {};
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t j = 0; j < P; ++j)
                sums[j] += d[p * stride + r * P + j];
        std::copy_n(sums, P, to + p * P);
    }
}

} // namespace margin::deep
