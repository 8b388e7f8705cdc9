#pragma once
// One threshold drawn at random for a column of a node: nothing is sorted and nothing coded.
#include "cases.hpp"
#include "coded_table.hpp"
#include "margin/tree/binned/bin_proposals.hpp"
#include "margin/tree/random/random_split.hpp"
#include "node_numbers.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace margin::ensemble {

using tree::BinCommon, tree::BinNode, tree::BinSplit;

namespace detail {

/// The smallest and the largest number, and how many are missing (NaN); lowest > highest if all are.
struct NumberRange {
    double lowest = std::numeric_limits<double>::infinity(), highest = -std::numeric_limits<double>::infinity();
    std::size_t n_missing = 0;
};

inline NumberRange range_of(std::span<const double> x) noexcept {
    constexpr std::size_t lanes = 4; // so that no number waits for the one before
    std::array<double, lanes> low, high;
    std::array<std::uint64_t, lanes> missing{};
    low.fill(NumberRange{}.lowest);
    high.fill(NumberRange{}.highest);
    const auto look = [&](std::size_t l, double v) { // NaN is neither lower nor higher
        low[l] = v < low[l] ? v : low[l];
        high[l] = v > high[l] ? v : high[l];
        missing[l] += v != v;
    };
    std::size_t i = 0;
    for (; i + lanes <= x.size(); i += lanes)
        for (std::size_t l = 0; l < lanes; ++l)
            look(l, x[i + l]);
    for (; i < x.size(); ++i)
        look(0, x[i]);
    return {std::min({low[0], low[1], low[2], low[3]}) + 0.0, std::max({high[0], high[1], high[2], high[3]}) + 0.0,
            missing[0] + missing[1] + missing[2] + missing[3]}; // + 0.0: 0 for -0
}

/// Adds up the cases i for which holds(i), no branch on that: it cannot be foretold. Gives how many they are.
template <class Case, class Holds>
std::size_t add_where(std::span<const Case> cases, std::size_t, double* sum, std::vector<std::uint32_t>& room,
                      Holds&& holds) {
    room.resize(cases.size());
    std::size_t m = 0, n = 0;
    for (std::uint32_t i = 0; i < cases.size(); ++i) {
        room[m] = i;
        m += holds(i);
    }
    for (std::size_t k = 0; k < m; ++k) {
        cases[room[k]].add_to(sum);
        n += cases[room[k]].times();
    }
    return n;
}

/// Two classes in one sum: all cases in the lower half, those of class 1 in the upper.
template <class Holds>
std::size_t add_where(std::span<const CountedClass> cases, std::size_t width, double* sum,
                      std::vector<std::uint32_t>& room, Holds&& holds) {
    if (width != 2)
        return add_where<CountedClass, Holds>(cases, width, sum, room, std::forward<Holds>(holds));
    std::uint64_t both = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::uint64_t n = cases[i].n, amount = n + (n * cases[i].y << 32);
        both += holds(i) ? amount : 0;
    }
    const std::uint64_t n = both & 0xffffffff, n_second = both >> 32;
    sum[0] += static_cast<double>(n - n_second);
    sum[1] += static_cast<double>(n_second);
    return n;
}

template <class Holds>
std::size_t add_where(std::span<const WeighedValue> cases, std::size_t, double* sum, std::vector<std::uint32_t>&,
                      Holds&& holds) {
    constexpr std::size_t lanes = 2; // sums are exact in any order
    std::array<double, lanes> weight{}, part{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const WeighedValue& c = cases[i];
        const bool held = holds(i);
        weight[i % lanes] += held ? c.w : 0.0;
        part[i % lanes] += held ? c.part : 0.0;
        n += held ? c.n : 0;
    }
    sum[0] += weight[0] + weight[1];
    sum[1] += part[0] + part[1];
    return n;
}

} // namespace detail

/// Requires a table of numbers as they are (keep_numbers). One for each worker.
template <class Case>
class RandomThreshold {
public:
    using Target = typename Case::Target;

    RandomThreshold(const CodedTable& table, const BinCommon& common, std::size_t width)
        : table_(table), common_(common), width_(width), known_(width), absent_(width), low_(width), high_(width) {}

