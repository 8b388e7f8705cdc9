#pragma once
// A node that waits to be grown, and what all nodes of a tree have in common.
#include "fractional_cases.hpp"
#include "margin/core/monitor.hpp"
#include "margin/tree/targets/bounds.hpp"
#include "split_search.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace margin::tree {

/// How a tree is grown: everything that its nodes share.
template <class Target>
struct Plan {
    const std::vector<Column>& columns;
    const Settings& settings;
    std::size_t n_threads;
    Monitor& monitor;
    const SplitSearch<Target>& search;
    Target target;
    Common common;
    double all_weight = 0;
    Steps steps;
};

/// A node that waits.
template <class Target>
struct Work {
    Segment<Target> cases;
    std::vector<double> sum;       // over its cases
    std::vector<double> inherited; // the value of its parent, where no case reaches it
    std::int32_t parent = -1;
    std::uint32_t branch = 0;
    std::size_t depth = 0;
    std::uint64_t path = 0; // a number for the way from the root, the same however the tree is grown
    Bounds bounds;
    bool ends = false; // it will surely be a leaf, and has no entries
};

/// The number of the way to a branch.
inline std::uint64_t path_to(std::uint64_t parent, std::uint32_t branch) noexcept {
    std::uint64_t z = parent * 0x9E3779B97F4A7C15 + branch + 1; // splitmix64's mixing
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

/// Whether all cases have the same target.
inline bool is_pure(const Segment<Classes>&, const std::vector<double>& sum) noexcept {
    return std::ranges::count_if(sum, [](double w) { return w > 0; }) <= 1;
}
inline bool is_pure(const Segment<Values>& cases, const std::vector<double>&) noexcept {
    const auto& target = cases.target;
    return std::ranges::all_of(target, [&](const Values::Item& item) { return item.y == target.front().y; });
}

/// Whether such cases at such a depth make a leaf, whatever the columns say.
template <class Target>
bool ends_here(const Plan<Target>& plan, const Segment<Target>& cases, const std::vector<double>& sum,
               std::size_t depth) {
    const Settings& s = plan.settings;
    return cases.n < std::max<std::size_t>(s.min_split, 2) || cases.n / 2 < s.min_leaf || depth >= s.max_depth ||
           is_pure(cases, sum);
}

/// Whether a node is pure enough to be a leaf; where nothing is asked for, that costs nothing.
template <class Target>
bool is_pure_enough(const Plan<Target>& plan, const Node<Target>& node) {
    if (plan.settings.min_impurity < 0 || node.cases.n == 0)
        return false;
    std::vector<double> value(plan.target.value_width());
    double impurity = 0;
    plan.search.describe(node, value.data(), impurity);
    return impurity <= plan.settings.min_impurity;
}

/// The sum over some cases.
template <class Target>
std::vector<double> sum_of(const Segment<Target>& cases, std::size_t width) {
    std::vector<double> sum(width);
    for (std::size_t i = 0; i < cases.n; ++i)
        Target::add(sum.data(), cases.target[i], cases.weight_of(i));
    return sum;
}

/// What searches for its split are given; the sum of the node moves there.
template <class Target>
Node<Target> node_of(const Plan<Target>& plan, Work<Target>& work) {
    const double weight = Target::weight(work.sum.data(), work.sum.size());
    const double loss = work.cases.n == 0 ? 0.0 : plan.search.loss(work.cases, work.sum, weight);
    return {work.cases, plan.columns,       plan.settings,       work.sum.size(), std::move(work.sum), weight,
            loss,       work.bounds.lowest, work.bounds.highest, plan.all_weight, plan.settings.seed,  work.path};
}

} // namespace margin::tree
