#pragma once
// Other columns that say which way a case goes whose cell is missing (Breiman et al. 1984, ch. 5.3).
#include "candidate.hpp"
#include "margin/tree/exact/divide.hpp"
#include "margin/tree/exact/node.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace margin::tree {

namespace detail {

constexpr std::uint32_t unknown_way = 2;
using Ways = std::array<double, 2>; // weight of the cases that go each way

/// The weights of the cases of a run of entries, by the way they go.
template <class Target>
Ways ways_of(const Segment<Target>& cases, std::span<const Entry> entries, const std::vector<std::uint32_t>& way) {
    Ways weight{};
    for (const Entry& e : entries)
        if (way[e.place] != unknown_way)
            weight[way[e.place]] += cases.weight_of(e.place);
    return weight;
}

/// The share of errors avoided, for a weight `agreeing` of cases that go `all` ways.
inline double association(double agreeing, const Ways& all) noexcept {
    const double most = std::max(all[0], all[1]), total = all[0] + all[1];
    return agreeing > most ? (agreeing - most) / (total - most) : 0.0;
}

/// Each level goes the way of most of its cases, of equal ones the heavier way.
template <class Target>
void mimic_by_levels(const Segment<Target>& cases, std::span<const Entry> known, const std::vector<std::uint32_t>& way,
                     const Ways& all, const Ways& judged, Surrogate& surrogate) {
    const std::size_t light = all[0] < all[1] ? 0 : 1;
    double agreeing = 0;
    for (std::size_t begin = 0, end = 0; begin < known.size(); begin = end) {
        while (end < known.size() && known[end].code == known[begin].code)
            ++end;
        const Ways level = ways_of(cases, known.subspan(begin, end - begin), way);
        agreeing += std::max(level[0], level[1]);
        if (level[light] > level[1 - light])
            surrogate.codes.push_back(known[begin].code);
    }
    surrogate.low = static_cast<std::int32_t>(light);
    surrogate.association = association(agreeing, judged);
}

/// The threshold that agrees best, low codes going to branch 0 or to branch 1. Of equal ones the smallest, then the
/// first branch.
template <class Target>
void mimic_by_threshold(const Segment<Target>& cases, std::span<const Entry> known,
                        const std::vector<std::uint32_t>& way, const Ways& all, const Ways& judged,
                        Surrogate& surrogate) {
    Ways low{};
    double best = std::max(all[0], all[1]);
    for (std::size_t begin = 0, end = 0; begin < known.size(); begin = end) {
        while (end < known.size() && known[end].code == known[begin].code)
            ++end;
        if (end == known.size())
            break;
        const Ways level = ways_of(cases, known.subspan(begin, end - begin), way);
        low = {low[0] + level[0], low[1] + level[1]};
        for (std::size_t b = 0; b < 2; ++b)
            if (const double agreeing = low[b] + (all[1 - b] - low[1 - b]); agreeing > best) {
                best = agreeing;
                surrogate.cut = known[begin].code;
                surrogate.next = known[end].code;
                surrogate.low = static_cast<std::int32_t>(b);
            }
    }
    surrogate.association = association(best, judged);
}

} // namespace detail

/// The columns whose best threshold, or way of each level, agrees with `way` more often than sending all cases the
/// heavier way does; best first, at most `max_surrogates`, of equal ones the first column. Both are judged by the cases
/// that have a known cell in both columns; with `missing_disagree` by all that the split knows, as rpart does in its style
/// 0. way[i]: branch 0 or 1 of case i, 2 if it is not known. O(n d) time.
template <class Target>
std::vector<Surrogate> find_surrogates(const Node<Target>& node, std::size_t k, const std::vector<std::uint32_t>& way) {
    const auto& cases = node.cases;
    std::vector<Surrogate> found;
    for (std::size_t j = 0; j < cases.columns.size(); ++j) {
        if (j == k)
            continue;
        auto known = cases.column(j);
        while (!known.empty() && known.back().code == missing_code)
            known = known.first(known.size() - 1);
        Surrogate surrogate;
        surrogate.k = j;
        surrogate.column = cases.columns[j];
        const detail::Ways all = detail::ways_of(cases, known, way);
        const detail::Ways judged = node.settings.missing_disagree ? detail::ways_of(cases, cases.column(j), way) : all;
        if (node.columns[surrogate.column].nominal)
            detail::mimic_by_levels(cases, known, way, all, judged, surrogate);
        else
            detail::mimic_by_threshold(cases, known, way, all, judged, surrogate);
        if (surrogate.association > 0)
            found.push_back(std::move(surrogate));
    }
    std::ranges::stable_sort(found, std::greater{}, &Surrogate::association);
    if (found.size() > node.settings.max_surrogates)
        found.resize(node.settings.max_surrogates);
    return found;
}

/// The branch of each case, and in split.surrogates the columns that say it for missing cells; where they are missing
/// as well, the branch is split.missing, which is set to the heaviest one. Splits of more than two branches have no
/// surrogates.
template <class Target>
std::vector<std::uint32_t> branches_by_surrogates(const Node<Target>& node, std::size_t k, Candidate& split) {
    const auto& cases = node.cases;
    const bool binary = split.ask == Ask::threshold || split.ask == Ask::subset;
    const std::uint32_t nowhere = binary ? detail::unknown_way : split.n_branches;
    std::vector<std::uint32_t> way(cases.n, nowhere);
    std::vector<double> weight(split.n_branches);
    for (const Entry& e : cases.column(k))
        if (e.code != missing_code) {
            way[e.place] = branch_of(split, e.code);
            weight[way[e.place]] += cases.weight_of(e.place);
        }
    split.missing = static_cast<std::int32_t>(std::ranges::max_element(weight) - weight.begin());
    if (binary)
        split.surrogates = find_surrogates(node, k, way);
    if (cases.column(k).back().code != missing_code)
        return way;
    const std::vector<std::uint32_t> known_way = way;
    for (auto s = split.surrogates.rbegin(); s != split.surrogates.rend(); ++s) // the best has the last word
        for (const Entry& e : cases.column(s->k))
            if (known_way[e.place] == nowhere && e.code != missing_code)
                way[e.place] = s->branch_of(e.code);
    std::ranges::replace(way, nowhere, static_cast<std::uint32_t>(split.missing));
    return way;
}

/// Write the surrogates of the last node of the tree.
inline void write_surrogates(const std::vector<Surrogate>& surrogates, const std::vector<Column>& columns,
                             GrownTree& tree) {
    for (const Surrogate& s : surrogates) {
        const bool nominal = columns[s.column].nominal;
        tree.surrogate_column.push_back(static_cast<std::int32_t>(s.column));
        tree.surrogate_threshold.push_back(nominal ? 0.0 : columns[s.column].between(s.cut, s.next));
        tree.surrogate_low.push_back(s.low);
        tree.surrogate_detail.insert(tree.surrogate_detail.end(), s.codes.begin(), s.codes.end());
        tree.surrogate_detail_start.push_back(static_cast<std::int64_t>(tree.surrogate_detail.size()));
    }
    tree.surrogate_start.back() = static_cast<std::int64_t>(tree.surrogate_column.size());
}

} // namespace margin::tree
