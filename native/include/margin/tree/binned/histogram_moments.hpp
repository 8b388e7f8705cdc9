#pragma once
// The best threshold where a loss is that of a mean (sweep_moments.hpp): all thresholds of a column in one go.
#include "histogram.hpp"
#include "margin/core/simd.hpp"
#include "margin/tree/targets/uninitialised.hpp"
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace margin::tree {

/// Cases, their weight, and the sum that a mean is of: the weight of class 1, or the parts of the numbers.
struct Moments {
    double n = 0, weight = 0, sum = 0;

    MARGIN_INLINED void add(const Moments& other) noexcept {
        n += other.n;
        weight += other.weight;
        sum += other.sum;
    }

    /// The sums of a target.
    template <class Target>
    std::array<double, 2> sums() const noexcept {
        return {std::is_same_v<Target, Classes> ? weight - sum : weight, sum};
    }
};

MARGIN_INLINED Moments moments_of_bin(const ValueTally&, const double* cell) noexcept {
    return {cell[0], cell[0], cell[1]};
}
MARGIN_INLINED Moments moments_of_bin(const WeightedValueTally&, const double* cell) noexcept {
    return {cell[2], cell[0], cell[1]};
}
MARGIN_INLINED Moments moments_of_bin(const WeightTally&, const double* cell) noexcept { // two classes
    return {cell[2], cell[0] + cell[1], cell[1]};
}
MARGIN_INLINED Moments moments_of_row(const Values::Item& item) noexcept { return {1, 1, item.part}; }
MARGIN_INLINED Moments moments_of_row(const WeightedValueTally::Item& item) noexcept {
    return {1, item.weight, item.part};
}
MARGIN_INLINED Moments moments_of_row(const WeightTally::Item& item) noexcept {
    return {1, item.weight, item.y ? item.weight : 0.0};
}

/// What lies below each threshold of a column, missing cells aside: cases, weight and sum. Where no threshold can stand
/// there are infinitely few cases.
struct MomentCuts {
    static constexpr std::size_t lanes = 8;
    static constexpr double none = -std::numeric_limits<double>::infinity();

    Buffer<double> n, weight, sum, score;
    Buffer<std::uint32_t> code;
    std::size_t size = 0;

    void make_room(std::size_t most) {
        for (auto* numbers : {&n, &weight, &sum, &score})
            numbers->resize(most + lanes);
        code.resize(most + lanes);
    }
};

/// What a pass over the thresholds is given: both sides together, what is on the low side beforehand, and how much
/// either side must have.
struct MomentPass {
    double all_n, all_weight, all_sum;
    double n = 0, weight = 0, sum = 0;
    double least_n, least_weight;
};

/// Scores as score_equal and score_weighted have them, to the last bit, -1 where a side would be too small; the largest
/// of them. Fills up the last lanes of `cuts`.
MARGIN_SIMD inline double score_moments(MomentCuts& cuts, MomentPass pass) noexcept {
    constexpr std::size_t lanes = MomentCuts::lanes;
    for (std::size_t k = cuts.size; k % lanes; ++k) {
        cuts.n[k] = MomentCuts::none;
        cuts.weight[k] = cuts.sum[k] = 0;
    }
    const double *n = cuts.n.data(), *weight = cuts.weight.data(), *sum = cuts.sum.data();
    double* const score = cuts.score.data();
    constexpr auto minus_one = std::bit_cast<std::uint64_t>(-1.0);
    std::array<double, lanes> largest;
    largest.fill(-1.0);
    for (std::size_t k = 0; k < cuts.size; k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) {
            const double w = weight[k + l] + pass.weight, rest = pass.all_weight - w;
            const double cases = n[k + l] + pass.n;
            const double apart = (sum[k + l] + pass.sum) * pass.all_weight - w * pass.all_sum;
            // Masked rather than chosen: a choice would be a jump around the division, which no vector can take.
            const auto bits = std::bit_cast<std::uint64_t>(apart * apart * (1 / (w * rest)));
            const std::uint64_t enough = cases >= pass.least_n, rest_enough = pass.all_n - cases >= pass.least_n;
            const std::uint64_t heavy = w >= pass.least_weight, rest_heavy = rest >= pass.least_weight;
            const std::uint64_t mask = -(enough & rest_enough & heavy & rest_heavy);
            const double s = std::bit_cast<double>((bits & mask) | (minus_one & ~mask));
            score[k + l] = s;
            largest[l] = s > largest[l] ? s : largest[l];
        }
    for (std::size_t l = 1; l < lanes; ++l)
        largest[0] = largest[l] > largest[0] ? largest[l] : largest[0];
    return largest[0];
}

/// 32 codes of a row side by side.
template <class Code>
using CodeRow = std::array<Code, 32>;

/// The place of each row in the order of its codes, then of the rows, for 32 columns at once. Requires n <= 255. O(n^2).
template <class Code>
MARGIN_SIMD void rank_rows(const CodeRow<Code>* rows, std::size_t n, CodeRow<Code>* rank) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        const CodeRow<Code> own = rows[i];
        CodeRow<Code> before{};
        for (std::size_t r = 0; r < i; ++r)
            for (std::size_t l = 0; l < own.size(); ++l)
                before[l] += rows[r][l] <= own[l];
        for (std::size_t r = i + 1; r < n; ++r)
            for (std::size_t l = 0; l < own.size(); ++l)
                before[l] += rows[r][l] < own[l];
        rank[i] = before;
    }
}

} // namespace margin::tree
