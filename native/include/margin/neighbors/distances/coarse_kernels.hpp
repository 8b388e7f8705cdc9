#pragma once
// Rows written as bytes, compared with a few queries at once: which of them may be near enough to be worth a look?
//
// Three families, one for each way of joining differences. Each holds
//     rows, group     a panel is `rows` rows, met by `group` queries at a time
//     width           columns side by side: a panel is [column / width][row][column % width], a group likewise
//     squared, may_leave_out, most_spread_first   what the choice of columns goes by (grid.hpp)
//     half            cells lie in -half … half; rows are stored with `shift` added, so that they are unsigned
//     Kernel          (panel, starts of its rows, group, padded columns, limits of the queries, masks) -> any?
//     plain, avx2     two ways to the same integers
// and answers with a mask for each query: bit r is set if row r passes. The masks are only written if any row passes.
#include "row_distance.hpp"
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace margin::neighbors {

/// Columns are filled up with zeros to a multiple of this.
inline constexpr std::size_t coarse_columns = 8;

constexpr std::size_t padded_columns(std::size_t columns) noexcept {
    return (columns + coarse_columns - 1) / coarse_columns * coarse_columns;
}

using CoarseKernel = bool (*)(const std::uint8_t* panel, const std::int32_t* starts, const std::uint8_t* group,
                              std::size_t columns, const std::int32_t* limits, std::uint32_t* masks);

namespace detail {

/// One row against one query, cell by cell: join(so far, cell of the row, cell of the query), both as stored.
template <class C, class Join>
MARGIN_INLINED bool plain_masks(const std::uint8_t* panel, const std::int32_t* starts, const std::uint8_t* group,
                                std::size_t columns, std::uint32_t* masks, Join join, auto passes) {
    std::int32_t scores[C::group][C::rows];
    for (std::size_t q = 0; q < C::group; ++q)
        for (std::size_t r = 0; r < C::rows; ++r)
            scores[q][r] = starts[r];
    for (std::size_t j = 0; j < columns; j += C::width, panel += C::rows * C::width, group += C::group * C::width)
        for (std::size_t q = 0; q < C::group; ++q)
            for (std::size_t i = 0; i < C::width; ++i)
                for (std::size_t r = 0; r < C::rows; ++r)
                    scores[q][r] = join(scores[q][r], panel[r * C::width + i], group[q * C::width + i]);
    std::uint32_t any = 0;
    for (std::size_t q = 0; q < C::group; ++q) {
        masks[q] = 0;
        for (std::size_t r = 0; r < C::rows; ++r)
            masks[q] |= static_cast<std::uint32_t>(passes(scores[q][r], q)) << r;
        any |= masks[q];
    }
    return any != 0;
}

#ifdef MARGIN_HAS_AVX2
[[gnu::always_inline, gnu::target("avx2")]] inline __m256i load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
[[gnu::always_inline, gnu::target("avx2")]] inline __m256i four_bytes(const std::uint8_t* from) {
    std::int32_t value;
    std::memcpy(&value, from, sizeof value);
    return _mm256_set1_epi32(value);
}
[[gnu::always_inline, gnu::target("avx2")]] inline __m256i eight_bytes(const std::uint8_t* from) {
    long long value;
    std::memcpy(&value, from, sizeof value);
    return _mm256_set1_epi64x(value);
}
#endif

} // namespace detail

/// Products of rows and queries: sum_j x_j y_j - start > limit, where the cells of rows are x_j + 64.
/// Seven bits for either side, so that four products fit into 16 bits: vpmaddubsw multiplies 32 cells and adds pairs,
/// two of them are added, and only then widened. That is 43 products a cycle where floats have 16.
struct CoarseSquares {
    static constexpr std::size_t rows = 16, group = 4, width = 4;
    static constexpr int half = 63, shift = 64;
    static constexpr bool squared = true, largest = false, most_spread_first = false;
    static constexpr double may_leave_out = 0.02;

    static bool plain(const std::uint8_t* panel, const std::int32_t* starts, const std::uint8_t* group_,
                      std::size_t columns, const std::int32_t* limits, std::uint32_t* masks) {
        return detail::plain_masks<CoarseSquares>(
            panel, starts, group_, columns, masks,
            [](std::int32_t s, std::uint8_t x, std::uint8_t y) { return s + x * static_cast<std::int8_t>(y); },
            [=](std::int32_t s, std::size_t q) { return s > limits[q]; });
    }

#ifdef MARGIN_HAS_AVX2
    [[gnu::target("avx2")]] static bool avx2(const std::uint8_t* panel, const std::int32_t* starts,
                                             const std::uint8_t* queries, std::size_t columns,
                                             const std::int32_t* limits, std::uint32_t* masks) {
        __m256i s[group][2];
        const __m256i one = _mm256_set1_epi16(1);
        for (std::size_t q = 0; q < group; ++q)
            for (std::size_t r = 0; r < 2; ++r)
                s[q][r] = detail::load(starts + 8 * r);
        for (std::size_t j = 0; j < columns; j += 8, panel += 128, queries += 32) {
            const __m256i x00 = detail::load(panel), x01 = detail::load(panel + 32), x10 = detail::load(panel + 64),
                          x11 = detail::load(panel + 96);
#pragma GCC unroll 4
            for (std::size_t q = 0; q < group; ++q) {
                const __m256i y0 = detail::four_bytes(queries + 4 * q), y1 = detail::four_bytes(queries + 4 * q + 16);
                const __m256i low = _mm256_add_epi16(_mm256_maddubs_epi16(x00, y0), _mm256_maddubs_epi16(x10, y1));
                const __m256i high = _mm256_add_epi16(_mm256_maddubs_epi16(x01, y0), _mm256_maddubs_epi16(x11, y1));
                s[q][0] = _mm256_add_epi32(s[q][0], _mm256_madd_epi16(low, one));
                s[q][1] = _mm256_add_epi32(s[q][1], _mm256_madd_epi16(high, one));
            }
        }
        __m256i any = _mm256_setzero_si256();
#pragma GCC unroll 4
        for (std::size_t q = 0; q < group; ++q) {
            const __m256i limit = _mm256_set1_epi32(limits[q]);
            for (std::size_t r = 0; r < 2; ++r)
                any = _mm256_or_si256(any, s[q][r] = _mm256_cmpgt_epi32(s[q][r], limit));
        }
        if (_mm256_testz_si256(any, any))
            return false;
        for (std::size_t q = 0; q < group; ++q)
            masks[q] = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(s[q][0])) |
                                                  _mm256_movemask_ps(_mm256_castsi256_ps(s[q][1])) << 8);
        return true;
    }
