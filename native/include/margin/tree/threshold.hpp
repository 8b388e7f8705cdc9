#pragma once
// Two branches at a threshold, for numbers and ordered codes.
#include "candidate.hpp"
#include "node.hpp"
#include <array>
#include <cstddef>
#include <vector>

namespace margin::tree {

/// The threshold of column k of the node's columns with the largest gain: codes up to `cut` go to branch 0.
///
/// Missing cells: with MissingSplit::direction both ways are tried for each threshold, and known against missing; else
/// the gain is that of the known cases times their share (Quinlan 1993).
/// Of equal gains the smallest threshold wins, then missing cells to the right. O(n K) time, O(K) memory.
template <class Criterion, class Target>
Candidate best_threshold(const Node<Target>& node, std::size_t k) {
    const auto& cases = node.cases;
    const auto entries = cases.column(k);
    const std::size_t width = node.width;
    std::size_t n_known = entries.size();
    std::vector<double> absent(width), low(width), high(width), known(width);
    while (n_known > 0 && entries[n_known - 1].code == missing_code) {
        --n_known;
        const auto place = entries[n_known].place;
        Target::add(absent.data(), cases.target[place], cases.weight_of(place));
    }
    const std::size_t n_missing = entries.size() - n_known;
    const double absent_weight = Target::weight(absent.data(), width);
    for (std::size_t c = 0; c < width; ++c)
        known[c] = node.sum[c] - absent[c];
    const bool directed = node.settings.missing == MissingSplit::direction;
    const double whole = directed ? node.loss : Criterion::loss(known.data(), width, node.weight - absent_weight);

    Candidate best;
    best.column = cases.columns[k];
    best.ask = Ask::threshold;
    double low_weight = 0;
    const auto consider = [&](code_t cut, code_t next, std::size_t n_low, std::size_t n_high, bool missing_low) {
        const double high_weight = (directed ? node.weight : node.weight - absent_weight) - low_weight;
        if (n_low < node.settings.min_leaf || n_high < node.settings.min_leaf ||
            low_weight < node.settings.min_leaf_weight || high_weight < node.settings.min_leaf_weight)
            return;
        const double gain = (whole - Criterion::loss(low.data(), width, low_weight) -
                             Criterion::loss(high.data(), width, high_weight)) /
                            node.weight;
        if (best.found && gain <= best.gain)
            return;
        best.found = true;
        best.gain = gain;
        best.cut = cut;
        best.next = next;
        best.missing = directed ? (missing_low ? 0 : 1) : -1;
        best.split_info = split_information(std::array{low_weight, high_weight, directed ? 0.0 : absent_weight});
    };
    const auto sweep = [&](bool missing_low) {
        const bool with_low = directed && missing_low, with_high = directed && !missing_low;
        low.assign(width, 0.0);
        low_weight = 0;
        if (with_low) {
            low = absent;
            low_weight = absent_weight;
        }
        for (std::size_t i = 0; i < n_known; ++i) {
            const auto place = entries[i].place;
            Target::add(low.data(), cases.target[place], cases.weight_of(place));
            low_weight += cases.weight_of(place);
            const bool last = i + 1 == n_known;
            if (last ? !(with_high && n_missing > 0) : entries[i + 1].code == entries[i].code)
                continue;
            for (std::size_t c = 0; c < width; ++c)
                high[c] = (directed ? node.sum[c] : known[c]) - low[c];
            const std::size_t n_low = i + 1 + (with_low ? n_missing : 0);
            const std::size_t n_high = (directed ? entries.size() : n_known) - n_low;
            consider(entries[i].code, last ? missing_code : entries[i + 1].code, n_low, n_high, missing_low);
        }
    };
    sweep(false);
    if (directed && n_missing > 0)
        sweep(true);
    best.score = best.gain;
    return best;
}

} // namespace margin::tree
