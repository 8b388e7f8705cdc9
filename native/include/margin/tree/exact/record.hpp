#pragma once
// Nodes written down: every node is a leaf until its split is known.
#include "margin/tree/grown/tree_arrays.hpp"
#include "margin/tree/splits/surrogates.hpp"
#include "work.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace margin::tree {

/// Keep what a node answers within the bounds of monotone columns.
inline void bound(const Plan<Classes>&, const Node<Classes>& node, double* value) noexcept {
    if (node.width != 2)
        return;
    value[1] = std::clamp(value[1] / node.weight, node.lowest, node.highest) * node.weight;
    value[0] = node.weight - value[1];
}
inline void bound(const Plan<Values>& plan, const Node<Values>& node, double* value) noexcept {
    *value = std::clamp(*value, node.lowest + plan.target.centre, node.highest + plan.target.centre);
}

template <class Target>
    requires Target::several
void bound(const Plan<Target>&, const Node<Target>&, double*) noexcept {} // several outputs have no monotone columns

template <class Target>
void describe(const Plan<Target>& plan, const Node<Target>& node, double* value, double& impurity) {
    plan.search.describe(node, value, impurity);
    if (!plan.settings.monotone.empty())
        bound(plan, node, value);
}

/// Write a node down as a leaf, and tell its parent.
template <class Target>
void write_leaf(GrownTree& tree, const Plan<Target>& plan, const Work<Target>& work, const Node<Target>& node) {
    if (work.parent >= 0)
        tree.child[static_cast<std::size_t>(tree.child_start[static_cast<std::size_t>(work.parent)]) + work.branch] =
            static_cast<std::int32_t>(tree.size());
    tree.ask.push_back(static_cast<std::uint8_t>(Ask::nothing));
    tree.column.push_back(-1);
    tree.threshold.push_back(0);
    tree.missing.push_back(0);
    tree.gain.push_back(0);
    tree.cases.push_back(static_cast<std::int64_t>(work.cases.n));
    tree.weight.push_back(node.weight);
    tree.impurity.push_back(0);
    tree.value.resize(tree.value.size() + tree.width);
    double* value = tree.value.data() + tree.value.size() - tree.width;
    if (work.cases.n == 0)
        std::ranges::copy(work.inherited, value);
    else
        describe(plan, node, value, tree.impurity.back());
    tree.child_start.push_back(tree.child_start.back());
    tree.detail_start.push_back(tree.detail_start.back());
    tree.surrogate_start.push_back(tree.surrogate_start.back());
}

/// The number a threshold is written down as.
template <class Target>
double threshold_of(const Plan<Target>& plan, const Candidate& split) {
    if (!std::isnan(split.drawn))
        return split.drawn;
    const Column& column = plan.columns[split.column];
    const double middle = column.between(split.cut, split.next);
    if (!plan.settings.cuts_from_data || column.value.empty() || split.next == missing_code)
        return middle;
    return *(std::ranges::upper_bound(column.value, middle) - 1); // the smallest number of the column is below it
}

/// Make the last node that was written down an inner one, with as many branches as its split has. Only the last node
/// of a tree can be given its lists.
template <class Target>
void write_split(GrownTree& tree, const Plan<Target>& plan, const Candidate& split) {
    tree.ask.back() = static_cast<std::uint8_t>(split.ask);
    tree.column.back() = static_cast<std::int32_t>(split.column);
    tree.missing.back() = split.missing;
    tree.gain.back() = split.gain;
    if (split.ask == Ask::threshold)
        tree.threshold.back() = threshold_of(plan, split);
    if (split.ask == Ask::subset)
        tree.detail.insert(tree.detail.end(), split.codes.begin(), split.codes.end());
    if (split.ask == Ask::interval)
        tree.detail.insert(tree.detail.end(), split.cuts.begin(), split.cuts.end());
    tree.detail_start.back() = static_cast<std::int64_t>(tree.detail.size());
    tree.child.resize(tree.child.size() + split.n_branches);
    tree.child_start.back() = static_cast<std::int64_t>(tree.child.size());
    write_surrogates(split.surrogates, plan.columns, tree);
}

} // namespace margin::tree
