#pragma once
// Two branches for the levels of a nominal column: the best subset, or one level against all others.
#include "level_order.hpp"
#include "two_sides.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// Offer the divisions at the thresholds of an order, named by the number of levels below; only those between levels of
/// different keys, or all. O(levels K).
template <class Criterion, class Target>
void offer_thresholds(TwoSides<Criterion, Target>& sides, const Groups& levels, const std::vector<Ranking>& order,
                      bool between_equals, std::vector<double>& low) {
    low.assign(levels.width, 0.0);
    double weight = 0;
    std::size_t n = 0;
    if (sides.two_ways())
        sides.offer_with_missing(0, low.data(), weight, n);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        const std::uint32_t g = order[i].level;
        for (std::size_t c = 0; c < levels.width; ++c)
            low[c] += levels.sum_of(g)[c];
        weight += levels.weight[g];
        n += levels.n[g];
        if (between_equals || order[i].key != order[i + 1].key)
            sides.offer(i + 1, low.data(), weight, n);
    }
}

/// Offer each level on its own, level g under the name first_name + g. O(levels K).
template <class Criterion, class Target>
void offer_each(TwoSides<Criterion, Target>& sides, const Groups& levels, std::uint64_t first_name) {
    for (std::size_t g = 0; g < levels.size(); ++g)
        sides.offer(first_name + g, levels.sum_of(g), levels.weight[g], levels.n[g]);
}

/// Offer all divisions, named by the bits of the levels on the side that does not have the last one. Each differs from
/// the one before by a single level (Gray's code); sums of weights are exact, so taking one off again leaves no trace.
/// O(2^levels K).
template <class Criterion, class Target>
void offer_all(TwoSides<Criterion, Target>& sides, const Groups& levels, std::vector<double>& side) {
    side.assign(levels.width, 0.0);
    double weight = 0;
    std::size_t n = 0;
    std::uint64_t name = 0;
    if (sides.two_ways())
        sides.offer_with_missing(0, side.data(), weight, n);
    for (std::uint64_t step = 1; step < std::uint64_t{1} << (levels.size() - 1); ++step) {
        const auto g = static_cast<std::size_t>(std::countr_zero(step));
        name ^= std::uint64_t{1} << g;
        const bool joins = (name >> g & 1) != 0;
        const double sign = joins ? 1 : -1;
        for (std::size_t c = 0; c < levels.width; ++c)
            side[c] += sign * levels.sum_of(g)[c];
        weight += sign * levels.weight[g];
        n = joins ? n + levels.n[g] : n - levels.n[g];
        sides.offer(name, side.data(), weight, n);
    }
}

/// The codes of the levels for which `chosen` holds, ascending.
template <class Chosen>
std::vector<code_t> codes_where(const Groups& levels, Chosen&& chosen) {
    std::vector<code_t> codes;
    for (std::size_t g = 0; g < levels.size(); ++g)
        if (chosen(g))
            codes.push_back(levels.first[g]);
    return codes;
}

/// log2 of the number of divisions into two; between two levels there is no choice.
inline double bits_for_subset(std::size_t n_levels) noexcept {
    const auto n = static_cast<double>(n_levels);
    return n_levels < 3 ? 0.0 : n_levels < 50 ? std::log2(std::exp2(n - 1) - 1) : n - 1;
}

/// The division of the levels that the node holds with the largest gain.
///
/// Branch 0 is the lighter side (of equal ones that with the smaller shares), and `codes`, filled only `in_full`, are
/// its levels: a level that the node does not hold thus goes the way of most cases. Two classes and regression: exact
/// by an order of the levels. More classes, or several outputs: exact up to `exact_levels` levels in the node; beyond, the best threshold
/// along the first principal component of the class shares or the best single level.
/// O(n + L log L + L K) for L levels in the node, O(2^L K) where all divisions are tried.
template <class Criterion, class Target>
void propose_subset(const Node<Target>& node, const Groups& levels, bool in_full, Candidate& split) {
    static thread_local std::vector<Ranking> order;
    static thread_local std::vector<double> side;
    TwoSides<Criterion, Target> sides(node, levels);
    constexpr std::size_t most_levels = 24; // even if more are asked for: each one doubles the time
    const bool one_order_is_exact = !Target::several && (!Target::counts || node.width <= 2);
    const bool all = !one_order_is_exact && levels.size() <= std::min(node.settings.exact_levels, most_levels);
    if (all)
        offer_all(sides, levels, side);
    else {
        if (one_order_is_exact)
            order_by_share(levels, order);
        else
            order_by_component(levels, node.sum, node.weight, order);
        offer_thresholds(sides, levels, order, false, side);
        // Levels of equal shares are best kept together, unless nothing else is possible.
        if (!sides.found())
            offer_thresholds(sides, levels, order, true, side);
        if (!one_order_is_exact)
            offer_each(sides, levels, levels.size());
    }
    const std::int32_t first = sides.first_is_lighter() ? 0 : 1;
    sides.describe(split, first, bits_for_subset(levels.size()));
    if (!split.found || !in_full)
        return;
    std::vector<bool> chosen(levels.size());
    const std::uint64_t name = sides.name();
    if (all)
        for (std::size_t g = 0; g < levels.size(); ++g)
            chosen[g] = (name >> g & 1) != 0;
    else if (name >= levels.size())
        chosen[name - levels.size()] = true;
    else
        for (std::size_t i = 0; i < name; ++i)
            chosen[order[i].level] = true;
    split.codes = codes_where(levels, [&](std::size_t g) { return chosen[g] == (first == 0); });
}

/// The level with the largest gain against all others, or the largest gain ratio where columns are ranked by that
/// (J48's option B). Branch 0 is that level, so one that the node does not hold is
/// among the others. O(n + L K).
template <class Criterion, class Target>
void propose_one_level(const Node<Target>& node, const Groups& levels, Candidate& split) {
    static thread_local std::vector<double> nobody;
    nobody.assign(levels.width, 0.0);
    TwoSides<Criterion, Target> sides(node, levels, node.settings.gain_ratio);
    if (sides.two_ways())
        sides.offer_with_missing(levels.size(), nobody.data(), 0, 0);
    offer_each(sides, levels, 0);
    sides.describe(split, 0, levels.size() > 2 ? std::log2(static_cast<double>(levels.size())) : 0.0);
    if (split.found && sides.name() < levels.size())
        split.codes = {levels.first[sides.name()]};
}

#define MARGIN_PROPOSE(Criterion, Target)                                                                              \
    extern template void propose_subset<Criterion>(const Node<Target>&, const Groups&, bool, Candidate&);              \
    extern template void propose_one_level<Criterion>(const Node<Target>&, const Groups&, Candidate&)
MARGIN_FOR_CRITERIA(MARGIN_PROPOSE);
#undef MARGIN_PROPOSE

} // namespace margin::tree
