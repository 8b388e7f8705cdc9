#pragma once
// From a node and its split to the nodes below.
#include "divide.hpp"
#include "fractional_cases.hpp"
#include "margin/tree/splits/surrogates.hpp"
#include "work.hpp"
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace margin::tree {

/// A node on its way to its branches: where its cases go, and then its children.
template <class Target>
class Branching {
public:
    Division<Target> division;

    /// Targets and sums of the branches. Where cells are missing and cases are dealt out in parts, the entries as well.
    void assign(const Plan<Target>& plan, const Work<Target>& work, const Node<Target>& node, Candidate& split) {
        const auto& cases = work.cases;
        const auto k = static_cast<std::size_t>(std::ranges::find(cases.columns, split.column) - cases.columns.begin());
        const bool has_missing = cases.column(k).back().code == missing_code;
        const auto ends = [&](const Part<Target>& part) {
            return ends_here(plan, part.cases, part.sum, work.depth + 1);
        };
        complete_ = has_missing && plan.settings.missing == MissingSplit::fractional;
        if (complete_) {
            division.parts.clear();
            for (auto& segment : divide_in_parts(cases, k, split, plan.steps)) {
                auto sum = sum_of(segment, node.width);
                division.parts.push_back({std::move(segment), std::move(sum), false});
                division.parts.back().ends = ends(division.parts.back());
            }
            return;
        }
        if (plan.settings.missing == MissingSplit::surrogate)
            division.assign(cases, branches_by_surrogates(node, k, split), split, node.sum, ends);
        else
            division.assign(cases, k, split, node.sum, ends);
        if (!has_missing && plan.settings.missing == MissingSplit::direction)
            split.missing = largest_part();
    }

    /// Whether entries are still to be dealt out.
    bool complete() const noexcept {
        return complete_ || std::ranges::all_of(division.parts, [](const auto& part) { return part.ends; });
    }

    /// Hand over the children, the last one first.
    template <class Emit>
    void hand_over(const Plan<Target>& plan, const Work<Target>& work, const Candidate& split, std::int32_t parent,
                   const double* value, std::size_t width, Emit&& emit) {
        auto& parts = division.parts;
        const std::int8_t way = plan.settings.monotone.empty() ? 0 : plan.settings.monotone[split.column];
        const double middle = way == 0 ? 0.0 : middle_of(parts);
        for (auto b = static_cast<std::uint32_t>(parts.size()); b-- > 0;) {
            Work<Target> child{std::move(parts[b].cases),
                               std::move(parts[b].sum),
                               {},
                               parent,
                               b,
                               work.depth + 1,
                               path_to(work.path, b),
                               hand_down(work.bounds, way, b, middle),
                               parts[b].ends};
            if (child.cases.n == 0)
                child.inherited.assign(value, value + width);
            emit(std::move(child));
        }
    }

private:
    static double middle_of(const std::vector<Part<Target>>& parts) {
        const auto half = [](const Part<Target>& part) {
            return bounded_value<Target>(part.sum.data(), Target::weight(part.sum.data(), part.sum.size())) / 2;
        };
        return half(parts[0]) + half(parts[1]);
    }

    std::int32_t largest_part() const {
        std::size_t largest = 0;
        for (std::size_t b = 1; b < division.parts.size(); ++b)
            if (division.parts[b].cases.n >= division.parts[largest].cases.n)
                largest = b;
        return static_cast<std::int32_t>(largest);
    }

    bool complete_ = false;
};

} // namespace margin::tree
