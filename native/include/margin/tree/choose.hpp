#pragma once
// The best split of a node: every column proposes one, and a rule chooses among them.
#include "candidate.hpp"
#include "margin/core/threads.hpp"
#include "node.hpp"
#include "nominal.hpp"
#include "threshold.hpp"
#include <cstddef>
#include <vector>

namespace margin::tree {

/// What column k of the node's columns proposes.
template <class Criterion, class Target>
Candidate propose(const Node<Target>& node, std::size_t k) {
    const Column& column = node.columns[node.cases.columns[k]];
    return column.nominal ? best_nominal<Criterion>(node, k) : best_threshold<Criterion>(node, k);
}

/// The proposal with the highest score.
inline Candidate select(std::vector<Candidate>& proposals, const Settings& settings) {
    Candidate best;
    for (Candidate& proposal : proposals) {
        proposal.score =
            settings.gain_ratio ? (proposal.split_info > 0 ? proposal.gain / proposal.split_info : 0.0) : proposal.gain;
        if (beats(proposal, best))
            best = std::move(proposal);
    }
    return best;
}

template <class Criterion, class Target>
Candidate best_split(const Node<Target>& node, std::size_t n_threads, Monitor& monitor) {
    std::vector<Candidate> proposals(node.cases.columns.size());
    parallel_for(proposals.size(), 1, n_threads, monitor,
                 [&](std::size_t k, std::size_t, std::size_t) { proposals[k] = propose<Criterion>(node, k); });
    return select(proposals, node.settings);
}

} // namespace margin::tree
