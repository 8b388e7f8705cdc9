#pragma once
// The best threshold for several outputs whose weights are whole numbers: a case costs one step for each output, however many
// classes they have.
#include "margin/tree/targets/several.hpp"
#include "sweep_counts.hpp"
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// A pass with the classes of all outputs counted; Parts is SquareParts or LogParts. Requires outputs * weight^2 below
/// 2^52. O(last outputs + classes).
template <class Parts>
Cut sweep_several(const Segment<SeveralClasses>& cases, const Sweep& sweep, std::size_t width, Scratch& scratch,
                  Parts parts) {
    auto &low = scratch.class_counts, &high = scratch.high_counts;
    low.assign(width, 0);
    high.assign(width, 0);
    for (std::size_t c = 1; c < width; ++c) {
        low[c] = static_cast<std::int32_t>(sweep.low[c]);
        high[c] = static_cast<std::int32_t>(sweep.all[c]) - low[c];
        parts.add_low(low[c]);
        parts.add_high(high[c]);
    }
    const auto all = static_cast<std::int64_t>(sweep.all_weight);
    auto weight = static_cast<std::int64_t>(sweep.low_weight);
    double best = -std::numeric_limits<double>::infinity();
    std::int64_t best_log = std::numeric_limits<std::int64_t>::min();
    Cut cut;
    for (std::size_t i = 0; i < sweep.last; ++i) {
        const auto place = sweep.entries[i].place;
        const auto w = static_cast<std::int64_t>(cases.weight_of(place));
        const auto& item = cases.target[place];
        for (std::uint32_t o = 0; o < item.n; ++o) {
            const std::uint32_t c = item.place[o];
            parts.move(low[c], high[c], w);
            low[c] += static_cast<std::int32_t>(w);
            high[c] -= static_cast<std::int32_t>(w);
        }
        weight += w;
        const auto low_weight = static_cast<double>(weight), rest = static_cast<double>(all - weight);
        if (i < sweep.first || sweep.entries[i].code == sweep.entries[i + 1].code || low_weight < sweep.least_weight ||
            rest < sweep.least_weight)
            continue;
        if constexpr (std::is_same_v<Parts, SquareParts>) {
            const double score = static_cast<double>(parts.low) / low_weight + static_cast<double>(parts.high) / rest;
            if (score <= best)
                continue;
            best = score;
        } else {
            const std::int64_t score =
                parts.low + parts.high -
                static_cast<std::int64_t>(item.n) * (parts.table[weight] + parts.table[all - weight]);
            if (score <= best_log)
                continue;
            best_log = score;
        }
        cut = {true, i, low_weight};
        scratch.best_counts = low;
    }
    if (cut.found) {
        scratch.best.assign(scratch.best_counts.begin(), scratch.best_counts.end());
        scratch.best[0] = cut.low_weight;
    }
    return cut;
}

} // namespace margin::tree
