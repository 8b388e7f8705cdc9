#pragma once
// The cases of a node in groups that a split keeps together: levels of a nominal column, or intervals of numbers.
#include "margin/tree/exact/node.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// One entry per group in ascending order of codes, and the missing cells apart. Used over and over, since nodes are many
/// and most of them small.
struct Groups {
    std::size_t width = 0;
    std::vector<code_t> first, last; // smallest and largest code
    std::vector<std::uint32_t> n;    // cases
    std::vector<double> weight;
    std::vector<double> sum; // `width` numbers each
    std::size_t n_missing = 0;
    double missing_weight = 0;
    std::vector<double> missing_sum;

    std::size_t size() const noexcept { return n.size(); }
    const double* sum_of(std::size_t g) const noexcept { return sum.data() + g * width; }

    void clear(std::size_t new_width) {
        width = new_width;
        resize(0);
        n_missing = 0;
        missing_weight = 0;
        missing_sum.assign(width, 0.0);
    }
    void resize(std::size_t n_groups) {
        first.resize(n_groups);
        last.resize(n_groups);
        n.resize(n_groups);
        weight.resize(n_groups);
        sum.resize(n_groups * width);
    }
};

namespace detail {

/// Adds up cases of any kind.
template <class Target>
struct AnySum {
    const Segment<Target>& cases;
    double* sum;
    std::size_t width;

    void begin(double* into) noexcept { std::fill_n(sum = into, width, 0.0); }
    void add(std::uint32_t place) noexcept { Target::add(sum, cases.target[place], cases.weight_of(place)); }
    void end(std::size_t) noexcept {}
};

/// Two classes and weights of 1 need no more than a count.
struct TwoCounts {
    const Classes::Item* target;
    double* sum;
    std::size_t seconds;

    void begin(double* into) noexcept {
        sum = into;
        seconds = 0;
    }
    void add(std::uint32_t place) noexcept { seconds += target[place]; }
    void end(std::size_t n) noexcept {
        sum[0] = static_cast<double>(n - seconds);
        sum[1] = static_cast<double>(seconds);
    }
};

template <class Target, class Sum, class Together>
void gather_with(Sum sum, std::span<const Entry> entries, Groups& groups, Together&& together) {
    const std::size_t n = entries.size();
    std::size_t i = 0, g = 0;
    while (i < n && entries[i].code != missing_code) {
        const std::size_t begin = i;
        const code_t first = entries[i].code;
        sum.begin(groups.sum.data() + g * groups.width);
        do
            sum.add(entries[i++].place);
        while (i < n && together(first, entries[i].code));
        sum.end(i - begin);
        groups.first[g] = first;
        groups.last[g] = entries[i - 1].code;
        groups.n[g] = static_cast<std::uint32_t>(i - begin);
        groups.weight[g] = Target::weight(groups.sum_of(g), groups.width);
        ++g;
    }
    groups.resize(g);
    groups.n_missing = n - i;
    if (groups.n_missing == 0)
        return;
    sum.begin(groups.missing_sum.data());
    while (i < n)
        sum.add(entries[i++].place);
    sum.end(groups.n_missing);
    groups.missing_weight = Target::weight(groups.missing_sum.data(), groups.width);
}

} // namespace detail

/// The groups of column k, at most `most`: neighbouring codes a <= b share one if together(a, b), where a is the first
/// of its group; no known code may be together with a missing one. O(n + groups K) time.
template <class Target, class Together>
void gather(const Node<Target>& node, std::size_t k, std::size_t most, Groups& groups, Together&& together) {
    groups.clear(node.width);
    groups.resize(std::min(most, node.cases.n)); // as many are written to, and then cut off
    const auto entries = node.cases.column(k);
    if constexpr (std::is_same_v<Target, Classes>)
        if (node.width == 2 && node.cases.weight.empty())
            return detail::gather_with<Target>(detail::TwoCounts{node.cases.target.data(), nullptr, 0}, entries, groups,
                                               together);
    detail::gather_with<Target>(detail::AnySum<Target>{node.cases, nullptr, node.width}, entries, groups, together);
}

/// The levels of column k that the node holds.
template <class Target>
Groups& levels_of(const Node<Target>& node, std::size_t k) {
    static thread_local Groups levels;
    gather(node, k, node.columns[node.cases.columns[k]].n_codes, levels, [](code_t a, code_t b) { return a == b; });
    return levels;
}

} // namespace margin::tree
