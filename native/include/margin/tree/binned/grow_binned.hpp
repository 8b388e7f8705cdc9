#pragma once
// Growing a tree on bins: large nodes one after another, each with all threads, then small subtrees side by side.
#include "bin_grower.hpp"
#include "bin_search_moments.hpp"
#include "bin_search_pairs.hpp"
#include "bin_search_sums.hpp"
#include "bins.hpp"
#include "margin/tree/targets/mean.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace margin::tree {

/// Nodes of at most this many rows are grown with all that is below them by one thread. Enough subtrees for many
/// threads, none so large that others wait for it, and 16 bits suffice to count the rows of each.
inline std::size_t rows_of_subtrees(std::size_t n_rows) noexcept {
    return std::clamp<std::size_t>(n_rows / 16, 2048, 65535);
}

/// Makes what a worker counts rows with: those of large nodes, with all threads, or those of subtrees.
template <class Target>
using MakeCountedRows = std::function<std::unique_ptr<CountedRows<Target>>(bool subtrees)>;

/// A whole tree: nodes of many rows first, then subtrees.
template <class Target>
GrownTree grow_on_rows(std::size_t n_rows, const BinCommon& common, const MakeCountedRows<Target>& make,
                       const std::vector<double>& sum, std::size_t value_width, std::size_t n_threads,
                       Monitor& monitor) {
    std::vector<BinTree> trees(1);
    std::vector<BinWork> works;
    {
        BinGrower<Target> grower(common, make(false), monitor);
        BinWork root;
        root.n = n_rows;
        if (grower.plant(root, sum.data())) {
            if (common.settings.max_leaves == unlimited)
                grower.grow(root, rows_of_subtrees(n_rows), works);
            else
                grower.grow_best_first(root);
        }
        trees[0] = std::move(grower.tree);
    }
    std::ranges::stable_sort(works, [](const BinWork& a, const BinWork& b) { return a.n > b.n; });
    trees.resize(1 + works.size());
    std::vector<std::unique_ptr<BinGrower<Target>>> growers(n_workers(works.size(), 1, n_threads));
    parallel_for(works.size(), 1, n_threads, monitor, [&](std::size_t k, std::size_t, std::size_t worker) {
        auto& grower = growers[worker];
        if (!grower)
            grower = std::make_unique<BinGrower<Target>>(common, make(true), monitor);
        BinWork root = works[k];
        const double* const root_sum = trees[0].sums.data() + root.node * sum.size();
        trees[0].nodes[root.node].subtree = static_cast<std::int32_t>(k + 1);
        std::vector<BinWork> none;
        if (grower->plant(root, root_sum))
            grower->grow(root, 0, none);
        trees[k + 1] = std::exchange(grower->tree, {});
    });
    return in_preorder(trees, value_width);
}

/// How nodes of some size are grown: what is counted, and what searches the counts.
template <class Code, class TallyOfRows>
struct BinWay {
    using Tally = TallyOfRows;
    Tally tally;
    MakeBinSearch<Code, Tally> search;
};

/// Makes rows that are counted one way in nodes of many rows, and in another in subtrees, which one thread grows.
template <class Code, class Tally, class SmallTally>
MakeCountedRows<typename Tally::Target>
counted_rows(BinRows<Code, typename Tally::Item>& rows, const BinCommon& common, const BinWay<Code, Tally>& way,
             const BinWay<Code, SmallTally>& small_way, std::size_t n_threads, Monitor& monitor) {
    return [&, n_threads](bool subtrees) -> std::unique_ptr<CountedRows<typename Tally::Target>> {
        if (subtrees)
            return std::make_unique<RowsCountedBy<Code, SmallTally>>(rows, common, small_way.tally, small_way.search(),
                                                                     1, monitor);
        return std::make_unique<RowsCountedBy<Code, Tally>>(rows, common, way.tally, way.search(), n_threads, monitor);
    };
}

