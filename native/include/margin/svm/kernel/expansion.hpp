#pragma once
// Sums of kernels: for rows x and vectors v_j that stand in parts, sum over the j of a part of coef[s][j] k(x, v_j), for
// several s. Kernel values are made a strip at a time and used up while they are in the cache: the whole matrix of them
// is never there.
#include "expansion_vectors.hpp"
#include <array>
#include <cstdint>

namespace margin::svm {

/// coef[s * stride + j] for place j of a vector; part p stands at the places bounds[p] … bounds[p + 1] - 1.
template <class T>
struct Coefficients {
    const T* coef;
    std::size_t stride, n_sums;
    std::span<const std::int64_t> bounds;

    std::size_t n_parts() const noexcept { return bounds.size() - 1; }
};

namespace detail {

/// Sums of one row for several lines of coefficients, which share the values that are read.
template <std::size_t Lines, class T>
MARGIN_INLINED void add_row(const T* __restrict values, const T* __restrict coef, std::size_t coef_stride,
                            std::size_t n, double* __restrict sums) {
    using Lanes = typename Register<T>::Lanes;
    constexpr std::size_t lanes = 32 / sizeof(T);
    Lanes a[Lines][3] = {};
    for (std::size_t i = 0; i < n; i += 3 * lanes) {
        const Lanes* v = reinterpret_cast<const Lanes*>(values + i);
#pragma GCC unroll 3
        for (std::size_t s = 0; s < Lines; ++s) {
            const Lanes* w = reinterpret_cast<const Lanes*>(coef + s * coef_stride + i);
#pragma GCC unroll 3
            for (std::size_t t = 0; t < 3; ++t)
                a[s][t] += v[t] * w[t];
        }
    }
#pragma GCC unroll 3
    for (std::size_t s = 0; s < Lines; ++s) {
        T parts[lanes];
        *reinterpret_cast<Lanes*>(parts) = a[s][0] + a[s][1] + a[s][2];
        double total = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane)
            total += static_cast<double>(parts[lane]);
        sums[s] += total;
    }
}

template <class T>
MARGIN_INLINED void add_strip(const T* values, std::size_t stride, std::size_t rows, const T* coef,
                              std::size_t coef_stride, std::size_t n_sums, std::size_t n, double* sums,
                              std::size_t sums_stride) {
    for (std::size_t r = 0; r < rows; ++r) {
        std::size_t s = 0;
        for (; s + 3 <= n_sums; s += 3)
            add_row<3>(values + r * stride, coef + s * coef_stride, coef_stride, n, sums + r * sums_stride + s);
        for (; s < n_sums; ++s)
            add_row<1>(values + r * stride, coef + s * coef_stride, coef_stride, n, sums + r * sums_stride + s);
    }
}

} // namespace detail

/// sums[r * sums_stride + s] += sum over i < n of values[r * stride + i] coef[s * coef_stride + i]. Requires n to be a
/// multiple of panel_rows.
MARGIN_SIMD inline void add_values(const float* values, std::size_t stride, std::size_t rows, const float* coef,
                                   std::size_t coef_stride, std::size_t n_sums, std::size_t n, double* sums,
                                   std::size_t sums_stride) {
    detail::add_strip(values, stride, rows, coef, coef_stride, n_sums, n, sums, sums_stride);
}
MARGIN_SIMD inline void add_values(const double* values, std::size_t stride, std::size_t rows, const double* coef,
                                   std::size_t coef_stride, std::size_t n_sums, std::size_t n, double* sums,
                                   std::size_t sums_stride) {
    detail::add_strip(values, stride, rows, coef, coef_stride, n_sums, n, sums, sums_stride);
}

