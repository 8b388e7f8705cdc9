#pragma once
// A tree whose nodes lie in the order in which they were found, and the same in preorder.
#include "margin/tree/exact/segment.hpp"
#include "margin/tree/grown/tree_arrays.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

struct BinTree {
    struct Entry {
        std::array<std::int32_t, 2> child{-1, -1}; // none for leaves
        std::int32_t subtree = -1;                 // in a list of trees: the one that has this node for its root
        std::int32_t column = -1, missing = 0;
        Ask ask = Ask::nothing;
        std::size_t n = 0;
        double threshold = 0, gain = 0, weight = 0, impurity = 0;
        std::vector<code_t> codes; // of branch 0, for subsets
    };
    std::vector<Entry> nodes;
    std::vector<double> sums;   // of each node
    std::vector<double> values; // of each node
};

namespace detail {

inline void write_node(const BinTree& tree, std::size_t at, GrownTree& grown) {
    const BinTree::Entry& node = tree.nodes[at];
    grown.ask.push_back(static_cast<std::uint8_t>(node.ask));
    grown.column.push_back(node.column);
    grown.threshold.push_back(node.threshold);
    grown.missing.push_back(node.missing);
    grown.gain.push_back(node.gain);
    grown.cases.push_back(static_cast<std::int64_t>(node.n));
    grown.weight.push_back(node.weight);
    grown.impurity.push_back(node.impurity);
    const double* const value = tree.values.data() + at * grown.width;
    grown.value.insert(grown.value.end(), value, value + grown.width);
    grown.detail.insert(grown.detail.end(), node.codes.begin(), node.codes.end());
    grown.detail_start.push_back(static_cast<std::int64_t>(grown.detail.size()));
    grown.child.resize(grown.child.size() + (node.ask == Ask::nothing ? 0 : 2));
    grown.child_start.push_back(static_cast<std::int64_t>(grown.child.size()));
    grown.surrogate_start.push_back(0);
}

} // namespace detail

/// One tree in preorder. The first of `trees` has the root; a node that names a subtree is the root of that one.
/// `width` numbers stand for each node in `values`.
inline GrownTree in_preorder(const std::vector<BinTree>& trees, std::size_t width) {
    struct Place {
        std::size_t tree, node;
        std::int64_t child; // where the parent's list of children names this node
    };
    GrownTree grown;
    grown.width = width;
    std::vector<Place> stack{{0, 0, -1}};
    while (!stack.empty()) {
        Place place = stack.back();
        stack.pop_back();
        if (const std::int32_t subtree = trees[place.tree].nodes[place.node].subtree; subtree >= 0)
            place = {static_cast<std::size_t>(subtree), 0, place.child};
        const BinTree::Entry& node = trees[place.tree].nodes[place.node];
        if (place.child >= 0)
            grown.child[static_cast<std::size_t>(place.child)] = static_cast<std::int32_t>(grown.size());
        detail::write_node(trees[place.tree], place.node, grown);
        for (int b = 1; b >= 0 && node.ask != Ask::nothing; --b)
            stack.push_back({place.tree, static_cast<std::size_t>(node.child[static_cast<std::size_t>(b)]),
                             grown.child_start.back() - 2 + b});
    }
    return grown;
}

} // namespace margin::tree