namespace detail {

template <class Code, class Criterion, class Tally>
BinWay<Code, Tally> by_sums(const BinCommon& common, Tally tally) {
    return {tally, [&common, tally] { return sum_search<Criterion, Code>(common, tally); }};
}

template <class Code, class Search, class Tally>
BinWay<Code, Tally> by_search(const BinCommon& common, Tally tally) {
    return {tally, [&common, tally] { return std::make_unique<Search>(common, tally); }};
}

template <class Code, class Criterion>
GrownTree grow_classes_on(const Bins<Code>& bins, std::span<const std::int32_t> y, std::span<const double> weight,
                          std::size_t n_classes, const Settings& settings, std::size_t n_threads, Monitor& monitor) {
    const auto first = first_bins(bins.columns);
    BinCommon common{bins.columns, first, settings, 0, false, {}, 0};
    std::vector<double> sum(n_classes);
    for (std::size_t i = 0; i < y.size(); ++i)
        sum[static_cast<std::size_t>(y[i])] += weight.empty() ? 1.0 : weight[i];
    common.all_weight = Classes::weight(sum.data(), n_classes);
    common.whole =
        common.all_weight <= most_counts && std::ranges::all_of(weight, [](double w) { return w == std::floor(w); });
    if (Criterion::counted == Counted::logarithms && common.whole)
        common.logs = LogTable(static_cast<std::size_t>(common.all_weight));
    if (!weight.empty()) {
        BinRows<Code, WeightTally::Item> rows(
            bins, [&](std::size_t i) { return WeightTally::Item{weight[i], static_cast<std::uint16_t>(y[i])}; },
            n_threads, monitor);
        BinWay<Code, WeightTally> way = by_sums<Code, Criterion>(common, WeightTally{n_classes});
        if constexpr (Criterion::is_mean(2))
            if (n_classes == 2 && settings.monotone.empty())
                way = by_search<Code, MomentSearch<Code, Criterion, WeightTally>>(common, way.tally);
        return grow_on_rows<Classes>(rows.size(), common, counted_rows(rows, common, way, way, n_threads, monitor), sum,
                                     n_classes, n_threads, monitor);
    }
    BinRows<Code, std::uint16_t> rows(
        bins, [&](std::size_t i) { return static_cast<std::uint16_t>(y[i]); }, n_threads, monitor);
    if constexpr (Roughly<Criterion>)
        if (n_classes == 2 && settings.monotone.empty()) {
            const auto way =
                by_search<Code, PairSearch<Code, Criterion, std::uint64_t>>(common, PairTally<std::uint64_t>{});
            const auto small =
                by_search<Code, PairSearch<Code, Criterion, std::uint32_t>>(common, PairTally<std::uint32_t>{});
            return grow_on_rows<Classes>(rows.size(), common,
                                         counted_rows(rows, common, way, small, n_threads, monitor), sum, n_classes,
                                         n_threads, monitor);
        }
    const auto way = by_sums<Code, Criterion>(common, CountTally{n_classes});
    return grow_on_rows<Classes>(rows.size(), common, counted_rows(rows, common, way, way, n_threads, monitor), sum,
                                 n_classes, n_threads, monitor);
}

template <class Code>
GrownTree grow_values_on(const Bins<Code>& bins, std::span<const double> y, std::span<const double> weight,
                         const Settings& settings, std::size_t n_threads, Monitor& monitor) {
    const auto first = first_bins(bins.columns);
    const double centre = centre_of(y, weight);
    const auto items = value_items(y, weight, centre);
    std::vector<double> sum(2);
    for (std::size_t i = 0; i < y.size(); ++i)
        Values::add(sum.data(), items[i], weight.empty() ? 1.0 : weight[i]);
    const BinCommon common{bins.columns, first, settings, sum[0], false, {}, centre};
    const auto grow = [&]<class Tally>(Tally tally, auto&& item_of) {
        BinRows<Code, typename Tally::Item> rows(bins, item_of, n_threads, monitor);
        const auto way = settings.monotone.empty()
                             ? by_search<Code, MomentSearch<Code, SquaredError, Tally>>(common, tally)
                             : by_sums<Code, SquaredError>(common, tally);
        return grow_on_rows<Values>(rows.size(), common, counted_rows(rows, common, way, way, n_threads, monitor), sum,
                                    1, n_threads, monitor);
    };
    if (weight.empty())
        return grow(ValueTally{}, [&](std::size_t i) { return items[i]; });
    return grow(WeightedValueTally{},
                [&](std::size_t i) { return WeightedValueTally::Item{items[i].y, items[i].part, weight[i]}; });
}

/// Call use(bins) with codes of one byte or two. Requires 2 <= max_bins <= 65535.
template <class T, class Use>
GrownTree with_bins(const Table<T>& table, std::size_t max_bins, std::size_t n_threads, Monitor& monitor, Use&& use) {
    if (max_bins < 256)
        return use(bin_table<std::uint8_t>(table, max_bins, n_threads, monitor));
    return use(bin_table<std::uint16_t>(table, max_bins, n_threads, monitor));
}

} // namespace detail

/// A tree for classes 0 ... n_classes - 1; no weights are weights of 1. Requires weights above 0, thresholds for
/// numbers, two branches for levels, and MissingSplit::direction.
template <class Criteria = ClassCriteria, class T>
GrownTree grow_binned_classes(const Table<T>& table, std::span<const std::int32_t> y, std::span<const double> weight,
                              std::size_t n_classes, std::string_view criterion, const Settings& settings,
                              std::size_t max_bins, std::size_t n_threads, Monitor& monitor) {
    Buffer<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    return detail::with_bins(table, max_bins, n_threads, monitor, [&](const auto& bins) {
        return Criteria::visit(criterion, [&]<class C>() {
            return detail::grow_classes_on<std::remove_cvref_t<decltype(*bins.row(0))>, C>(
                bins, y, rounded, n_classes, settings, n_threads, monitor);
        });
    });
}

/// A tree for numbers under the squared error; the same is required.
template <class T>
GrownTree grow_binned_values(const Table<T>& table, std::span<const double> y, std::span<const double> weight,
                             const Settings& settings, std::size_t max_bins, std::size_t n_threads, Monitor& monitor) {
    Buffer<double> rounded(weight.begin(), weight.end());
    round_weights(rounded);
    return detail::with_bins(table, max_bins, n_threads, monitor, [&](const auto& bins) {
        return detail::grow_values_on(bins, y, rounded, settings, n_threads, monitor);
    });
}

} // namespace margin::tree