/// Kernel values of rows with all vectors, strip by strip.
///
/// `vectors` says how many places one strip has at most (`places`), lays them out (`lay`, which returns their squared
/// lengths) and multiplies rows that pass by with them (`multiply`, which returns the stride of the products); see
/// expansion_vectors.hpp. take(part, r, n_rows, first, n, values, stride) gets each strip: n_rows rows from the r-th on,
/// n vectors from the first-th on.
template <class T, class Vectors, class Take>
void for_each_strip(const Vectors& vectors, const typename Vectors::Rows& rows, const Kernel& kernel,
                    std::span<const std::int64_t> bounds, typename Vectors::Space& space, Take&& take) {
    std::vector<T> products(Vectors::at_once * vectors.places()), values(products.size());
    for (std::size_t part = 0; part + 1 < bounds.size(); ++part) {
        const auto end = static_cast<std::size_t>(bounds[part + 1]);
        for (auto first = static_cast<std::size_t>(bounds[part]); first < end; first += vectors.places()) {
            const std::size_t n = std::min(vectors.places(), end - first);
            const T* squares = vectors.lay(first, n, space);
            for (std::size_t r = 0; r < rows.size(); r += Vectors::at_once) {
                const std::size_t n_rows = std::min(Vectors::at_once, rows.size() - r);
                const std::size_t stride = vectors.multiply(rows, r, n_rows, first, n, space, products.data());
                kernel.apply(Products<T>{products.data(), stride, rows.squares() + r, squares, n_rows, n},
                             values.data(), stride);
                take(part, r, n_rows, first, n, values.data(), stride);
            }
        }
    }
}

/// run(rows, begin, space) for bands of n rows that make_rows(begin, end) places as the vectors want them, in parallel.
template <class Vectors, class MakeRows, class Run>
void for_each_band(const Vectors& vectors, std::size_t n_vectors, std::size_t n, MakeRows&& make_rows,
                   std::size_t n_threads, Monitor& monitor, Run&& run) {
    constexpr std::size_t worth_waking = std::size_t{1} << 20;
    const std::size_t cost = Vectors::band * (n_vectors * (vectors.depth() + 32) + 1);
    const std::size_t grain = Vectors::band * (1 + worth_waking / cost);
    parallel_for(n, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        typename Vectors::Space space;
        for (std::size_t from = begin; from < end; from += Vectors::band)
            run(make_rows(from, std::min(from + Vectors::band, end)), from, space);
    });
}

/// out[(row * n_parts + part) * n_sums + s] for n rows. Every sum runs over the strips of its part in order: the same
/// bits for any number of threads, and for a row alone. Beyond the last place, spread_rows more coefficients must be
/// readable, whatever finite numbers they are.
template <class T, class Vectors, class MakeRows>
void expansion_sums(const Vectors& vectors, const Kernel& kernel, const Coefficients<T>& by, std::size_t n,
                    MakeRows&& make_rows, double* out, std::size_t n_threads, Monitor& monitor) {
    const auto n_vectors = static_cast<std::size_t>(by.bounds.back());
    for_each_band(vectors, n_vectors, n, make_rows, n_threads, monitor,
                  [&](const auto& rows, std::size_t begin, auto& space) {
                      std::fill_n(out + begin * by.n_parts() * by.n_sums, rows.size() * by.n_parts() * by.n_sums, 0.0);
                      for_each_strip<T>(vectors, rows, kernel, by.bounds, space,
                                        [&](std::size_t part, std::size_t r, std::size_t n_rows, std::size_t first,
                                            std::size_t places, T* values, std::size_t stride) {
                                            const std::size_t whole =
                                                (places + panel_rows<T> - 1) / panel_rows<T> * panel_rows<T>;
                                            for (std::size_t i = 0; whole > places && i < n_rows; ++i)
                                                std::fill_n(values + i * stride + places, whole - places, T(0));
                                            double* to = out + ((begin + r) * by.n_parts() + part) * by.n_sums;
                                            add_values(values, stride, n_rows, by.coef + first, by.stride, by.n_sums,
                                                       whole, to, by.n_parts() * by.n_sums);
                                        });
                  });
}

/// out[row * n_vectors + j] = k(row, vector j).
template <class T, class Vectors, class MakeRows>
void kernel_values(const Vectors& vectors, const Kernel& kernel, std::size_t n_vectors, std::size_t n,
                   MakeRows&& make_rows, double* out, std::size_t n_threads, Monitor& monitor) {
    const std::array<std::int64_t, 2> bounds{0, static_cast<std::int64_t>(n_vectors)};
    for_each_band(vectors, n_vectors, n, make_rows, n_threads, monitor,
                  [&](const auto& rows, std::size_t begin, auto& space) {
                      for_each_strip<T>(vectors, rows, kernel, bounds, space,
                                        [&](std::size_t, std::size_t r, std::size_t n_rows, std::size_t first,
                                            std::size_t places, const T* values, std::size_t stride) {
                                            for (std::size_t i = 0; i < n_rows; ++i)
                                                std::copy_n(values + i * stride, places,
                                                            out + (begin + r + i) * n_vectors + first);
                                        });
                  });
}

} // namespace margin::svm
