#pragma once
// Branches for the levels of a nominal column.
#include "candidate.hpp"
#include "node.hpp"
#include <cstddef>
#include <vector>

namespace margin::tree {

/// A branch for every level of column k; levels that the node does not hold get an empty one.
/// The gain is that of the known cases times their share. O(n + levels K) time.
template <class Criterion, class Target>
Candidate best_nominal(const Node<Target>& node, std::size_t k) {
    const auto& cases = node.cases;
    const std::size_t width = node.width;
    Candidate split;
    split.column = cases.columns[k];
    split.ask = Ask::level;
    split.n_branches = static_cast<std::uint32_t>(node.columns[split.column].n_codes);
    std::vector<double> known(width), level(width), weights;
    double after = 0, known_weight = 0, absent_weight = 0;
    const auto close = [&] {
        const double weight = Target::weight(level.data(), width);
        weights.push_back(weight);
        after += Criterion::loss(level.data(), width, weight);
        for (std::size_t c = 0; c < width; ++c)
            known[c] += level[c];
        known_weight += weight;
        level.assign(width, 0.0);
    };
    const auto entries = cases.column(k);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const double w = cases.weight_of(entries[i].place);
        if (entries[i].code == missing_code) {
            absent_weight += w;
            continue;
        }
        Target::add(level.data(), cases.target[entries[i].place], w);
        if (i + 1 == entries.size() || entries[i + 1].code != entries[i].code)
            close();
    }
    split.found = weights.size() > 1;
    split.gain = (Criterion::loss(known.data(), width, known_weight) - after) / node.weight;
    split.missing = node.settings.missing == MissingSplit::direction ? 0 : -1;
    weights.push_back(absent_weight);
    split.split_info = split_information(weights);
    split.score = split.gain;
    return split;
}

} // namespace margin::tree
