#pragma once
// Branches for the levels of a nominal column.
#include "margin/tree/random/random_levels.hpp"
#include "multiway.hpp"
#include "nominal_subset.hpp"
#include <cstddef>

namespace margin::tree {

/// What nominal column k of the node's columns proposes; the codes of a subset only `in_full`, since most proposals are
/// turned down. Requires a criterion that is a function of sums.
template <class Criterion, class Target>
Candidate best_nominal(const Node<Target>& node, std::size_t k, bool in_full = true) {
    Candidate split;
    split.column = node.cases.columns[k];
    split.ask = Ask::subset;
    const Groups& levels = levels_of(node, k);
    if (node.settings.random_splits && node.settings.nominal != NominalSplit::multiway) {
        propose_random_levels<Criterion>(node, levels, split);
        return split;
    }
    switch (node.settings.nominal) {
    case NominalSplit::multiway: // levels that the node does not hold get an empty branch
        split.ask = Ask::level;
        split.n_branches = static_cast<std::uint32_t>(node.columns[split.column].n_codes);
        propose_all_apart<Criterion>(node, levels, split);
        if (split.found && split.missing >= 0)
            split.missing = static_cast<std::int32_t>(levels.first[static_cast<std::size_t>(split.missing)]);
        break;
    case NominalSplit::subset:
        propose_subset<Criterion>(node, levels, in_full, split);
        break;
    case NominalSplit::one_vs_rest:
        propose_one_level<Criterion>(node, levels, split);
        break;
    }
    return split;
}

} // namespace margin::tree
