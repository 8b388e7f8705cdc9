#pragma once
// Two branches for the levels of a nominal column, drawn at random.
#include "margin/tree/splits/nominal_subset.hpp"
#include "random_split.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// Each level that the node holds goes to one side or the other, as likely, but not all to the same: the division is
/// one of the 2^L - 2, those that part a single level a little more likely. With NominalSplit::one_vs_rest one level is
/// drawn. A level that the node does not hold goes as in propose_subset. O(n + L K).
template <class Criterion, class Target>
void propose_random_levels(const Node<Target>& node, const Groups& levels, Candidate& split) {
    static thread_local std::vector<std::uint8_t> chosen;
    static thread_local std::vector<double> side;
    TwoSides<Criterion, Target> sides(node, levels);
    const bool one_level = node.settings.nominal == NominalSplit::one_vs_rest;
    const std::size_t n_levels = levels.size();
    chosen.assign(n_levels, 0);
    side.assign(levels.width, 0.0);
    if (n_levels >= 2) {
        Stream stream = split_stream(node.seed, node.path, split.column);
        if (!one_level)
            for (std::uint8_t& c : chosen)
                c = static_cast<std::uint8_t>(stream.next() >> 63);
        if (std::ranges::count(chosen, chosen.front()) == static_cast<std::ptrdiff_t>(n_levels))
            chosen[stream.below(n_levels)] ^= 1;
        double weight = 0;
        std::size_t n = 0;
        for (std::size_t g = 0; g < n_levels; ++g)
            if (chosen[g]) {
                for (std::size_t c = 0; c < levels.width; ++c)
                    side[c] += levels.sum_of(g)[c];
                weight += levels.weight[g];
                n += levels.n[g];
            }
        sides.offer(0, side.data(), weight, n);
    } else if (sides.two_ways()) {
        sides.offer_with_missing(0, side.data(), 0, 0); // known against missing
    }
    const std::int32_t first = one_level || sides.first_is_lighter() ? 0 : 1;
    sides.describe(split, first, 0);
    if (split.found)
        split.codes = codes_where(levels, [&](std::size_t g) { return (chosen[g] != 0) == (first == 0); });
}

#define MARGIN_PROPOSE(Criterion, Target)                                                                              \
    extern template void propose_random_levels<Criterion>(const Node<Target>&, const Groups&, Candidate&)
MARGIN_FOR_CRITERIA(MARGIN_PROPOSE);
#undef MARGIN_PROPOSE

} // namespace margin::tree
