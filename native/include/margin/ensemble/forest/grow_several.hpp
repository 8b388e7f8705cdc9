#pragma once
// Growing forests for several targets at once: a leaf answers the shares of the classes of all outputs, one output after
// another, or the mean of each number. Splits lower the mean of the losses of all outputs.
#include "grow_forest.hpp"
#include "several_cases.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace margin::ensemble {

namespace detail {

/// Trees of one kind, with votes out of bag under this loss where they are wanted.
template <class Case, class T, class Loss>
GrownForest grow_and_ask(const CodedTable& table, const WalkedRows<T>& rows, const Kind<Case>& kind,
                         const tree::Settings& settings, const ForestPlan& plan, OutOfBagVotes* votes, Monitor& monitor,
                         Loss&& loss) {
    GrownForest forest = grow_trees(table, settings, kind, plan, monitor,
                                    [&](std::size_t t, const GrownTree& tree, std::span<const std::uint32_t> times) {
                                        if (votes)
                                            votes->add(t, ask_tree(tree, rows, times), tree.shares, loss);
                                    });
    if (votes)
        forest.error = std::move(votes->error);
    return forest;
}

template <class Case>
void state_weight(const std::vector<Case>& cases, BinCommon& common) {
    state_common<Case, false>(cases, common);
    common.whole = false; // the passes that count know one output alone
}

} // namespace detail

/// Trees for classes 0 ... n_classes[o] - 1 of each output o. Errors are the share of outputs that are wrong; the same is
/// required as of one target, and no monotone columns.
template <class T>
GrownForest grow_several_class_forest(const CodedTable& table, const WalkedRows<T>& rows,
                                      const SeveralClassTargets& targets, std::string_view criterion,
                                      const tree::Settings& settings, const ForestPlan& plan, OutOfBagVotes* votes,
                                      Monitor& monitor) {
    using Case = SeveralCase<tree::SeveralClasses>;
    const auto places = tree::class_places(targets.y, targets.n_classes);
    const std::size_t width = targets.n_all() + 1, m = targets.y.columns();
    const Kind<Case> kind = tree::SeveralClassCriteria::visit(criterion, [&]<class C>() -> Kind<Case> {
        return {width, width - 1,
                [&](std::span<const std::uint32_t> times, BinCommon& common, std::vector<double>&) {
                    auto cases = several_class_cases(targets, places, times);
                    detail::state_weight(cases, common);
                    return cases;
                },
                [width](const CodedTable& coded, const BinCommon& common) {
                    return detail::make_search<Case, C>(coded, common, width);
                }};
    });
    return detail::grow_and_ask(table, rows, kind, settings, plan, votes, monitor, [&](std::size_t i, std::int32_t) {
        std::size_t first = 0, n_wrong = 0;
        for (std::size_t o = 0; o < m; ++o) {
            const auto n = static_cast<std::size_t>(targets.n_classes[o]);
            n_wrong += votes->most_voted(i, first, n) != static_cast<std::size_t>(targets.y(i, o));
            first += n;
        }
        return static_cast<double>(n_wrong) / static_cast<double>(m);
    });
}

/// Trees for several numbers. Errors are the mean squared ones over the outputs.
template <class T>
GrownForest grow_several_value_forest(const CodedTable& table, const WalkedRows<T>& rows,
                                      const SeveralValueTargets& targets, const tree::Settings& settings,
                                      const ForestPlan& plan, OutOfBagVotes* votes, Monitor& monitor) {
    using Case = SeveralCase<tree::SeveralValues>;
    const std::size_t m = targets.y.columns(), width = m + 1;
    const Kind<Case> kind{width, m,
                          [&](std::span<const std::uint32_t> times, BinCommon& common, std::vector<double>& room) {
                              auto cases = several_value_cases(targets, times, room);
                              detail::state_weight(cases, common);
                              return cases;
                          },
                          [width](const CodedTable& coded, const BinCommon& common) {
                              return detail::make_search<Case, tree::SeveralSquaredError>(coded, common, width);
                          }};
    return detail::grow_and_ask(table, rows, kind, settings, plan, votes, monitor, [&](std::size_t i, std::int32_t n) {
        double total = 0;
        for (std::size_t o = 0; o < m; ++o) {
            const double away = votes->mean_vote(i, n, o) - targets.y(i, o);
            total += away * away;
        }
        return total / static_cast<double>(m);
    });
}

} // namespace margin::ensemble
