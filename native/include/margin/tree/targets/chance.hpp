#pragma once
// Whether a split says anything about the target that chance would not: tests of independence, corrected for the split having
// been chosen as the best of many.
#include "margin/tree/exact/divide.hpp"
#include "margin/tree/exact/node.hpp"
#include "margin/tree/splits/candidate.hpp"
#include "tails.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace margin::tree {

/// The branch of every case that is known to go down one, and of missing cells where they all go one way.
template <class Target, class Visit>
void for_each_branch(const Node<Target>& node, std::size_t k, const Candidate& split, Visit&& visit) {
    for (const Entry& e : node.cases.column(k))
        if (e.code != missing_code)
            visit(e.place, branch_of(split, e.code));
        else if (node.settings.missing == MissingSplit::direction)
            visit(e.place, static_cast<std::uint32_t>(split.missing));
}

/// What a split was chosen among.
struct Choices {
    double n = 1;      // splits of its column, among which the targets decided
    double levels = 0; // that were divided into two, a missing cell being one; 0 where order binds them
};

/// Thresholds between different numbers that leave enough cases on both sides, one level of several, or divisions of levels;
/// where missing cells may go either way, twice as many. Branches that do not depend on the targets are no choice. O(n).
template <class Target>
Choices choices_of(const Node<Target>& node, std::size_t k, const Candidate& split) {
    if (split.ask != Ask::threshold && split.ask != Ask::subset)
        return {};
    const auto entries = node.cases.column(k);
    const bool has_missing = entries.back().code == missing_code;
    const bool two_ways = has_missing && node.settings.missing == MissingSplit::direction;
    double n_levels = 0, n_cuts = 0;
    const std::size_t least = std::max<std::size_t>(node.settings.min_leaf, 1);
    for (std::size_t i = 0; i < entries.size() && entries[i].code != missing_code; ++i) {
        const bool ends = i + 1 == entries.size() || entries[i].code != entries[i + 1].code;
        n_levels += ends;
        n_cuts += ends && i + 1 < entries.size() && i + 1 >= least && entries.size() - i - 1 >= least;
    }
    const double ways = two_ways ? 2 : 1;
    if (split.ask == Ask::threshold)
        return {std::max(n_cuts * ways, 1.0), 0};
    if (node.settings.nominal == NominalSplit::one_vs_rest)
        return {n_levels > 2 ? n_levels * ways : ways, 0};
    const double levels = n_levels + (two_ways ? 1 : 0);
    return {std::max(std::exp2(std::min(levels - 1, 1000.0)) - 1, 1.0), levels};
}

namespace detail {

/// Branches down, classes across, with their sums.
struct Contingency {
    std::size_t n_branches, n_classes;
    std::vector<double> cell, of_branch, of_class;
    double all = 0, statistic = 0, smallest_expected = 0;

    Contingency(const Node<Classes>& node, std::size_t k, const Candidate& split)
        : n_branches(split.n_branches), n_classes(node.width), cell(n_branches * n_classes), of_branch(n_branches),
          of_class(n_classes) {
        for_each_branch(node, k, split, [&](std::uint32_t place, std::uint32_t branch) {
            cell[branch * n_classes + node.cases.target[place]] += node.cases.weight_of(place);
        });
        for (std::size_t b = 0; b < n_branches; ++b)
            for (std::size_t c = 0; c < n_classes; ++c) {
                of_branch[b] += cell[b * n_classes + c];
                of_class[c] += cell[b * n_classes + c];
                all += cell[b * n_classes + c];
            }
        smallest_expected = all;
        for (std::size_t b = 0; b < n_branches; ++b)
            for (std::size_t c = 0; c < n_classes; ++c) {
                const double expected = of_branch[b] * of_class[c] / all, off = cell[b * n_classes + c] - expected;
                if (expected > 0) {
                    statistic += off * off / expected;
                    smallest_expected = std::min(smallest_expected, expected);
                }
            }
    }

    static double present(const std::vector<double>& weights) {
        return static_cast<double>(std::ranges::count_if(weights, [](double w) { return w > 0; }));
    }
    double degrees() const { return (present(of_branch) - 1) * (present(of_class) - 1); }
    double pearson() const { return chi_squared_tail(statistic, degrees()); }

    /// Of two branches: Fisher's exact test of each class against all others, paid for by their number (two are one test).
    double exact() const {
        const double tests = present(of_class) > 2 ? present(of_class) : 1;
        double least = 1;
        for (std::size_t c = 0; c < n_classes; ++c)
            if (of_class[c] > 0)
                least = std::min(least, fisher_p(std::round(cell[c]), std::round(of_branch[0]), std::round(of_class[c]),
                                                 std::round(of_branch[0]) + std::round(of_branch[1])));
        return std::min(1.0, least * tests);
    }
};

} // namespace detail

/// How often branches that are independent of the classes would look as dependent as this. Weights count as repeated rows.
///
/// Branches that were not chosen: Pearson's test. A split that is the best of many is held against the best of as many by
/// chance: its p-value times their number, as in CHAID (Bonferroni; Kass 1980). So far out in the tail chi-squared is wrong
/// where few cases are expected, so p is then that of exact tests. The best division of many levels cannot be better than all
/// levels apart are, which bounds it as well. O(n + branches K).
inline double chance(const Node<Classes>& node, std::size_t k, const Candidate& split) {
    const detail::Contingency table(node, k, split);
    const Choices choices = choices_of(node, k, split);
    double p = table.pearson();
    if (choices.n <= 1 || !(table.degrees() > 0))
        return p;
    constexpr double enough = 20; // expected cases from which on chi-squared serves in the tail
    if (node.width == 2)
        p = table.exact();
    else if (table.smallest_expected < enough)
        p = std::max(p, table.exact());
    p = std::min(1.0, p * choices.n);
    if (choices.levels > 2 && table.smallest_expected >= enough)
        p = std::min(p, chi_squared_tail(table.statistic, (choices.levels - 1) * table.degrees()));
    return p;
}

/// The p-value of the analysis of variance: how often branches of equal means would differ as much (Fisher's F).
/// Weights count as repeated rows. A split that was chosen among others pays for each of them (Bonferroni).
/// O(n + branches).
inline double chance(const Node<Values>& node, std::size_t k, const Candidate& split) {
    struct Branch {
        double weight = 0, mean = 0;
    };
    std::vector<Branch> branches(split.n_branches);
    double weight = 0, mean = 0, between = 0, within = 0;
    for_each_branch(node, k, split, [&](std::uint32_t place, std::uint32_t b) {
        branches[b].weight += node.cases.weight_of(place);
        branches[b].mean += node.cases.weight_of(place) * node.cases.target[place].y;
    });
    for (Branch& branch : branches) {
        weight += branch.weight;
        mean += branch.mean;
        branch.mean = branch.weight > 0 ? branch.mean / branch.weight : 0.0;
    }
    mean /= weight;
    double n_branches = 0;
    for (const Branch& branch : branches) {
        n_branches += branch.weight > 0;
        between += branch.weight * (branch.mean - mean) * (branch.mean - mean);
    }
    for_each_branch(node, k, split, [&](std::uint32_t place, std::uint32_t b) {
        const double off = node.cases.target[place].y - branches[b].mean;
        within += node.cases.weight_of(place) * off * off;
    });
    const double above = n_branches - 1, below = weight - n_branches;
    if (above <= 0 || below <= 0)
        return 1;
    const double p = within > 0 ? f_tail(between / above / (within / below), above, below) : 0.0;
    return std::min(1.0, p * choices_of(node, k, split).n);
}

} // namespace margin::tree
