#pragma once
// The best threshold for two classes and rows of weight 1: both counters of a bin in one word, all thresholds of a
// column weighed roughly and in one go, and only those that come close to the best one weighed exactly.
#include "bin_node.hpp"
#include "criterion.hpp"
#include "histogram.hpp"
#include "margin/core/simd.hpp"
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::tree {

/// Two classes, the number of rows of either in one half of a word. Requires fewer than 2^16 rows for 32 bits.
template <class Word>
struct PairCounts {
    using Target = Classes;
    using Number = Word;
    using Item = std::uint16_t;
    static constexpr int half_bits = 4 * sizeof(Word);
    static constexpr Word mask = (Word{1} << half_bits) - 1;

    static constexpr std::size_t width() noexcept { return 2; }
    static constexpr std::size_t cell() noexcept { return 1; }
    static constexpr Word one(Item y) noexcept { return Word{1} << (y ? half_bits : 0); }
    MARGIN_INLINED void add(Number* cell, Item y) const noexcept { *cell += one(y); }
    MARGIN_INLINED void take(Number* cell, Item y) const noexcept { *cell -= one(y); }
    static std::size_t zeros(Word word) noexcept { return word & mask; }
    static std::size_t ones(Word word) noexcept { return word >> half_bits; }
};

/// Half the loss of two branches, in single precision: a b / (a + b) and the same of the rest.
template <class Criterion>
struct Rough;

template <>
struct Rough<Gini> {
    MARGIN_INLINED static float loss(float a, float b, float rest_a, float rest_b) noexcept {
        const float n = a + b, rest_n = rest_a + rest_b;
        return (a * b * rest_n + rest_a * rest_b * n) / (n * rest_n);
    }
};

template <>
struct Rough<Error> {
    MARGIN_INLINED static float loss(float a, float b, float rest_a, float rest_b) noexcept {
        return std::min(a, b) + std::min(rest_a, rest_b);
    }
};

/// Rounding changes a rough loss by a few parts in 2^24.
inline constexpr float rough_margin = 1 + 0x1p-20f;

/// Numbers of both classes in all rows, and how many rows a branch must hold at least.
struct PairTotals {
    float zeros, ones, least;
};

namespace detail {

/// Rough losses of the thresholds behind bins 0 ... n - 1, infinite where a branch is too small, and the least of them.
/// `before` is what lies on the low side beforehand.
template <class Criterion, class Word>
MARGIN_SIMD float rough_losses(const Word* bins, std::size_t n, Word before, PairTotals totals, Word* below,
                               float* loss) noexcept {
    constexpr std::size_t lanes = 16;
    for (std::size_t b = 0; b < n; ++b)
        below[b] = before += bins[b];
    for (std::size_t b = n; b % lanes; ++b)
        below[b] = before; // no rows above: infinite, or the same as the last
    std::array<float, lanes> least;
    least.fill(std::numeric_limits<float>::infinity());
    for (std::size_t b = 0; b < n; b += lanes)
        for (std::size_t l = 0; l < lanes; ++l) {
            const float zeros = static_cast<float>(static_cast<std::int32_t>(below[b + l] & PairCounts<Word>::mask));
            const float ones =
                static_cast<float>(static_cast<std::int32_t>(below[b + l] >> PairCounts<Word>::half_bits));
            const float rest_zeros = totals.zeros - zeros, rest_ones = totals.ones - ones;
            const float rough = Rough<Criterion>::loss(zeros, ones, rest_zeros, rest_ones);
            const bool enough = (zeros + ones >= totals.least) & (rest_zeros + rest_ones >= totals.least);
            loss[b + l] = enough ? rough : std::numeric_limits<float>::infinity();
            least[l] = loss[b + l] < least[l] ? loss[b + l] : least[l];
        }
    float smallest = least[0];
    for (const float l : least)
        smallest = l < smallest ? l : smallest;
    return smallest;
}

/// The same for every row of a small node and 32 columns at once: the threshold behind the code of row i in column j,
/// loss[32 i + j], and the least of each column. `rows` point to the 32 codes of each row, the n_zeros rows of the first
/// class coming first.
template <class Criterion>
MARGIN_SIMD void rough_pairs(const std::uint8_t* const* rows, std::size_t n_zeros, std::size_t n, PairTotals totals,
                             std::uint8_t* zeros, std::uint8_t* ones, float* loss, float* least) noexcept {
    constexpr std::size_t lanes = 32;
    for (std::size_t l = 0; l < lanes; ++l)
        least[l] = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        std::array<std::uint8_t, lanes> cut, below_zeros{}, below_ones{};
        for (std::size_t l = 0; l < lanes; ++l)
            cut[l] = rows[i][l];
        for (std::size_t r = 0; r < n_zeros; ++r)
            for (std::size_t l = 0; l < lanes; ++l)
                below_zeros[l] += rows[r][l] <= cut[l];
        for (std::size_t r = n_zeros; r < n; ++r)
            for (std::size_t l = 0; l < lanes; ++l)
                below_ones[l] += rows[r][l] <= cut[l];
        for (std::size_t l = 0; l < lanes; ++l) {
            zeros[i * lanes + l] = below_zeros[l];
            ones[i * lanes + l] = below_ones[l];
        }
        for (std::size_t l = 0; l < lanes; ++l) {
            const float a = static_cast<float>(static_cast<std::int32_t>(below_zeros[l])),
                        b = static_cast<float>(static_cast<std::int32_t>(below_ones[l]));
            const float rest_a = totals.zeros - a, rest_b = totals.ones - b;
            const float rough = Rough<Criterion>::loss(a, b, rest_a, rest_b);
            const bool enough = (a + b >= totals.least) & (rest_a + rest_b >= totals.least);
            const float l_loss = enough ? rough : std::numeric_limits<float>::infinity();
            loss[i * lanes + l] = l_loss;
            least[l] = l_loss < least[l] ? l_loss : least[l];
        }
    }
}

} // namespace detail
} // namespace margin::tree
