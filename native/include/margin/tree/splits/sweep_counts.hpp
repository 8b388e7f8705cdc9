#pragma once
// The best threshold for any number of classes whose weights are whole numbers: sums over the classes are kept up to
// date in whole numbers, so that a case costs the same however many classes there are.
#include "margin/tree/targets/criterion.hpp"
#include "sweep.hpp"
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// Weights up to this total are counted: squares stay exact in double, and tables of logarithms small.
inline constexpr double most_counts = 1 << 26;

/// x log2 x for x = 0 ... n in units of 2^-shift: sums of rounded numbers do not depend on their order, those of
/// logarithms would. `n_sums` outputs are added up at a time.
struct LogTable {
    std::vector<std::int64_t> x_log_x;

    LogTable() = default;
    explicit LogTable(std::size_t n, std::size_t n_sums = 1) : x_log_x(n + 1) {
        const double largest = x_log2_x(static_cast<double>(n) + 2) * static_cast<double>(n_sums);
        const int shift = 59 - static_cast<int>(std::ceil(std::log2(largest))); // four of them fit into 63 bits
        for (std::size_t x = 2; x <= n; ++x)
            x_log_x[x] = std::llround(std::ldexp(x_log2_x(static_cast<double>(x)), shift));
    }
};

/// Sums of squares on both sides; the loss falls as they rise, each divided by the weight of its side.
struct SquareParts {
    std::int64_t low = 0, high = 0;
    void add_low(std::int64_t count) noexcept { low += count * count; }
    void add_high(std::int64_t count) noexcept { high += count * count; }
    void move(std::int64_t low_count, std::int64_t high_count, std::int64_t w) noexcept {
        low += w * (2 * low_count + w);
        high -= w * (2 * high_count - w);
    }
    void write(Scratch& scratch, std::size_t i, std::int64_t low_weight, std::int64_t) const noexcept {
        scratch.low_parts[i] = low;
        scratch.high_parts[i] = high;
        scratch.weights[i] = static_cast<double>(low_weight);
    }
};

/// Sums of x log2 x over the classes on both sides, less that of the weights of the sides.
struct LogParts {
    const std::int64_t* table;
    std::int64_t low = 0, high = 0;
    void add_low(std::int64_t count) noexcept { low += table[count]; }
    void add_high(std::int64_t count) noexcept { high += table[count]; }
    void move(std::int64_t low_count, std::int64_t high_count, std::int64_t w) noexcept {
        low += table[low_count + w] - table[low_count];
        high += table[high_count - w] - table[high_count];
    }
    void write(Scratch& scratch, std::size_t i, std::int64_t low_weight, std::int64_t high_weight) const noexcept {
        scratch.low_parts[i] = low + high - table[low_weight] - table[high_weight];
        scratch.weights[i] = static_cast<double>(low_weight);
    }
};

namespace detail {

/// A whole number between 0 and 2^52, without the detour that machines before AVX-512 make.
MARGIN_INLINED double as_double(std::int64_t x) noexcept {
    return std::bit_cast<double>(x | 0x4330000000000000) - 0x1p52;
}

} // namespace detail

/// Scores of thresholds behind entries[0 ... n), -1 where there can be none.
MARGIN_SIMD inline void score_squares(const Entry* entries, const std::int64_t* low, const std::int64_t* high,
                                      const double* weights, double all_weight, double least_weight, std::size_t n,
                                      double* scores) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        const double w = weights[i], rest = all_weight - w;
        const double score = detail::as_double(low[i]) / w + detail::as_double(high[i]) / rest;
        scores[i] = entries[i].code != entries[i + 1].code && w >= least_weight && rest >= least_weight ? score : -1.0;
    }
}

/// The classes of a node, numbered anew so that passes need not care for those that it does not hold.
struct LocalClasses {
    std::vector<std::uint16_t> global; // the class behind each number
    std::vector<std::int32_t> count;   // the weight of each in the node
    Buffer<std::uint16_t> of;          // the number of each case

    void take(const Segment<Classes>& cases, const std::vector<double>& sum) {
        global.clear();
        count.clear();
        number_.resize(sum.size());
        for (std::size_t c = 0; c < sum.size(); ++c)
            if (sum[c] > 0) {
                number_[c] = static_cast<std::uint16_t>(global.size());
                global.push_back(static_cast<std::uint16_t>(c));
                count.push_back(static_cast<std::int32_t>(sum[c]));
            }
        of.resize(cases.n);
        for (std::size_t i = 0; i < cases.n; ++i)
            of[i] = number_[cases.target[i]];
    }

private:
    std::vector<std::uint16_t> number_;
};

