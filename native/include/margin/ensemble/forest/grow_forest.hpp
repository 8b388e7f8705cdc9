#pragma once
// Growing the trees of a forest side by side, each on one thread.
//
// Tree t has the stream t of the forest's seed: its first number is the seed of the tree's columns, the others draw its
// rows. So a tree is the same whoever grows it, and whatever trees are grown with it.
#include "margin/tree/targets/criterion.hpp"
#include "out_of_bag.hpp"
#include "tree_grower.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace margin::ensemble {

/// Which trees are grown, and from how many draws each; 0 draws take every row as often as it was given.
struct ForestPlan {
    std::uint64_t seed = 0;
    std::size_t first_tree = 0, n_trees = 0, n_draws = 0;
    std::size_t n_threads = 1;
    std::span<const std::int64_t> ends; // of RepeatedRows
};

/// times[i] = how often tree `number` draws row i; gives the seed of its columns.
inline std::uint64_t draw_rows(const ForestPlan& plan, std::size_t n_rows, std::size_t number,
                               std::vector<std::uint32_t>& times) {
    Stream stream(plan.seed, number);
    const std::uint64_t column_seed = stream.next();
    RepeatedRows{n_rows, plan.ends}.draw(stream, plan.n_draws, times);
    return column_seed;
}

/// Trees one after another. A leaf's row of shares is counted within the forest.
struct GrownForest {
    std::vector<Node> nodes;
    std::vector<std::int64_t> start{0};
    std::vector<std::uint64_t> words;
    std::vector<double> shares, decrease;
    std::vector<float> leaf_weight; // leaf after leaf
    std::vector<double> error;      // out of bag, after each tree

    /// Append a tree, whose memory is given back.
    void take(GrownTree&& tree, std::size_t width) {
        const std::size_t n_words = words.size(), n_shares = shares.size() / width;
        for (std::size_t k = 0; k < tree.nodes.size(); ++k)
            if (tree.nodes[k].is_leaf())
                leaf_weight.push_back(tree.leaf_weight[k]);
        for (Node& node : tree.nodes)
            if (node.is_leaf())
                node.threshold += node.threshold < static_cast<double>(width) || tree.shares.empty()
                                      ? 0.0
                                      : static_cast<double>(n_shares);
            else if (node.kind() == Node::Kind::subset)
                node.list.begin += static_cast<std::uint32_t>(n_words);
        nodes.insert(nodes.end(), tree.nodes.begin(), tree.nodes.end());
        start.push_back(static_cast<std::int64_t>(nodes.size()));
        words.insert(words.end(), tree.words.begin(), tree.words.end());
        shares.insert(shares.end(), tree.shares.begin(), tree.shares.end());
        decrease.insert(decrease.end(), tree.decrease.begin(), tree.decrease.end());
        tree = {};
    }
};

/// What is different for other targets: how the cases of a tree are made, which search weighs their splits, and what is
/// known of all cases of a tree.
template <class Case>
struct Kind {
    std::size_t width;        // of sums
    std::size_t shares_width; // of what leaves hold, if that is no single number
    /// What cases point to is kept in the room as long as their tree is grown.
    std::function<std::vector<Case>(std::span<const std::uint32_t> times, BinCommon& common, std::vector<double>& room)>
        cases;
    std::function<NodeSearch<Case>(const CodedTable& table, const BinCommon& common)> search;
};

namespace detail {

/// What a worker keeps from tree to tree.
template <class Case>
struct Worker {
    Worker(const CodedTable& table, const tree::Settings& settings, const Kind<Case>& kind, Monitor& monitor)
        : common{table.columns, no_bins, settings, 0, false, {}, 0},
          grower(table, common, kind.search(table, common), kind.width, monitor) {}

    std::vector<std::uint32_t> no_bins; // histograms of all columns are not made here
    BinCommon common;
    TreeGrower<Case> grower;
    std::vector<std::uint32_t> times;
    std::vector<double> room;
};

} // namespace detail

/// Grow trees; heard(number, tree, times) learns of each, and of how often each row was drawn for it.
template <class Case, class Heard>
GrownForest grow_trees(const CodedTable& table, const tree::Settings& settings, const Kind<Case>& kind,
                       const ForestPlan& plan, Monitor& monitor, Heard&& heard) {
    using Worker = detail::Worker<Case>;
    if (!table.suits(settings.random_splits))
        throw std::invalid_argument("random splits need numbers as they are, all others need them in codes");
    std::vector<std::unique_ptr<Worker>> workers(n_workers(plan.n_trees, 1, plan.n_threads));
    std::vector<GrownTree> trees(plan.n_trees);
    monitor.expect(plan.n_trees);
    parallel_for(plan.n_trees, 1, plan.n_threads, monitor, [&](std::size_t t, std::size_t, std::size_t number) {
        auto& worker = workers[number];
        if (!worker)
            worker = std::make_unique<Worker>(table, settings, kind, monitor);
        const std::uint64_t column_seed = draw_rows(plan, table.n_rows, plan.first_tree + t, worker->times);
        trees[t] = worker->grower.grow(kind.cases(worker->times, worker->common, worker->room), column_seed);
        heard(t, trees[t], std::span<const std::uint32_t>(worker->times));
        monitor.step();
    });
    workers.clear();
    GrownForest forest;
    std::size_t n_nodes = 0;
    for (const GrownTree& tree : trees)
        n_nodes += tree.nodes.size();
    forest.nodes.reserve(n_nodes);
    for (GrownTree& tree : trees)
        forest.take(std::move(tree), kind.shares_width);
    return forest;
}

