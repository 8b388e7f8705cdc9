#pragma once
// The best threshold for two classes and rows of weight 1: both counters of a bin in one word, all thresholds of a
// column weighed roughly and in one go, and only those that come close to the best one weighed exactly.
#include "bin_node.hpp"
#include "histogram.hpp"
#include "margin/core/simd.hpp"
#include "margin/tree/targets/criterion.hpp"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::tree {

/// Two classes, the number of rows of either in one half of a word. Requires fewer than 2^16 rows for 32 bits.
template <class Word>
struct PairTally {
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
    std::size_t read(const Number* cell, double* sum) const noexcept {
        sum[0] = static_cast<double>(zeros(*cell));
        sum[1] = static_cast<double>(ones(*cell));
        return zeros(*cell) + ones(*cell);
    }
    static std::size_t zeros(Word word) noexcept { return word & mask; }
    static std::size_t ones(Word word) noexcept { return word >> half_bits; }
};

/// What thresholds of a column are ranked by, where columns are sorted (sweep_moments.hpp, sweep_sums.hpp): the same
/// bits, so that both ways of growing agree where thresholds are equally good.
template <class Criterion>
double exact_score(const BinNode& node, double zeros, double ones) noexcept {
    const double low = zeros + ones, rest = node.weight - low;
    if constexpr (Criterion::is_mean(2)) {
        const double apart = ones * node.weight - low * node.sum[1];
        return apart * apart * (1 / (low * rest));
    } else {
        const std::array below{zeros, ones}, above{node.sum[0] - zeros, node.sum[1] - ones};
        return -(Criterion::loss(below.data(), 2, low) + Criterion::loss(above.data(), 2, rest));
    }
}

/// Rounding changes a rough loss by a few parts in 2^24.
inline constexpr float rough_margin = 1 + 0x1p-20f;

/// Numbers of both classes in all rows, and how many rows a branch must hold at least.
struct PairTotals {
    float zeros, ones, least;
};

namespace detail {

/// Infinite where a branch is too small. Bits are masked rather than chosen: a choice would be compiled to a jump around
/// the division, which no vector can take.
template <class Criterion>
MARGIN_INLINED float rough_loss(float zeros, float ones, PairTotals totals) noexcept {
    const float rest_zeros = totals.zeros - zeros, rest_ones = totals.ones - ones;
    const auto loss = std::bit_cast<std::uint32_t>(Criterion::rough_loss(zeros, ones, rest_zeros, rest_ones));
    const std::uint32_t enough = zeros + ones >= totals.least, rest_enough = rest_zeros + rest_ones >= totals.least;
    constexpr auto infinite = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
    const std::uint32_t mask = -(enough & rest_enough);
    return std::bit_cast<float>((loss & mask) | (infinite & ~mask));
}

/// Rough losses of the thresholds behind bins 0 ... n - 1 and the least of them. `before` is what lies on the low side
/// beforehand. Requires room for n rounded up to a multiple of 16 in `below` and `loss`.
template <class Criterion, class Word>
MARGIN_SIMD float rough_losses(const Word* bins, std::size_t n, Word before, PairTotals totals, Word* below,
                               float* loss) noexcept {
    constexpr std::size_t lanes = 16;
    for (std::size_t b = 0; b < n; ++b)
        below[b] = before += bins[b];
    for (std::size_t b = n; b % lanes; ++b)
        below[b] = before;
    std::array<float, lanes> least;
    least.fill(std::numeric_limits<float>::infinity());
    for (std::size_t b = 0; b < n; b += lanes)
        for (std::size_t l = 0; l < lanes; ++l) {
            const Word word = below[b + l];
            const auto zeros = static_cast<float>(static_cast<std::int32_t>(word & PairTally<Word>::mask));
            const auto ones = static_cast<float>(static_cast<std::int32_t>(word >> PairTally<Word>::half_bits));
            const float rough = rough_loss<Criterion>(zeros, ones, totals);
            loss[b + l] = rough;
            least[l] = rough < least[l] ? rough : least[l];
        }
    return *std::min_element(least.begin(), least.end());
}

/// A small node: rows as 32 codes each, thresholds behind 32 codes each.
inline constexpr std::size_t pair_lanes = 32;
using PairRow = std::array<std::uint8_t, pair_lanes>;

/// What lies below the thresholds cuts[0 ... n_cuts), lane by lane, and their rough losses. The rows of the first class
/// come first.
template <class Criterion>
MARGIN_SIMD void rough_pairs(const PairRow* rows, std::size_t n_zeros, std::size_t n, const PairRow* cuts,
                             std::size_t n_cuts, PairTotals totals, PairRow* zeros, PairRow* ones,
                             std::array<float, pair_lanes>* loss) noexcept {
    for (std::size_t i = 0; i < n_cuts; ++i) {
        const PairRow cut = cuts[i];
        PairRow below{};
        for (std::size_t r = 0; r < n_zeros; ++r)
            for (std::size_t l = 0; l < pair_lanes; ++l)
                below[l] += rows[r][l] <= cut[l];
        zeros[i] = below;
        below = {};
        for (std::size_t r = n_zeros; r < n; ++r)
            for (std::size_t l = 0; l < pair_lanes; ++l)
                below[l] += rows[r][l] <= cut[l];
        ones[i] = below;
    }
    for (std::size_t i = 0; i < n_cuts; ++i)
        for (std::size_t l = 0; l < pair_lanes; ++l)
            loss[i][l] = rough_loss<Criterion>(static_cast<float>(static_cast<std::int32_t>(zeros[i][l])),
                                               static_cast<float>(static_cast<std::int32_t>(ones[i][l])), totals);
}

/// The least loss of each lane.
MARGIN_SIMD inline void least_losses(const std::array<float, pair_lanes>* loss, std::size_t n_cuts,
                                     std::array<float, pair_lanes>& least) noexcept {
    least.fill(std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < n_cuts; ++i)
        for (std::size_t l = 0; l < pair_lanes; ++l)
            least[l] = loss[i][l] < least[l] ? loss[i][l] : least[l];
}

} // namespace detail
} // namespace margin::tree
