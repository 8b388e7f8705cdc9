#pragma once
// The best split of a node: every column proposes one, and a rule chooses among them.
#include "candidate.hpp"
#include "margin/tree/exact/node.hpp"
#include "margin/tree/exact/split_search.hpp"
#include "margin/tree/targets/chance.hpp"
#include <cmath>
#include <cstddef>
#include <vector>

namespace margin::tree {

/// Score the proposals by their gain ratios, and withdraw those with less than the average gain (Quinlan 1993, p. 24).
///
/// As J48 does it: columns with levels for 0.3 of all rows stay out of the average, unless all columns are such, but
/// may be chosen; the gain may fall short of the average by 0.001.
template <class Target>
void hold_against_average(std::vector<Candidate>& proposals, const Node<Target>& node) {
    const auto has_many_levels = [&](const Candidate& proposal) {
        const Column& column = node.columns[proposal.column];
        return column.nominal && static_cast<double>(column.n_codes) >= 0.3 * node.all;
    };
    const bool all_have = std::ranges::all_of(node.columns, [&](const Column& column) {
        return column.nominal && static_cast<double>(column.n_codes) >= 0.3 * node.all;
    });
    double total = 0, n = 0;
    for (const Candidate& proposal : proposals)
        if (proposal.found && (all_have || !has_many_levels(proposal))) {
            total += proposal.gain;
            ++n;
        }
    for (Candidate& proposal : proposals)
        proposal.found = proposal.found && n > 0 && proposal.gain >= total / n - 1e-3;
}

/// Give every proposal its score, and withdraw those that a rule excludes.
template <class Target>
void score(std::vector<Candidate>& proposals, const Node<Target>& node) {
    const Settings& settings = node.settings;
    if (settings.average_gain)
        hold_against_average(proposals, node);
    const double useless = 1e-10 * std::abs(node.loss) / node.weight; // what rounding may leave of a gain of 0
    for (Candidate& proposal : proposals) {
        if (settings.no_useless_splits && !(proposal.gain > useless))
            proposal.found = false;
        proposal.score = proposal.gain;
        if (settings.gain_ratio)
            proposal.score = proposal.split_info > 0 ? proposal.gain / proposal.split_info : 0.0;
    }
}

/// The place of the proposal with the highest score, of equal ones the first; proposals.size() if there is none. Under
/// the rule of the average gain ratios that differ by less than a millionth are equal, as in J48.
inline std::size_t select(const std::vector<Candidate>& proposals, const Settings& settings) {
    const double slack = settings.average_gain ? 1e-6 : 0.0;
    std::size_t best = proposals.size();
    double highest = settings.average_gain ? 0.0 : -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < proposals.size(); ++k)
        if (proposals[k].found && proposals[k].score > highest + slack) {
            best = k;
            highest = proposals[k].score;
        }
    return best;
}

/// The split of a node among what its columns propose, column k at place k; not found if the rules let none pass. With
/// `largest_p` below 1 a split that chance explains well enough gives way to the next best.
template <class Target>
Candidate settle(std::vector<Candidate>& proposals, const Node<Target>& node, const SplitSearch<Target>& search) {
    if (search.by_gain_alone()) {
        Candidate best;
        for (const Candidate& proposal : proposals)
            if (beats(proposal, best))
                best = proposal;
        return best;
    }
    score(proposals, node);
    for (;;) {
        const std::size_t k = select(proposals, node.settings);
        if (k == proposals.size())
            return {};
        Candidate split = search.in_full(node, k, proposals[k]);
        split.score = proposals[k].score;
        if constexpr (Target::several) { // dependent outputs are not tested together
            return split;
        } else {
            if (node.settings.largest_p >= 1 || chance(node, k, split) <= node.settings.largest_p)
                return split;
        }
        proposals[k].found = false;
    }
}

} // namespace margin::tree
