#pragma once
// The cases of a node in groups that a split keeps together: levels of a nominal column, or intervals of numbers.
#include "node.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// One entry per group in ascending order of codes, and the missing cells apart. Used over and over: nodes are many, and
/// most of them are small.
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
        first.clear();
        last.clear();
        n.clear();
        weight.clear();
        sum.clear();
        n_missing = 0;
        missing_weight = 0;
        missing_sum.assign(width, 0.0);
    }
};

/// Add up the cases of some entries. Unit weights and two classes need no more than a count.
template <class Target>
void add_up(const Segment<Target>& cases, std::span<const Entry> entries, double* sum, std::size_t width) {
    if constexpr (std::is_same_v<Target, Classes>) {
        if (cases.weight.empty() && width == 2) {
            std::size_t seconds = 0;
            for (const Entry& e : entries)
                seconds += cases.target[e.place];
            sum[0] = static_cast<double>(entries.size() - seconds);
            sum[1] = static_cast<double>(seconds);
            return;
        }
    }
    for (const Entry& e : entries)
        Target::add(sum, cases.target[e.place], cases.weight_of(e.place));
}

/// The groups of column k: neighbouring codes a <= b share one if together(a, b), where a is the first of its group.
/// O(n + groups K) time.
template <class Target, class Together>
void gather(const Node<Target>& node, std::size_t k, Groups& groups, Together&& together) {
    groups.clear(node.width);
    const auto entries = node.cases.column(k);
    std::size_t begin = 0;
    while (begin < entries.size() && entries[begin].code != missing_code) {
        const code_t first = entries[begin].code;
        std::size_t end = begin + 1;
        while (end < entries.size() && entries[end].code != missing_code && together(first, entries[end].code))
            ++end;
        groups.first.push_back(first);
        groups.last.push_back(entries[end - 1].code);
        groups.n.push_back(static_cast<std::uint32_t>(end - begin));
        groups.sum.resize(groups.sum.size() + node.width);
        double* sum = groups.sum.data() + groups.sum.size() - node.width;
        add_up(node.cases, entries.subspan(begin, end - begin), sum, node.width);
        groups.weight.push_back(Target::weight(sum, node.width));
        begin = end;
    }
    groups.n_missing = entries.size() - begin;
    if (groups.n_missing > 0) {
        add_up(node.cases, entries.subspan(begin), groups.missing_sum.data(), node.width);
        groups.missing_weight = Target::weight(groups.missing_sum.data(), node.width);
    }
}

/// The levels of column k that the node holds.
template <class Target>
Groups& levels_of(const Node<Target>& node, std::size_t k) {
    static thread_local Groups levels;
    gather(node, k, levels, [](code_t a, code_t b) { return a == b; });
    return levels;
}

} // namespace margin::tree
