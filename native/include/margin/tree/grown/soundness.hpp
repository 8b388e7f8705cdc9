#pragma once
// Whether the arrays of a tree fit together: a walk follows them without looking, so damage must be found out before.
#include "walk_view.hpp"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace margin::tree {

namespace sound {

/// Columns and codes that the layout for walking has room for.
inline constexpr std::int32_t most_columns = 1 << 27;
inline constexpr double most_codes = 2147483648.0;

/// Whether `start` says where `n` lists begin that have `total` entries together: from 0, never down.
inline bool are_starts(std::span<const std::int64_t> start, std::size_t n, std::size_t total) noexcept {
    if (start.size() != n + 1 || start.front() != 0 || start.back() != static_cast<std::int64_t>(total))
        return false;
    for (std::size_t i = 0; i < n; ++i)
        if (start[i + 1] < start[i])
            return false;
    return true;
}

inline bool lengths_fit(const TreeView& tree) noexcept {
    const std::size_t n = tree.size();
    bool fit = n > 0 && tree.width > 0 && tree.value.size() == n * tree.width;
    for_each_array([&](const char*, Per per, const auto& array) { fit &= per != Per::node || array.size() == n; },
                   tree);
    return fit;
}

inline bool lists_are_whole(const TreeView& tree) noexcept {
    const std::size_t n = tree.size(), n_surrogates = tree.surrogate_column.size();
    return are_starts(tree.child_start, n, tree.child.size()) && are_starts(tree.detail_start, n, tree.detail.size()) &&
           are_starts(tree.surrogate_start, n, n_surrogates) && tree.surrogate_threshold.size() == n_surrogates &&
           tree.surrogate_low.size() == n_surrogates &&
           are_starts(tree.surrogate_detail_start, n_surrogates, tree.surrogate_detail.size());
}

/// Whether nodes stand in preorder: the first branch behind its node, each further one behind the subtree before it.
/// Then every node but the root is the branch of one node before it. Requires lists_are_whole. O(n) time and memory.
inline bool is_in_preorder(const TreeView& tree) {
    const std::size_t n = tree.size();
    std::vector<std::size_t> end(n); // behind the subtree of each node; those of later nodes are known first
    for (std::size_t node = n; node-- > 0;) {
        std::size_t behind = node + 1;
        for (const std::int32_t child : tree.children(node)) {
            if (child < 0 || static_cast<std::size_t>(child) != behind || behind >= n)
                return false;
            behind = end[behind];
        }
        end[node] = behind;
    }
    return end[0] == n;
}

/// Whether a node has as many branches as its question has answers, and asks about a column.
inline bool question_fits(const TreeView& tree, std::size_t node) noexcept {
    const std::size_t branches = tree.children(node).size();
    const std::int32_t column = tree.column[node], missing = tree.missing[node];
    if (missing < -1 || missing >= static_cast<std::int32_t>(std::max<std::size_t>(branches, 1)) ||
        std::isnan(tree.threshold[node]))
        return false;
    if (tree.is_leaf(node))
        return branches == 0 && column == -1;
    if (column < 0 || column >= most_columns)
        return false;
    switch (static_cast<Ask>(tree.ask[node])) {
    case Ask::threshold:
    case Ask::subset:
        return branches == 2;
    case Ask::level:
        return branches >= 1;
    case Ask::interval:
        return branches == tree.details(node).size() + 1;
    default:
        return false;
    }
}

/// Whether a list ascends, nothing in it twice or NaN, and with `codes` holds whole numbers that can be codes.
inline bool ascends(std::span<const double> list, bool codes) noexcept {
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (std::isnan(list[i]) || (i > 0 && list[i] <= list[i - 1]))
            return false;
        if (codes && !(list[i] >= 0 && list[i] < most_codes && list[i] == std::floor(list[i])))
            return false;
    }
    return true;
}

inline bool surrogates_fit(const TreeView& tree, std::size_t node) noexcept {
    if (tree.has_surrogates(node) && tree.children(node).size() != 2)
        return false;
    for (auto s = static_cast<std::size_t>(tree.surrogate_start[node]);
         s < static_cast<std::size_t>(tree.surrogate_start[node + 1]); ++s) {
        const std::int32_t column = tree.surrogate_column[s], low = tree.surrogate_low[s];
        const auto codes =
            TreeView::part(tree.surrogate_detail, tree.surrogate_detail_start[s], tree.surrogate_detail_start[s + 1]);
        if (column < 0 || column >= most_columns || low < 0 || low > 1 || !ascends(codes, true))
            return false;
    }
    return true;
}

} // namespace sound

/// What does not fit together in the arrays of a tree, as a sentence; empty if nothing. Arrays of any lengths and
/// contents may come in. O(nodes + entries of all lists) time, O(nodes) memory.
inline std::string_view what_is_unsound(const TreeView& tree) {
    if (!sound::lengths_fit(tree))
        return "some of them are of other lengths than the nodes";
    if (!sound::lists_are_whole(tree))
        return "lists do not begin where those before them end";
    if (!sound::is_in_preorder(tree))
        return "nodes are not in preorder: a node is no branch of a node before it, or of two";
    for (std::size_t node = 0; node < tree.size(); ++node) {
        if (!sound::question_fits(tree, node))
            return "a node has other branches than its question has answers, or asks about no column";
        if (!sound::ascends(tree.details(node), static_cast<Ask>(tree.ask[node]) == Ask::subset))
            return "the codes or cuts of a question do not ascend";
        if (!sound::surrogates_fit(tree, node))
            return "the questions that stand in for others do not fit";
    }
    return {};
}

} // namespace margin::tree