#endif
};

/// Sums of absolute differences: sum_j |x_j - y_j| <= limit, both sides stored with 128 added.
/// vpsadbw takes eight columns of four rows at once.
struct CoarseSums {
    static constexpr std::size_t rows = 8, group = 6, width = 8;
    static constexpr int half = 127, shift = 128;
    static constexpr bool squared = false, largest = false, most_spread_first = false;
    static constexpr double may_leave_out = 0.02;

    static bool plain(const std::uint8_t* panel, const std::int32_t* starts, const std::uint8_t* group_,
                      std::size_t columns, const std::int32_t* limits, std::uint32_t* masks) {
        return detail::plain_masks<CoarseSums>(
            panel, starts, group_, columns, masks,
            [](std::int32_t s, std::uint8_t x, std::uint8_t y) { return s + (x < y ? y - x : x - y); },
            [=](std::int32_t s, std::size_t q) { return s <= limits[q]; });
    }

#ifdef MARGIN_HAS_AVX2
    [[gnu::target("avx2")]] static bool avx2(const std::uint8_t* panel, const std::int32_t*,
                                             const std::uint8_t* queries, std::size_t columns,
                                             const std::int32_t* limits, std::uint32_t* masks) {
        __m256i s[group][2];
        for (auto& pair : s)
            pair[0] = pair[1] = _mm256_setzero_si256();
        for (std::size_t j = 0; j < columns; j += 8, panel += 64, queries += 8 * group) {
            const __m256i x0 = detail::load(panel), x1 = detail::load(panel + 32);
#pragma GCC unroll 6
            for (std::size_t q = 0; q < group; ++q) {
                const __m256i y = detail::eight_bytes(queries + 8 * q);
                s[q][0] = _mm256_add_epi64(s[q][0], _mm256_sad_epu8(x0, y));
                s[q][1] = _mm256_add_epi64(s[q][1], _mm256_sad_epu8(x1, y));
            }
        }
        __m256i all = _mm256_set1_epi64x(-1);
#pragma GCC unroll 6
        for (std::size_t q = 0; q < group; ++q) {
            const __m256i limit = _mm256_set1_epi64x(limits[q]);
            for (std::size_t r = 0; r < 2; ++r)
                all = _mm256_and_si256(all, s[q][r] = _mm256_cmpgt_epi64(s[q][r], limit));
        }
        if (_mm256_testc_si256(all, _mm256_set1_epi64x(-1)))
            return false;
        for (std::size_t q = 0; q < group; ++q)
            masks[q] = 0xff & ~static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(s[q][0])) |
                                                          _mm256_movemask_pd(_mm256_castsi256_pd(s[q][1])) << 4);
        return true;
    }