namespace detail {

/// Weight of the root, and what follows from it.
template <class Case, bool logarithms>
void state_common(const std::vector<Case>& cases, BinCommon& common) {
    double total = 0;
    bool whole = true;
    for (const Case& c : cases) {
        total += c.weight(); // exact: weights lie on a grid
        whole &= c.weight() == std::floor(c.weight());
    }
    common.whole = whole && total <= tree::most_counts;
    if (logarithms && common.whole && common.all_weight != total)
        common.logs = tree::LogTable(static_cast<std::size_t>(total));
    common.all_weight = total;
}

template <class Case, class Criterion>
NodeSearch<Case> make_search(const CodedTable& table, const BinCommon& common, std::size_t width) {
    return {table, common, width, tree::proposals_by<Criterion, typename Case::Target>(common, width),
            Criterion::is_mean(width) && common.settings.monotone.empty()};
}

template <class Case, class MakeCases>
Kind<Case> class_kind(const ClassTargets& targets, std::string_view criterion, MakeCases make_cases) {
    return tree::ClassCriteria::visit(criterion, [&]<class C>() -> Kind<Case> {
        constexpr bool logarithms = C::counted == tree::Counted::logarithms;
        return {targets.n_classes, targets.n_classes,
                [targets, make_cases](std::span<const std::uint32_t> times, BinCommon& common, std::vector<double>&) {
                    auto cases = make_cases(targets, times);
                    state_common<Case, logarithms>(cases, common);
                    return cases;
                },
                [k = targets.n_classes](const CodedTable& table, const BinCommon& common) {
                    return make_search<Case, C>(table, common, k);
                }};
    });
}

} // namespace detail

/// Trees for classes 0 ... n_classes - 1; `rows` are the rows of the table as they came, and `votes` may be null.
/// Requires weights above 0, thresholds for numbers, two branches for levels and MissingSplit::direction.
template <class T>
GrownForest grow_class_forest(const CodedTable& table, const WalkedRows<T>& rows, const ClassTargets& targets,
                              std::string_view criterion, const tree::Settings& settings, const ForestPlan& plan,
                              OutOfBagVotes* votes, Monitor& monitor) {
    const auto heard = [&](std::size_t t, const GrownTree& tree, std::span<const std::uint32_t> times) {
        if (votes)
            votes->add(t, ask_tree(tree, rows, times), tree.shares, [&](std::size_t i, std::int32_t) {
                return votes->most_voted(i) == static_cast<std::size_t>(targets.y[i]) ? 0.0 : 1.0;
            });
    };
    const bool counted = targets.weight.empty() && !targets.balanced && plan.ends.empty();
    GrownForest forest =
        counted ? grow_trees(table, settings, detail::class_kind<CountedClass>(targets, criterion, counted_cases), plan,
                             monitor, heard)
                : grow_trees(table, settings, detail::class_kind<WeighedClass>(targets, criterion, weighed_cases), plan,
                             monitor, heard);
    if (votes)
        forest.error = std::move(votes->error);
    return forest;
}

/// Trees for numbers under the squared error; the same is required. Errors are mean squared ones.
template <class T>
GrownForest grow_value_forest(const CodedTable& table, const WalkedRows<T>& rows, const ValueTargets& targets,
                              const tree::Settings& settings, const ForestPlan& plan, OutOfBagVotes* votes,
                              Monitor& monitor) {
    const Kind<WeighedValue> kind{2, 1,
                                  [&](std::span<const std::uint32_t> times, BinCommon& common, std::vector<double>&) {
                                      auto cases = value_cases(targets, times, common.centre);
                                      detail::state_common<WeighedValue, false>(cases, common);
                                      common.whole = false;
                                      return cases;
                                  },
                                  [](const CodedTable& coded, const BinCommon& common) {
                                      return detail::make_search<WeighedValue, tree::SquaredError>(coded, common, 2);
                                  }};
    const auto heard = [&](std::size_t t, const GrownTree& tree, std::span<const std::uint32_t> times) {
        if (votes)
            votes->add(t, ask_tree(tree, rows, times), {}, [&](std::size_t i, std::int32_t n) {
                const double away = votes->mean_vote(i, n) - targets.y[i];
                return away * away;
            });
    };
    GrownForest forest = grow_trees(table, settings, kind, plan, monitor, heard);
    if (votes)
        forest.error = std::move(votes->error);
    return forest;
}

} // namespace margin::ensemble