    /// What column j proposes; false if all cases have the same number. O(n) time. Missing cells are tried on both
    /// sides; where all known numbers are equal, they are parted from the missing ones.
    bool weigh(std::span<const Case> cases, std::size_t j, const BinNode& node, const NodeNumbers& numbers,
               const tree::BinProposals<Target>& proposals, BinSplit& best) {
        x_.resize(cases.size());
        numbers.read(j, node.begin, cases.size(), x_.data());
        const auto [lowest, highest, n_missing] = detail::range_of(x_);
        if (lowest > highest || (lowest == highest && n_missing == 0))
            return false;
        const double t = lowest < highest ? tree::drawn_between(lowest, highest, node.seed, node.path, j)
                                          : std::numeric_limits<double>::infinity();
        const double* const x = x_.data();
        std::ranges::fill(known_, 0.0);
        std::ranges::fill(absent_, 0.0);
        const std::size_t n_low =
            detail::add_where(cases, width_, known_.data(), room_, [x, t](std::size_t i) { return x[i] <= t; });
        std::size_t n_absent = 0;
        if (n_missing > 0)
            n_absent =
                detail::add_where(cases, width_, absent_.data(), room_, [x](std::size_t i) { return x[i] != x[i]; });
        offer(t, j, 1, n_low, n_missing > 0, node, proposals, best);
        if (n_missing > 0 && lowest < highest) {
            for (std::size_t k = 0; k < width_; ++k)
                known_[k] += absent_[k];
            offer(t, j, 0, n_low + n_absent, true, node, proposals, best);
        }
        return true;
    }

private:
    /// A split at t with missing cells in branch `missing`; known_ is the sum of branch 0.
    void offer(double t, std::size_t j, std::int32_t missing, std::size_t n_low, bool has_missing, const BinNode& node,
               const tree::BinProposals<Target>& proposals, BinSplit& best) {
        const auto& settings = common_.settings;
        for (std::size_t k = 0; k < width_; ++k) {
            low_[k] = known_[k];
            high_[k] = node.sum[k] - low_[k];
        }
        const double weight = Target::weight(low_.data(), width_), rest = node.weight - weight;
        const std::size_t least = std::max<std::size_t>(settings.min_leaf, 1);
        if (n_low < least || node.n - n_low < least || weight < settings.min_leaf_weight ||
            rest < settings.min_leaf_weight || !keeps_order(j, weight, rest, node))
            return;
        const double gain =
            (node.loss - (proposals.loss(low_.data(), weight) + proposals.loss(high_.data(), rest))) / node.weight;
        if (!tree::beats(gain, j, std::numeric_limits<tree::code_t>::max(), best)) // one threshold for each column
            return;
        best.found = true;
        best.gain = best.score = gain;
        best.column = static_cast<std::uint32_t>(j);
        best.ask = tree::Ask::threshold;
        best.codes.clear();
        write_threshold(t, j, best);
        best.missing = missing;
        best.sees_missing = has_missing;
        best.n_low = n_low;
        best.low_weight = weight;
        best.low = low_;
    }

    /// Thresholds among levels are written down as the largest level that lies below; only missing cells lie above all.
    void write_threshold(double t, std::size_t j, BinSplit& best) const {
        best.drawn = t;
        if (!table_.columns[j].coded)
            return;
        best.drawn = std::numeric_limits<double>::quiet_NaN();
        best.cut = 0;
        best.next = static_cast<tree::code_t>(table_.columns[j].n_bins);
        for (const double code : x_)
            if (code <= t)
                best.cut = std::max(best.cut, static_cast<tree::code_t>(code));
            else if (code > t)
                best.next = static_cast<tree::code_t>(code); // any code of the high side
    }

    bool keeps_order(std::size_t j, double weight, double rest, const BinNode& node) const {
        const auto& monotone = common_.settings.monotone;
        if (monotone.empty() || monotone[j] == 0)
            return true;
        const double a = tree::bounded_value<Target>(low_.data(), weight),
                     b = tree::bounded_value<Target>(high_.data(), rest);
        return (a - b) * monotone[j] <= 0 && std::min(a, b) >= node.bounds.lowest &&
               std::max(a, b) <= node.bounds.highest;
    }

    const CodedTable& table_;
    const BinCommon& common_;
    std::size_t width_;
    std::vector<double> x_; // of the cases, in one column
    std::vector<std::uint32_t> room_;
    std::vector<double> known_, absent_, low_, high_;
};

} // namespace margin::ensemble