/// A pass with classes counted; Parts is SquareParts or LogParts.
template <class Parts>
class CountSweep {
public:
    CountSweep(const Segment<Classes>& cases, const LocalClasses& classes, const Sweep& sweep, Scratch& scratch)
        : cases_(cases), classes_(classes), sweep_(sweep), scratch_(scratch) {}

    Cut run(Parts parts) {
        const std::size_t width = classes_.global.size();
        auto& low = scratch_.class_counts;
        low.assign(width, 0);
        auto& high = scratch_.high_counts;
        high.assign(width, 0);
        for (std::size_t c = 0; c < width; ++c) {
            low[c] = static_cast<std::int32_t>(sweep_.low[classes_.global[c]]);
            high[c] = static_cast<std::int32_t>(sweep_.all[classes_.global[c]]) - low[c];
            parts.add_low(low[c]);
            parts.add_high(high[c]);
        }
        auto weight = static_cast<std::int64_t>(sweep_.low_weight);
        for (std::size_t begin = 0; begin < sweep_.last; begin += sweep_block) {
            const std::size_t end = std::min(begin + sweep_block, sweep_.last);
            scratch_.block_counts = low;
            weight = cases_.weight.empty() ? count<false>(parts, weight, begin, end)
                                           : count<true>(parts, weight, begin, end);
            if (end > sweep_.first)
                look(begin, end);
        }
        if (cut_.found)
            replay();
        return cut_;
    }

private:
    template <bool weighted>
    std::int64_t count(Parts& parts, std::int64_t weight, std::size_t begin, std::size_t end) {
        std::int32_t* const low = scratch_.class_counts.data();
        std::int32_t* const high = scratch_.high_counts.data();
        const auto all = static_cast<std::int64_t>(sweep_.all_weight);
        for (std::size_t i = begin; i < end; ++i) {
            const auto place = sweep_.entries[i].place;
            const auto c = classes_.of[place];
            const std::int64_t w = weighted ? static_cast<std::int64_t>(cases_.weight[place]) : 1;
            parts.move(low[c], high[c], w);
            low[c] += static_cast<std::int32_t>(w);
            high[c] -= static_cast<std::int32_t>(w);
            weight += w;
            parts.write(scratch_, i - begin, weight, all - weight);
        }
        return weight;
    }

    void look(std::size_t begin, std::size_t end) {
        const std::size_t skip = std::max(begin, sweep_.first) - begin, n = end - begin - skip;
        const Entry* entries = sweep_.entries + begin + skip;
        const double* weights = scratch_.weights.data() + skip;
        if constexpr (std::is_same_v<Parts, SquareParts>) {
            score_squares(entries, scratch_.low_parts.data() + skip, scratch_.high_parts.data() + skip, weights,
                          sweep_.all_weight, sweep_.least_weight, n, scratch_.scores.data());
            for (std::size_t i = 0; i < n; ++i)
                if (scratch_.scores[i] > best_square_) {
                    best_square_ = scratch_.scores[i];
                    keep(begin, begin + skip + i);
                }
        } else {
            const std::int64_t* scores = scratch_.low_parts.data() + skip;
            for (std::size_t i = 0; i < n; ++i)
                if (scores[i] > best_log_ && entries[i].code != entries[i + 1].code &&
                    weights[i] >= sweep_.least_weight && sweep_.all_weight - weights[i] >= sweep_.least_weight) {
                    best_log_ = scores[i];
                    keep(begin, begin + skip + i);
                }
        }
    }

    void keep(std::size_t block, std::size_t at) {
        if (!cut_.found || block_ != block)
            scratch_.best_counts = scratch_.block_counts;
        block_ = block;
        cut_.found = true;
        cut_.at = at;
        cut_.low_weight = scratch_.weights[at - block];
    }

    /// The counts at the best threshold, from those at the beginning of its block.
    void replay() {
        auto& counts = scratch_.best_counts;
        for (std::size_t i = block_; i <= cut_.at; ++i) {
            const auto place = sweep_.entries[i].place;
            counts[classes_.of[place]] += static_cast<std::int32_t>(cases_.weight_of(place));
        }
        std::fill(scratch_.best.begin(), scratch_.best.end(), 0.0);
        for (std::size_t c = 0; c < counts.size(); ++c)
            scratch_.best[classes_.global[c]] = counts[c];
    }

    const Segment<Classes>& cases_;
    const LocalClasses& classes_;
    const Sweep& sweep_;
    Scratch& scratch_;
    Cut cut_;
    std::size_t block_ = 0;
    double best_square_ = -1;
    std::int64_t best_log_ = std::numeric_limits<std::int64_t>::min();
};

} // namespace margin::tree
