#pragma once
// The trees of a forest as they are kept: 16 bytes a node, the two branches of a node side by side.
#include "margin/tree/grown/walk_pack.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::ensemble {

/// tree::PackedNode, but for leaves: `threshold` is what a leaf answers, a number or its row in a table of shares, and
/// `first` is the leaf itself. Nodes are counted within their tree, words of subsets within the forest.
using Node = tree::PackedNode;

/// One more step: a leaf leads to itself, whatever it answers.
template <class T>
MARGIN_INLINED std::uint32_t next_node(const Node* nodes, std::uint32_t at, const T* row) noexcept {
    const Node& node = nodes[at];
    const double x = row[node.column()];
    const std::uint32_t above = x > node.threshold, above_or_missing = !(x <= node.threshold);
    return node.first + ((above | (above_or_missing & (node.tag >> 31))) & ~(node.tag >> 30) & 1);
}

/// A tree that has just been grown.
struct GrownTree {
    std::vector<Node> nodes;
    std::vector<std::uint64_t> words; // of subsets, counted within the tree
    std::vector<double> shares;       // of the classes, for leaves that hold several; or the means of several numbers
    std::vector<double> decrease;     // of the impurity, by columns, as shares of the weight of the root
    std::vector<float> leaf_weight;   // of the cases at each node that is a leaf; nothing at the others
};

/// Many trees.
struct ForestView {
    std::span<const Node> nodes;
    std::span<const std::int64_t> start; // of each tree among the nodes, and the end
    std::span<const std::uint64_t> words;
    std::span<const double> shares; // row r + `width` of the table; its first `width` rows are single classes
    std::size_t width = 1;          // classes; of all outputs, where there are several; or numbers
    bool of_classes = false;

    /// Whether leaves answer rows of the table; else they answer a number.
    bool by_rows() const noexcept { return of_classes || width > 1; }

    std::size_t n_trees() const noexcept { return start.size() - 1; }
    const Node* tree(std::size_t t) const noexcept { return nodes.data() + start[t]; }
    std::size_t size(std::size_t t) const noexcept { return static_cast<std::size_t>(start[t + 1] - start[t]); }
};

} // namespace margin::ensemble
