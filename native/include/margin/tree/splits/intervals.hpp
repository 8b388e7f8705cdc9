#pragma once
// A branch for each of several intervals of a column of numbers.
#include "mdl_cuts.hpp"
#include "multiway.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace margin::tree {

/// Cuts that part the known numbers of a node into intervals of equal width. Infinite numbers are in the outer ones.
inline std::vector<double> equal_width_cuts(const Column& column, std::span<const Entry> known, std::size_t n) {
    std::vector<double> cuts;
    const auto finite = [&](const Entry& e) { return std::isfinite(column.value[e.code]); };
    const auto first = std::ranges::find_if(known, finite);
    if (first == known.end())
        return cuts;
    auto last = known.end() - 1;
    while (!finite(*last))
        --last;
    const double low = column.value[first->code], high = column.value[last->code];
    for (std::size_t i = 1; i < n; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(n);
        cuts.push_back(low * (1 - share) + high * share); // high - low might be beyond all doubles
    }
    return cuts;
}

/// Cuts that part the known numbers of a node into intervals of equal weight, as far as equal numbers allow: a cut is
/// where the weight below first reaches the next multiple of weight / n.
template <class Target>
std::vector<double> equal_count_cuts(const Node<Target>& node, const Column& column, std::span<const Entry> known,
                                     std::size_t n) {
    std::vector<double> cuts;
    double all = 0, below = 0, next = 1;
    for (const Entry& e : known)
        all += node.cases.weight_of(e.place);
    for (std::size_t i = 0; i + 1 < known.size(); ++i) {
        below += node.cases.weight_of(known[i].place);
        if (known[i].code == known[i + 1].code || below * static_cast<double>(n) < next * all)
            continue;
        cuts.push_back(column.between(known[i].code, known[i + 1].code));
        next = std::floor(below * static_cast<double>(n) / all) + 1;
    }
    return cuts;
}

/// The cuts of column k in this node, ascending.
template <class Target>
std::vector<double> cuts_of(const Node<Target>& node, std::size_t k, Monitor* monitor) {
    const Column& column = node.columns[node.cases.columns[k]];
    auto known = node.cases.column(k);
    while (!known.empty() && known.back().code == missing_code)
        known = known.first(known.size() - 1);
    switch (node.settings.numeric) {
    case NumericSplit::equal_width:
        return equal_width_cuts(column, known, node.settings.max_intervals);
    case NumericSplit::equal_count:
        return equal_count_cuts(node, column, known, node.settings.max_intervals);
    case NumericSplit::mdl:
        return mdl_cuts(node, column, known, monitor);
    default:
        return node.settings.cuts.at(node.cases.columns[k]);
    }
}

/// The largest codes below the cuts, without those cuts that have no training number on one side.
inline std::vector<code_t> ends_below(const Column& column, std::vector<double>& cuts) {
    std::vector<code_t> ends;
    std::erase_if(cuts, [&](double cut) {
        const auto n_below = std::ranges::upper_bound(column.value, cut) - column.value.begin();
        const bool idle = n_below == 0 || static_cast<std::size_t>(n_below) == column.value.size();
        if (!idle)
            ends.push_back(static_cast<code_t>(n_below - 1));
        return idle;
    });
    return ends;
}

/// A branch for each interval between cuts, x belonging below a cut c if x <= c. Cuts fixed beforehand may leave
/// branches of this node empty; of other intervals an empty one is joined to the one below it. Not found without cuts.
/// O(n + cuts log n) time.
template <class Criterion, class Target>
Candidate best_intervals(const Node<Target>& node, std::size_t k, Monitor* monitor) {
    static thread_local Groups groups;
    Candidate split;
    split.column = node.cases.columns[k];
    split.ask = Ask::interval;
    split.cuts = cuts_of(node, k, monitor);
    split.codes = ends_below(node.columns[split.column], split.cuts);
    const auto interval_of = [&](code_t code) {
        return static_cast<std::size_t>(std::ranges::lower_bound(split.codes, code) - split.codes.begin());
    };
    std::size_t at = 0; // the interval of `first`, which only rises
    gather(node, k, split.codes.size() + 1, groups, [&](code_t first, code_t code) {
        while (at < split.codes.size() && split.codes[at] < first)
            ++at;
        return code != missing_code && (at == split.codes.size() || code <= split.codes[at]);
    });
    propose_all_apart<Criterion>(node, groups, split);
    if (!split.found)
        return split;
    if (node.settings.numeric == NumericSplit::fixed) {
        if (split.missing >= 0)
            split.missing =
                static_cast<std::int32_t>(interval_of(groups.first[static_cast<std::size_t>(split.missing)]));
    } else {
        std::vector<double> cuts;
        for (std::size_t g = 1; g < groups.size(); ++g)
            cuts.push_back(split.cuts[interval_of(groups.first[g]) - 1]);
        split.cuts = std::move(cuts);
        split.codes.assign(groups.last.begin(), groups.last.end() - 1);
    }
    split.n_branches = static_cast<std::uint32_t>(split.codes.size() + 1);
    return split;
}

} // namespace margin::tree
