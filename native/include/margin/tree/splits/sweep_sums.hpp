#pragma once
// The best threshold for any criterion and any weights: sums are kept, and the loss of both sides is worked out anew
// behind each code.
#include "sweep.hpp"
#include <cstddef>

namespace margin::tree {

/// The threshold with the smallest loss of both sides among those that `allowed(low, low_weight, high, high_weight)`.
/// O(last + codes K).
template <class Criterion, class Target, class Allowed>
Cut sweep_sums(const Segment<Target>& cases, const Sweep& sweep, std::size_t width, Scratch& scratch,
               Allowed&& allowed) {
    auto& low = scratch.low;
    auto& high = scratch.high;
    low.assign(sweep.low, sweep.low + width);
    high.resize(width);
    double weight = sweep.low_weight, least = 0;
    Cut cut;
    for (std::size_t i = 0; i < sweep.last; ++i) {
        const auto place = sweep.entries[i].place;
        const double w = cases.weight_of(place);
        Target::add(low.data(), cases.target[place], w);
        weight += w;
        const double rest = sweep.all_weight - weight;
        if (i < sweep.first || sweep.entries[i].code == sweep.entries[i + 1].code || weight < sweep.least_weight ||
            rest < sweep.least_weight)
            continue;
        for (std::size_t c = 0; c < width; ++c)
            high[c] = sweep.all[c] - low[c];
        const double loss = Criterion::loss(low.data(), width, weight) + Criterion::loss(high.data(), width, rest);
        if ((cut.found && loss >= least) || !allowed(low.data(), weight, high.data(), rest))
            continue;
        least = loss;
        cut = {true, i, weight};
        scratch.best = low;
    }
    return cut;
}

} // namespace margin::tree
