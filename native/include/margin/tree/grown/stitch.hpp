#pragma once
// Parts of a tree that were grown apart, put together in preorder.
#include "tree_arrays.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace margin::tree {

namespace detail {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t first, std::size_t last) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(last));
}

/// Lists of varying length: `start` for nodes first ... last - 1, and the range of items that belong to them.
inline std::pair<std::size_t, std::size_t> append_starts(std::vector<std::int64_t>& to, std::size_t n_items,
                                                         const std::vector<std::int64_t>& from, std::size_t first,
                                                         std::size_t last) {
    const std::int64_t shift = static_cast<std::int64_t>(n_items) - from[first];
    for (std::size_t i = first; i < last; ++i)
        to.push_back(from[i + 1] + shift);
    return {static_cast<std::size_t>(from[first]), static_cast<std::size_t>(from[last])};
}

/// Nodes first ... last - 1 of a tree at the end of another; their children keep their numbers.
inline void append_nodes(GrownTree& to, const GrownTree& from, std::size_t first, std::size_t last) {
    using Range = std::pair<std::size_t, std::size_t>;
    const Range nodes{first, last}, values{first * from.width, last * from.width};
    const Range children = append_starts(to.child_start, to.child.size(), from.child_start, first, last);
    const Range details = append_starts(to.detail_start, to.detail.size(), from.detail_start, first, last);
    const Range surrogates =
        append_starts(to.surrogate_start, to.surrogate_column.size(), from.surrogate_start, first, last);
    const Range surrogate_details = append_starts(to.surrogate_detail_start, to.surrogate_detail.size(),
                                                  from.surrogate_detail_start, surrogates.first, surrogates.second);
    // In the order of Per.
    const std::array of{nodes, values, children, details, surrogates, surrogate_details};
    for_each_array(
        [&](const char*, Per per, auto& into, const auto& some) {
            if (per != Per::start)
                append(into, some, of[static_cast<std::size_t>(per)].first, of[static_cast<std::size_t>(per)].second);
        },
        to, from);
}

} // namespace detail

/// A child of this number is the root of subtree `number`.
inline std::int32_t subtree_number(std::size_t number) noexcept { return -1 - static_cast<std::int32_t>(number); }

/// The nodes of `top`, which are in any order and whose children may be subtrees (see subtree_number), and those of the
/// subtrees, which are in preorder, as one tree in preorder. O(nodes).
inline GrownTree stitch(const GrownTree& top, std::vector<GrownTree>& subtrees) {
    struct Step {
        std::int32_t from; // a node of the top, or a subtree
        std::int64_t link; // where its parent names it, -1 for the root
    };
    GrownTree tree;
    tree.width = top.width;
    std::vector<Step> stack{{0, -1}};
    while (!stack.empty()) {
        const Step step = stack.back();
        stack.pop_back();
        const std::size_t at = tree.size();
        if (step.link >= 0)
            tree.child[static_cast<std::size_t>(step.link)] = static_cast<std::int32_t>(at);
        if (step.from < 0) {
            GrownTree& subtree = subtrees[static_cast<std::size_t>(-1 - step.from)];
            for (auto& child : subtree.child)
                child += static_cast<std::int32_t>(at);
            detail::append_nodes(tree, subtree, 0, subtree.size());
            continue;
        }
        const auto node = static_cast<std::size_t>(step.from);
        detail::append_nodes(tree, top, node, node + 1);
        const std::int64_t n_children = top.child_start[node + 1] - top.child_start[node];
        for (std::int64_t b = n_children; b-- > 0;)
            stack.push_back({top.child[static_cast<std::size_t>(top.child_start[node] + b)], tree.child_start[at] + b});
    }
    return tree;
}

} // namespace margin::tree
