#pragma once
// A grown tree as it is read: what a node asks of a row, and the ways a row takes.
#include "tree_arrays.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace margin::tree {

template <class T>
using BorrowedArray = std::span<const T>;

/// The arrays of a tree, borrowed.
struct TreeView : TreeArrays<BorrowedArray> {
    bool is_leaf(std::size_t node) const noexcept { return ask[node] == static_cast<std::uint8_t>(Ask::nothing); }

    std::span<const std::int32_t> children(std::size_t node) const noexcept {
        return part(child, child_start[node], child_start[node + 1]);
    }
    std::span<const double> details(std::size_t node) const noexcept {
        return part(detail, detail_start[node], detail_start[node + 1]);
    }
    bool has_surrogates(std::size_t node) const noexcept { return surrogate_start[node] < surrogate_start[node + 1]; }

    template <class T>
    static std::span<const T> part(std::span<const T> all, std::int64_t begin, std::int64_t end) noexcept {
        return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    }
};

/// A row is one double per column, numbers first, then codes; NaN where a cell is missing.
using Row = const double*;

/// No branch: the cell is missing, and no surrogate knows better.
inline constexpr std::int32_t no_branch = -1;

/// A cell as a code from 0 to most; a damaged tree may ask for the code of any number.
inline std::uint32_t code_within(double x, std::uint32_t most) noexcept {
    return x > 0 ? static_cast<std::uint32_t>(std::min(x, static_cast<double>(most))) : 0;
}

/// The branch of a number or code that is known.
inline std::int32_t known_branch(const TreeView& tree, std::size_t node, double x) noexcept {
    const auto detail = tree.details(node);
    switch (static_cast<Ask>(tree.ask[node])) {
    case Ask::threshold:
        return x <= tree.threshold[node] ? 0 : 1;
    case Ask::subset:
        return std::binary_search(detail.begin(), detail.end(), x) ? 0 : 1;
    case Ask::interval:
        return static_cast<std::int32_t>(std::lower_bound(detail.begin(), detail.end(), x) - detail.begin());
    default:
        return static_cast<std::int32_t>(code_within(x, static_cast<std::uint32_t>(tree.children(node).size()) - 1));
    }
}

/// The branch that the first surrogate with a cell in this row chooses.
inline std::int32_t surrogate_branch(const TreeView& tree, std::size_t node, Row row) noexcept {
    for (auto s = static_cast<std::size_t>(tree.surrogate_start[node]);
         s < static_cast<std::size_t>(tree.surrogate_start[node + 1]); ++s) {
        const double x = row[tree.surrogate_column[s]];
        if (std::isnan(x))
            continue;
        const auto codes =
            TreeView::part(tree.surrogate_detail, tree.surrogate_detail_start[s], tree.surrogate_detail_start[s + 1]);
        const bool low =
            codes.empty() ? x <= tree.surrogate_threshold[s] : std::binary_search(codes.begin(), codes.end(), x);
        return low ? tree.surrogate_low[s] : 1 - tree.surrogate_low[s];
    }
    return no_branch;
}

/// The branch of a row: by the cell, by a surrogate, by the branch of missing cells; else `no_branch`, which stands for
/// all of them in parts.
inline std::int32_t branch_of(const TreeView& tree, std::size_t node, Row row) noexcept {
    const double x = row[tree.column[node]];
    if (!std::isnan(x))
        return known_branch(tree, node, x);
    const std::int32_t branch = surrogate_branch(tree, node, row);
    return branch != no_branch ? branch : tree.missing[node];
}

/// Of equally heavy branches the first.
inline std::int32_t heaviest_branch(const TreeView& tree, std::size_t node) noexcept {
    const auto children = tree.children(node);
    const auto weight = [&](std::int32_t child) { return tree.weight[static_cast<std::size_t>(child)]; };
    return static_cast<std::int32_t>(std::ranges::max_element(children, {}, weight) - children.begin());
}

/// The leaf of a row; where it would go down all branches, it takes the heaviest.
inline std::size_t leaf_of(const TreeView& tree, Row row) noexcept {
    std::size_t node = 0;
    while (!tree.is_leaf(node)) {
        std::int32_t branch = branch_of(tree, node, row);
        if (branch == no_branch)
            branch = heaviest_branch(tree, node);
        node = static_cast<std::size_t>(tree.children(node)[static_cast<std::size_t>(branch)]);
    }
    return node;
}

/// Call visit(leaf, part) for every leaf that a part of the row reaches, in preorder; the parts add up to 1. A branch
/// gets as large a part as its share of the weight of all branches.
template <class Visit>
void leaves_of(const TreeView& tree, Row row, std::vector<std::pair<std::size_t, double>>& stack, Visit&& visit) {
    stack.assign(1, {0, 1.0});
    while (!stack.empty()) {
        const auto [node, part] = stack.back();
        stack.pop_back();
        if (tree.is_leaf(node)) {
            visit(node, part);
            continue;
        }
        const auto children = tree.children(node);
        const std::int32_t branch = branch_of(tree, node, row);
        if (branch != no_branch) {
            stack.emplace_back(children[static_cast<std::size_t>(branch)], part);
            continue;
        }
        double total = 0;
        for (const std::int32_t child : children)
            total += tree.weight[static_cast<std::size_t>(child)];
        if (!(total > 0)) { // no case ever came this way: what is known of the node itself
            visit(node, part);
            continue;
        }
        for (std::size_t b = children.size(); b-- > 0;)
            if (const double weight = tree.weight[static_cast<std::size_t>(children[b])]; weight > 0)
                stack.emplace_back(children[b], part * (weight / total));
    }
}

} // namespace margin::tree
