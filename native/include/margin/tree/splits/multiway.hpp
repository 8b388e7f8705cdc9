#pragma once
// A branch for every group of a column.
#include "candidate.hpp"
#include "groups.hpp"
#include <algorithm>
#include <cstddef>
#include <vector>

namespace margin::tree {

/// The sum of numbers in ascending order: the same to the last bit whatever the order they come in.
inline double ordered_sum(std::vector<double>& numbers) {
    std::ranges::sort(numbers);
    double total = 0;
    for (const double v : numbers)
        total += v;
    return total;
}

/// Whether the branches are large enough: all of them, or two (C4.5). Missing cells count where they go.
inline bool branches_are_large_enough(const Settings& settings, const Groups& groups, std::size_t with_missing) {
    std::size_t n_large = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const bool here = g == with_missing;
        n_large += large_enough(settings, groups.n[g] + (here ? groups.n_missing : 0),
                                groups.weight[g] + (here ? groups.missing_weight : 0.0));
    }
    return settings.two_branches ? n_large >= 2 : n_large == groups.size();
}

/// Gain, split information and, as the number of a group, the way of missing cells. With MissingSplit::direction they
/// go where they raise the loss least; else the gain is that of the known cases times their share. O(groups K).
template <class Criterion, class Target>
void propose_all_apart(const Node<Target>& node, const Groups& groups, Candidate& split) {
    static thread_local std::vector<double> losses, sum;
    if (groups.size() < 2)
        return;
    const std::size_t width = node.width, nowhere = groups.size();
    losses.clear();
    for (std::size_t g = 0; g < groups.size(); ++g)
        losses.push_back(Criterion::loss(groups.sum_of(g), width, groups.weight[g]));
    double whole = node.loss;
    std::size_t with_missing = nowhere;
    const bool directed = node.settings.missing == MissingSplit::direction;
    if (directed && groups.n_missing > 0) {
        double least = 0, joint = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            sum.assign(groups.sum_of(g), groups.sum_of(g) + width);
            for (std::size_t c = 0; c < width; ++c)
                sum[c] += groups.missing_sum[c];
            const double loss = Criterion::loss(sum.data(), width, groups.weight[g] + groups.missing_weight);
            if (with_missing == nowhere || loss - losses[g] < least) {
                with_missing = g;
                least = loss - losses[g];
                joint = loss;
            }
        }
        losses[with_missing] = joint;
    } else if (!directed) {
        sum = node.sum;
        for (std::size_t c = 0; c < width; ++c)
            sum[c] -= groups.missing_sum[c];
        whole = Criterion::loss(sum.data(), width, node.weight - groups.missing_weight);
    }
    if (!branches_are_large_enough(node.settings, groups, with_missing))
        return;
    split.found = true;
    split.gain = split.score = (whole - ordered_sum(losses)) / node.weight;
    losses = groups.weight;
    if (with_missing != nowhere)
        losses[with_missing] += groups.missing_weight;
    else
        losses.push_back(groups.missing_weight);
    std::ranges::sort(losses);
    split.split_info = split_information(losses);
    split.missing = directed ? static_cast<std::int32_t>(with_missing == nowhere ? 0 : with_missing) : -1;
}

} // namespace margin::tree
