#pragma once
// Cases in parts: one whose cell is missing goes down every branch, with a share of its weight (Quinlan 1993, ch. 3).
#include "divide.hpp"
#include "margin/tree/targets/exact_sums.hpp"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// Steps to which parts of weights are rounded, on a grid on which all sums are exact: a tree of parts depends neither
/// on the order of the rows nor on the number of threads. A part is off by no more than 10^-9 for a million rows.
struct Steps {
    double weight = 0, part = 0;
    static double round(double x, double step) noexcept { return std::nearbyint(x / step) * step; }
};

/// The steps for a tree that is grown from these rows.
template <class Target>
Steps steps_for(const Segment<Target>& root) {
    double weight = 0, part = 0;
    for (std::size_t i = 0; i < root.n; ++i) {
        weight += root.weight_of(i);
        if constexpr (std::is_same_v<Target, Values>)
            part += std::abs(root.target[i].part);
    }
    return {grid_step(weight), grid_step(part)};
}

/// What is to be learnt of a share of a case.
inline Classes::Item part_of(Classes::Item y, double, const Steps&) noexcept { return y; }
inline Values::Item part_of(const Values::Item& item, double share, const Steps& steps) noexcept {
    return {item.y, Steps::round(item.part * share, steps.part)};
}

/// Where the cases of a node go that are dealt out in parts.
struct Deal {
    static constexpr std::uint32_t all = 0xffffffff;
    std::vector<std::uint32_t> branch;              // of each case; all: every branch in parts
    std::vector<std::uint32_t> place;               // of each case in its branch; of one in parts, its row in `places`
    std::vector<std::vector<std::uint32_t>> places; // of each branch, where the cases in parts are; all: nowhere
};

/// The branches of the known cases, and of each branch its share of their weight.
template <class Target>
std::vector<double> shares_of(const Segment<Target>& node, std::size_t k, const Candidate& split, Deal& deal) {
    std::vector<double> share(split.n_branches);
    deal.branch.assign(node.n, Deal::all);
    double known = 0;
    for (const Entry& e : node.column(k))
        if (e.code != missing_code) {
            deal.branch[e.place] = branch_of(split, e.code);
            share[deal.branch[e.place]] += node.weight_of(e.place);
            known += node.weight_of(e.place);
        }
    for (double& s : share)
        s /= known;
    return share;
}

/// Targets and weights of the branches.
template <class Target>
void deal_targets(const Segment<Target>& node, const std::vector<double>& share, const Steps& steps, Deal& deal,
                  std::vector<Segment<Target>>& parts) {
    deal.place.resize(node.n);
    deal.places.assign(parts.size(), {});
    std::uint32_t n_in_parts = 0;
    const auto put = [&](std::size_t b, const typename Target::Item& item, double weight) {
        parts[b].target.push_back(item);
        parts[b].weight.push_back(weight);
        return static_cast<std::uint32_t>(parts[b].n++);
    };
    for (std::size_t i = 0; i < node.n; ++i) {
        if (deal.branch[i] != Deal::all) {
            deal.place[i] = put(deal.branch[i], node.target[i], node.weight_of(i));
            continue;
        }
        deal.place[i] = n_in_parts++;
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (share[b] == 0)
                continue;
            const double weight = Steps::round(node.weight_of(i) * share[b], steps.weight);
            deal.places[b].push_back(weight > 0 ? put(b, part_of(node.target[i], share[b], steps), weight) : Deal::all);
        }
    }
}

/// One segment per branch. A case whose cell in column k is missing is in every branch that known cases reach, with as
/// much of its weight as they have of theirs. Requires known cases. O(n d + missing d branches) time.
template <class Target>
std::vector<Segment<Target>> divide_in_parts(const Segment<Target>& node, std::size_t k, const Candidate& split,
                                             const Steps& steps) {
    Deal deal;
    const std::vector<double> share = shares_of(node, k, split, deal);
    std::vector<Segment<Target>> parts(split.n_branches);
    deal_targets(node, share, steps, deal, parts);
    std::vector<std::vector<Entry>> dealt(parts.size());
    for (std::size_t j = 0; j < node.columns.size(); ++j) {
        for (auto& entries : dealt)
            entries.clear();
        for (const Entry& e : node.column(j)) {
            const std::uint32_t place = deal.place[e.place];
            if (deal.branch[e.place] != Deal::all)
                dealt[deal.branch[e.place]].push_back({e.code, place});
            else
                for (std::size_t b = 0; b < parts.size(); ++b)
                    if (share[b] > 0 && deal.places[b][place] != Deal::all)
                        dealt[b].push_back({e.code, deal.places[b][place]});
        }
        for (std::size_t b = 0; b < parts.size(); ++b) {
            if (dealt[b].empty() || dealt[b].front().code == dealt[b].back().code)
                continue;
            parts[b].columns.push_back(node.columns[j]);
            parts[b].entries.insert(parts[b].entries.end(), dealt[b].begin(), dealt[b].end());
        }
    }
    return parts;
}

} // namespace margin::tree
