#pragma once
// Growing on all cores. Large nodes, level after level: whoever is free takes the next column of any of them. Nodes
// that have become small enough: whoever is free grows the whole subtree below the next one.
#include "grow_depth_first.hpp"
#include "margin/tree/grown/stitch.hpp"
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace margin::tree {

/// A large node while it is split.
template <class Target>
struct OpenNode {
    Work<Target> work;
    Node<Target> node;
    Search<Target> search;
    Branching<Target> branching;
    Candidate split;

    OpenNode(const Plan<Target>& plan, Work<Target>&& given) : work(std::move(given)), node(node_of(plan, work)) {
        work.ends = work.ends || is_pure_enough(plan, node);
    }
};

/// Finds the splits of several nodes at a time, and deals their cases out.
template <class Target>
class Workshop {
public:
    using Open = std::vector<std::unique_ptr<OpenNode<Target>>>;

    explicit Workshop(const Plan<Target>& plan) : plan_(plan), scratch_(n_workers(unlimited, 1, plan.n_threads)) {}

    /// Fill in the split of each node.
    void find_splits(const Open& given) {
        const auto nodes = those(given, [](const auto& open) { return !open.work.ends; });
        each_node(nodes, [&](auto& open, Scratch&) { open.search.begin(plan_, open.node, open.work.path); });
        each_pair(
            nodes, [](const auto& open) { return open.search.n_drawn(); },
            [](auto& open, std::size_t i, Scratch& scratch) { open.search.propose(i, scratch); });
        each_node(nodes, [&](auto& open, Scratch& scratch) { open.split = open.search.end(plan_, scratch); });
    }

    /// Deal out the cases of the nodes that have a split; some nodes at a time, or all entries would be there twice.
    void deal_cases(const Open& given) {
        const auto nodes = those(given, [](const auto& open) { return open.split.found; });
        std::size_t n_entries = 0;
        for (const auto* open : nodes)
            n_entries += open->work.cases.entries.size();
        for (std::size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
            std::size_t taken = 0;
            do
                taken += nodes[end++]->work.cases.entries.size();
            while (end < nodes.size() && taken < n_entries / 16);
            deal_some(Nodes(nodes.begin() + static_cast<std::ptrdiff_t>(begin),
                            nodes.begin() + static_cast<std::ptrdiff_t>(end)));
        }
    }

private:
    using Nodes = std::vector<OpenNode<Target>*>;

    void deal_some(const Nodes& nodes) {
        const auto n_columns = [](const auto& open) {
            return open.branching.complete() ? 0 : open.work.cases.columns.size();
        };
        each_node(nodes, [&](auto& open, Scratch&) {
            open.branching.assign(plan_, open.work, open.node, open.split);
            if (!open.branching.complete())
                open.branching.division.make_room(open.work.cases.columns.size(),
                                                  [](std::size_t n) { return Buffer<Entry>(n); });
        });
        each_pair(nodes, n_columns, [](auto& open, std::size_t k, Scratch&) {
            auto& cases = open.work.cases;
            open.branching.division.deal(cases, k, [k](std::size_t) { return k; });
            give_back(std::span(cases.entries.data() + k * cases.n, cases.n));
        });
        each_node(nodes, [&](auto& open, Scratch&) {
            if (!open.branching.complete())
                open.branching.division.close_gaps(open.work.cases);
            open.work.cases.entries = {};
        });
    }

    template <class Which>
    static Nodes those(const Open& given, Which&& which) {
        Nodes nodes;
        for (const auto& open : given)
            if (which(*open))
                nodes.push_back(open.get());
        return nodes;
    }

    template <class Do>
    void each_node(const Nodes& nodes, Do&& act) {
        parallel_for(nodes.size(), 1, plan_.n_threads, plan_.monitor,
                     [&](std::size_t i, std::size_t, std::size_t worker) { act(*nodes[i], scratch_[worker]); });
    }

    /// act(node, i) for i below number(node).
    template <class Number, class Do>
    void each_pair(const Nodes& nodes, Number&& number, Do&& act) {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (std::size_t k = 0; k < number(*nodes[i]); ++k)
                pairs.emplace_back(i, k);
        parallel_for(pairs.size(), 1, plan_.n_threads, plan_.monitor,
                     [&](std::size_t p, std::size_t, std::size_t worker) {
                         act(*nodes[pairs[p].first], pairs[p].second, scratch_[worker]);
                     });
    }

    const Plan<Target>& plan_;
    std::vector<Scratch> scratch_;
};

/// Grows one tree, depth first in effect: the same tree however many threads there are.
template <class Target>
class ParallelGrower {
public:
    explicit ParallelGrower(const Plan<Target>& plan) : plan_(plan), workshop_(plan) {}

    GrownTree grow(Work<Target>&& root) {
        // Enough subtrees for all threads to end at the same time, large enough to be worth a thread's while.
        const std::size_t n_subtrees = 32 * n_workers(unlimited, 1, plan_.n_threads);
        small_ = std::max<std::size_t>(2048, root.cases.n / n_subtrees);
        if (root.cases.n <= small_)
            return LoneGrower<Target>(plan_).grow(std::move(root));
        top_.width = plan_.target.value_width();
        std::vector<Work<Target>> level;
        level.push_back(std::move(root));
        while (!level.empty())
            level = next_level(std::move(level));
        grow_subtrees();
        return stitch(top_, subtrees_);
    }

private:
    using Open = typename Workshop<Target>::Open;

    std::vector<Work<Target>> next_level(std::vector<Work<Target>>&& level) {
        Open open;
        for (auto& work : level)
            open.push_back(std::make_unique<OpenNode<Target>>(plan_, std::move(work)));
        workshop_.find_splits(open);
        workshop_.deal_cases(open);
        std::vector<Work<Target>> below;
        for (auto& node : open) {
            const auto at = static_cast<std::int32_t>(top_.size());
            write_leaf(top_, plan_, node->work, node->node);
            if (!node->split.found)
                continue;
            write_split(top_, plan_, node->split);
            const std::vector<double> value(top_.value.end() - static_cast<std::ptrdiff_t>(top_.width),
                                            top_.value.end());
            node->branching.hand_over(plan_, node->work, node->split, at, value.data(), value.size(),
                                      [&](Work<Target>&& child) { sort_in(std::move(child), below); });
        }
        return below;
    }

    /// Large nodes go to the next level, others become subtrees.
    void sort_in(Work<Target>&& child, std::vector<Work<Target>>& below) {
        if (!child.ends && child.cases.n > small_) {
            below.push_back(std::move(child));
            return;
        }
        const auto start = static_cast<std::size_t>(top_.child_start[static_cast<std::size_t>(child.parent)]);
        top_.child[start + child.branch] = subtree_number(tasks_.size());
        tasks_.push_back(std::move(child));
    }

    /// The largest ones first, so that no thread begins one when all others are done.
    void grow_subtrees() {
        std::vector<std::size_t> order(tasks_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater{}, [&](std::size_t t) { return tasks_[t].cases.entries.size(); });
        subtrees_.resize(tasks_.size());
        std::vector<LoneGrower<Target>> growers(n_workers(tasks_.size(), 1, plan_.n_threads),
                                                LoneGrower<Target>(plan_));
        parallel_for(tasks_.size(), 1, plan_.n_threads, plan_.monitor,
                     [&](std::size_t i, std::size_t, std::size_t worker) {
                         subtrees_[order[i]] = growers[worker].grow(std::move(tasks_[order[i]]));
                     });
    }

    const Plan<Target>& plan_;
    Workshop<Target> workshop_;
    GrownTree top_;
    std::vector<Work<Target>> tasks_;
    std::vector<GrownTree> subtrees_;
    std::size_t small_ = 0;
};

} // namespace margin::tree