#endif
};

/// Largest differences: max_j |x_j - y_j| <= limit, both sides stored with 128 added. The row is given up as soon as
/// all 32 rows of the panel are too far from all queries of the group.
struct CoarseLargest {
    static constexpr std::size_t rows = 32, group = 4, width = 1;
    static constexpr int half = 127, shift = 128;
    static constexpr bool squared = false, largest = true, most_spread_first = true;
    static constexpr double may_leave_out = 0;

    static bool plain(const std::uint8_t* panel, const std::int32_t* starts, const std::uint8_t* group_,
                      std::size_t columns, const std::int32_t* limits, std::uint32_t* masks) {
        return detail::plain_masks<CoarseLargest>(
            panel, starts, group_, columns, masks,
            [](std::int32_t s, std::uint8_t x, std::uint8_t y) {
                const std::int32_t d = x < y ? y - x : x - y;
                return s < d ? d : s;
            },
            [=](std::int32_t s, std::size_t q) { return s <= limits[q]; });
    }

#ifdef MARGIN_HAS_AVX2
    [[gnu::target("avx2")]] static bool avx2(const std::uint8_t* panel, const std::int32_t*,
                                             const std::uint8_t* queries, std::size_t columns,
                                             const std::int32_t* limits, std::uint32_t* masks) {
        __m256i over[group], limit[group]; // what differences have above the limit, saturated: 0 passes
        for (std::size_t q = 0; q < group; ++q) {
            over[q] = _mm256_setzero_si256();
            limit[q] = _mm256_set1_epi8(static_cast<char>(limits[q] > 255 ? 255 : limits[q] < 0 ? 0 : limits[q]));
        }
        const __m256i zero = _mm256_setzero_si256();
        for (std::size_t j = 0; j < columns; j += 8) {
            for (std::size_t i = 0; i < 8; ++i, panel += 32, queries += group) {
                const __m256i x = detail::load(panel);
#pragma GCC unroll 4
                for (std::size_t q = 0; q < group; ++q) {
                    const __m256i y = _mm256_set1_epi8(static_cast<char>(queries[q]));
                    const __m256i d = _mm256_or_si256(_mm256_subs_epu8(x, y), _mm256_subs_epu8(y, x));
                    over[q] = _mm256_or_si256(over[q], _mm256_subs_epu8(d, limit[q]));
                }
            }
            __m256i any = _mm256_setzero_si256();
            for (std::size_t q = 0; q < group; ++q)
                any = _mm256_or_si256(any, _mm256_cmpeq_epi8(over[q], zero));
            if (_mm256_testz_si256(any, any))
                return false;
        }
        std::uint32_t any = 0;
        for (std::size_t q = 0; q < group; ++q)
            any |= masks[q] =
                limits[q] < 0 ? 0 : static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(over[q], zero)));
        return any != 0;
    }
#endif
};

/// The quickest kernel of a family on this machine.
template <class C>
CoarseKernel coarse_kernel() noexcept {
#ifdef MARGIN_HAS_AVX2
    if (has_avx2())
        return &C::avx2;
#endif
    return &C::plain;
}

} // namespace margin::neighbors
