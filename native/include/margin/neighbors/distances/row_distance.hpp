#pragma once
// Exact distances from a query to rows, one after another: the bits of joined<D>, some rows at a time.
#include "distance.hpp"
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cstdint>
#include <limits>
#if defined(__x86_64__) && defined(__GNUC__)
#define MARGIN_HAS_AVX2 1
#include <immintrin.h>
#endif

namespace margin::neighbors {

/// Whether what is written out for AVX2 below may run. Where clones are chosen by level (core/simd.hpp), this is too, so
/// that MARGIN_SIMD=baseline in the environment means all kernels.
inline bool has_avx2() noexcept {
#if defined(MARGIN_HAS_AVX2) && defined(MARGIN_SIMD_CLONES)
    return simd_level() != "default";
#elif defined(MARGIN_HAS_AVX2)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

/// out[i] = joined distance from the query to row i, or any number above `limit` if it is above that. Only the function
/// knows the type of the rows, so that what calls it need not be compiled for each.
using RowDistances = void (*)(const double* query, const void* rows, std::size_t n, std::size_t columns, double p,
                              double limit, double* out);

/// For machines without AVX2, and for terms that no vectors help with: no clones.
template <class D, class T>
void plain_row_distances(const double* query, const void* cells, std::size_t n, std::size_t columns, double p, double,
                         double* out) {
    const T* const rows = static_cast<const T*>(cells);
    for (std::size_t i = 0; i < n; ++i)
        out[i] = joined<D>(query, rows + i * columns, columns, p);
}

#ifdef MARGIN_HAS_AVX2
// Written out, because GCC computes half of the plain loops twice and does not vectorise the others: 3 to 8 times
// slower. Without FMA: products must be rounded before they are added.
namespace avx2 {

#define MARGIN_AVX2 [[gnu::always_inline, gnu::target("avx2")]] inline

/// Columns after which a distance is looked at, to see whether it is already too long.
inline constexpr std::size_t columns_before_look = 128;

template <VectorStep step>
MARGIN_AVX2 __m256d joined_with(__m256d sums, __m256d difference) {
    const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), difference);
    if constexpr (step == VectorStep::add_square)
        return _mm256_add_pd(sums, _mm256_mul_pd(difference, difference));
    else if constexpr (step == VectorStep::add_size)
        return _mm256_add_pd(sums, size);
    else {
        static_assert(step == VectorStep::largest_size, "a step without its instructions");
        return _mm256_max_pd(sums, size);
    }
}

template <VectorStep step>
MARGIN_AVX2 double halved(__m256d low, __m256d high) {
    constexpr bool largest = step == VectorStep::largest_size; // all others add
    const __m256d four = largest ? _mm256_max_pd(low, high) : _mm256_add_pd(low, high);
    const __m128d a = _mm256_castpd256_pd128(four), b = _mm256_extractf128_pd(four, 1);
    const __m128d two = largest ? _mm_max_pd(a, b) : _mm_add_pd(a, b), swapped = _mm_unpackhi_pd(two, two);
    return _mm_cvtsd_f64(largest ? _mm_max_sd(two, swapped) : _mm_add_sd(two, swapped));
}

MARGIN_AVX2 __m256d four(const double* from) { return _mm256_loadu_pd(from); }
MARGIN_AVX2 __m256d four(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }

/// The first n < 4 cells and zeros, which join without a trace.
MARGIN_AVX2 __m256d some(const double* from, __m256i chosen) { return _mm256_maskload_pd(from, chosen); }
MARGIN_AVX2 __m256d some(const float* from, __m256i chosen) {
    const __m128i narrow = _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(_mm256_castsi256_si128(chosen)),
                                                           _mm_castsi128_ps(_mm256_extracti128_si256(chosen, 1)),
                                                           _MM_SHUFFLE(2, 0, 2, 0)));
    return _mm256_cvtps_pd(_mm_maskload_ps(from, narrow));
}
MARGIN_AVX2 __m256i first(std::size_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)), _mm256_setr_epi64x(0, 1, 2, 3));
}

/// R rows at a time: one alone would wait for its sums three cycles out of four.
/// Terms are at least 0 and rounded sums never shrink as terms are added, so that the sums joined in the middle of a
/// row are a lower bound of those at its end, to the last bit.
template <VectorStep step, std::size_t R, class T>
MARGIN_AVX2 void distances(const double* query, const T* rows, std::size_t columns, double limit, double* out) {
    __m256d low[R], high[R];
    for (std::size_t r = 0; r < R; ++r)
        low[r] = high[r] = _mm256_setzero_pd();
    const std::size_t whole = columns / n_sums * n_sums;
    for (std::size_t j = 0; j < whole;) {
        for (const std::size_t stop = std::min(j + columns_before_look, whole); j < stop; j += n_sums) {
            const __m256d a = four(query + j), b = four(query + j + 4);
#pragma GCC unroll 4
            for (std::size_t r = 0; r < R; ++r) {
                low[r] = joined_with<step>(low[r], _mm256_sub_pd(a, four(rows + r * columns + j)));
                high[r] = joined_with<step>(high[r], _mm256_sub_pd(b, four(rows + r * columns + j + 4)));
            }
        }
        if (j + columns_before_look / 2 > columns)
            continue; // the rest is not worth a look
        bool near = false;
        for (std::size_t r = 0; r < R; ++r)
            near |= !((out[r] = halved<step>(low[r], high[r])) > limit);
        if (!near)
            return;
    }
    const std::size_t rest = columns - whole;
    if (rest > 0) {
        const __m256i left = first(rest), right = first(rest > 4 ? rest - 4 : 0);
        const __m256d a = some(query + whole, left), b = some(query + whole + 4, right);
        for (std::size_t r = 0; r < R; ++r) {
            low[r] = joined_with<step>(low[r], _mm256_sub_pd(a, some(rows + r * columns + whole, left)));
            high[r] = joined_with<step>(high[r], _mm256_sub_pd(b, some(rows + r * columns + whole + 4, right)));
        }
    }
    for (std::size_t r = 0; r < R; ++r)
        out[r] = halved<step>(low[r], high[r]);
}

template <VectorStep step, class T>
[[gnu::target("avx2")]] void row_distances(const double* query, const void* cells, std::size_t n, std::size_t columns,
                                           double, double limit, double* out) {
    const T* const rows = static_cast<const T*>(cells);
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        distances<step, 4>(query, rows + i * columns, columns, limit, out + i);
    for (; i < n; ++i)
        distances<step, 1>(query, rows + i * columns, columns, limit, out + i);
}

} // namespace avx2
#endif

/// The quickest way to the distances of a family on this machine.
template <class D, class T>
RowDistances row_distances() noexcept {
#ifdef MARGIN_HAS_AVX2
    if constexpr (requires { D::vector_step; }) {
        static_assert(!settles<D>, "vectors do not settle");
        if (has_avx2())
            return &avx2::row_distances<D::vector_step, T>;
    }
#endif
    return &plain_row_distances<D, T>;
}

} // namespace margin::neighbors
