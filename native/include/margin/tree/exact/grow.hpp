#pragma once
// Growing a tree from a table: columns become ranks, targets exact sums, and nodes are split as long as the settings
// let them.
#include "grow_best_first.hpp"
#include "grow_parallel.hpp"
#include "ranks.hpp"
#include "search_by.hpp"
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace margin::tree {

/// The root: all rows, with the columns that vary.
template <class Target>
Segment<Target> root_segment(Ranked& ranked, Buffer<typename Target::Item>&& target, Buffer<double>&& weight) {
    Segment<Target> root;
    const std::size_t n = root.n = target.size();
    root.target = std::move(target);
    root.weight = std::move(weight);
    root.entries = std::move(ranked.entries);
    for (std::size_t j = 0; n > 0 && j < ranked.columns.size(); ++j) {
        const Entry* entries = root.entries.data() + j * n;
        if (entries[0].code == entries[n - 1].code)
            continue;
        if (root.columns.size() != j)
            std::copy(entries, entries + n, root.entries.data() + root.columns.size() * n);
        root.columns.push_back(static_cast<std::uint32_t>(j));
    }
    root.entries.resize(root.columns.size() * n);
    return root;
}

/// Whether classes can be counted: weights are whole, do not become parts, and are not too many for their squares.
template <class Target>
bool are_whole(const Segment<Target>& root, const Target& target, const Settings& settings, double total) {
    return Target::counts && total * std::sqrt(static_cast<double>(target.n_outputs)) <= most_counts &&
           settings.missing != MissingSplit::fractional &&
           std::ranges::all_of(root.weight, [](double w) { return w == std::floor(w); });
}

/// The tree below a root.
template <class Target>
GrownTree grow_tree(const std::vector<Column>& columns, Segment<Target>&& root, const Target& target,
                    const SplitSearch<Target>& search, const Settings& settings, std::size_t n_threads,
                    Monitor& monitor) {
    Plan<Target> plan{columns, settings, n_threads, monitor, search, target, {}, 0, {}};
    Work<Target> work;
    work.sum = sum_of(root, target.width());
    plan.all_weight = Target::weight(work.sum.data(), work.sum.size());
    plan.common.whole = are_whole(root, target, settings, plan.all_weight);
    plan.common.n_outputs = target.n_outputs;
    plan.common.monitor = &monitor;
    if constexpr (std::is_same_v<Target, Values>)
        plan.common.centre = target.centre;
    search.fill(plan.common, plan.all_weight);
    if (settings.missing == MissingSplit::fractional)
        plan.steps = steps_for(root);
    work.ends = ends_here(plan, root, work.sum, 0);
    work.cases = std::move(root);
    return settings.max_leaves == unlimited ? ParallelGrower<Target>(plan).grow(std::move(work))
                                            : BestFirstGrower<Target>(plan).grow(std::move(work));
}

/// A tree for classes 0 ... n_classes - 1; no weights are weights of 1. Requires weights above 0.
template <class Criteria = ClassCriteria, class T>
GrownTree grow_classes(const Table<T>& table, std::span<const std::int32_t> y, std::span<const double> weight,
                       std::size_t n_classes, std::string_view criterion, const Settings& settings,
                       std::size_t n_threads, Monitor& monitor) {
    Buffer<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    Ranked ranked = rank_columns(table, n_threads, monitor);
    auto root = root_segment<Classes>(ranked, {y.begin(), y.end()}, std::move(rounded));
    return Criteria::visit(criterion, [&]<class C>() {
        return with_search<C, Classes>([&](const SplitSearch<Classes>& search) {
            return grow_tree<Classes>(ranked.columns, std::move(root), {n_classes}, search, settings, n_threads,
                                      monitor);
        });
    });
}

/// A tree for numbers; no weights are weights of 1. Requires weights above 0.
template <class T>
GrownTree grow_values(const Table<T>& table, std::span<const double> y, std::span<const double> weight,
                      std::string_view criterion, const Settings& settings, std::size_t n_threads, Monitor& monitor) {
    Buffer<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    const Values target{centre_of(y, rounded)};
    Ranked ranked = rank_columns(table, n_threads, monitor);
    auto items = value_items(y, rounded, target.centre);
    auto root = root_segment<Values>(ranked, std::move(items), std::move(rounded));
    return ValueCriteria::visit(criterion, [&]<class C>() {
        return with_search<C, Values>([&](const SplitSearch<Values>& search) {
            return grow_tree<Values>(ranked.columns, std::move(root), target, search, settings, n_threads, monitor);
        });
    });
}

} // namespace margin::tree
