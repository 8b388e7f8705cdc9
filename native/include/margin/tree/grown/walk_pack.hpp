#pragma once
// A tree laid out for walking: 16 bytes a node, the branches of a node side by side.
#include "walk_view.hpp"
#include <limits>

namespace margin::tree {

struct PackedNode {
    struct List { // subset: words of bits, and how many words; interval: cuts, and how many
        std::uint32_t begin, n;
    };
    struct Level { // the branch of missing cells, and how many branches
        std::uint32_t missing, n;
    };
    union {
        double threshold;
        List list;
        Level level;
    };
    std::uint32_t first; // the node of branch 0; of a leaf itself
    std::uint32_t tag;   // flags, kind and column

    static constexpr std::uint32_t missing_right = 1u << 31; // missing cells go to branch 1
    static constexpr std::uint32_t leaf = 1u << 30;
    static constexpr std::uint32_t special = 1u << 29; // what becomes of missing cells, only the tree itself knows
    static constexpr std::uint32_t column_mask = (1u << 27) - 1;
    enum class Kind : std::uint32_t { threshold, subset, level, interval };

    bool is_leaf() const noexcept { return tag & leaf; }
    std::uint32_t column() const noexcept { return tag & column_mask; }
    Kind kind() const noexcept { return static_cast<Kind>((tag >> 27) & 3); }
};
static_assert(sizeof(PackedNode) == 16);

struct Packed {
    std::vector<PackedNode> nodes;
    std::vector<std::uint32_t> origin; // the number of each node in the tree
    std::vector<std::uint64_t> words;  // of subsets: bit c of a list stands for code c
    std::vector<double> cuts;          // of intervals: the branch of missing cells, then the cuts
    bool plain = true;                 // thresholds alone, and missing cells all go one way
    std::size_t depth = 0;             // most steps to a leaf
};

namespace detail {

inline std::uint32_t tag_of(const TreeView& tree, std::size_t node) noexcept {
    // Ask counts threshold, subset, level, interval from 1 on.
    const auto kind = static_cast<std::uint32_t>(tree.ask[node]) - 1;
    std::uint32_t tag = static_cast<std::uint32_t>(tree.column[node]) | kind << 27;
    if (tree.missing[node] < 0 || tree.has_surrogates(node))
        tag |= PackedNode::special;
    else if (tree.missing[node] == 1)
        tag |= PackedNode::missing_right;
    return tag;
}

inline void pack_list(const TreeView& tree, std::size_t node, PackedNode& to, Packed& packed) {
    const auto detail = tree.details(node);
    switch (to.kind()) {
    case PackedNode::Kind::threshold:
        to.threshold = tree.threshold[node];
        break;
    case PackedNode::Kind::level:
        to.level = {static_cast<std::uint32_t>(tree.missing[node]),
                    static_cast<std::uint32_t>(tree.children(node).size())};
        break;
    case PackedNode::Kind::subset: {
        const std::size_t n_words = detail.empty() ? 0 : static_cast<std::size_t>(detail.back()) / 64 + 1;
        const std::size_t begin = packed.words.size();
        to.list = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(n_words)};
        packed.words.resize(begin + n_words);
        for (const double code : detail)
            packed.words[begin + static_cast<std::size_t>(code) / 64] |= 1ull << (static_cast<std::size_t>(code) % 64);
        break;
    }
    case PackedNode::Kind::interval:
        packed.cuts.push_back(tree.missing[node]);
        to.list = {static_cast<std::uint32_t>(packed.cuts.size()), static_cast<std::uint32_t>(detail.size())};
        packed.cuts.insert(packed.cuts.end(), detail.begin(), detail.end());
        break;
    }
}

} // namespace detail

/// Lay a tree out. The branches of the heavier child follow those of its parent, so that most steps stay within a cache
/// line or two. Requires fewer than 2^27 columns. O(nodes) time.
inline Packed pack(const TreeView& tree) {
    Packed packed;
    struct Work {
        std::size_t node, place, depth;
    };
    std::vector<Work> stack;
    if (tree.size() > 0)
        stack.push_back({0, 0, 0});
    packed.nodes.resize(stack.size());
    packed.origin.resize(stack.size());
    while (!stack.empty()) {
        const auto [node, place, depth] = stack.back();
        stack.pop_back();
        packed.origin[place] = static_cast<std::uint32_t>(node);
        packed.depth = std::max(packed.depth, depth);
        PackedNode made;
        if (tree.is_leaf(node)) {
            // Compared like any other node, it leads to itself.
            made.threshold = std::numeric_limits<double>::infinity();
            made.first = static_cast<std::uint32_t>(place);
            made.tag = PackedNode::leaf;
            packed.nodes[place] = made;
            continue;
        }
        const auto children = tree.children(node);
        made.first = static_cast<std::uint32_t>(packed.nodes.size());
        made.tag = detail::tag_of(tree, node);
        packed.plain &= made.kind() == PackedNode::Kind::threshold && !(made.tag & PackedNode::special);
        detail::pack_list(tree, node, made, packed);
        packed.nodes[place] = made;
        packed.nodes.resize(made.first + children.size());
        packed.origin.resize(packed.nodes.size());
        const auto heaviest = static_cast<std::size_t>(heaviest_branch(tree, node));
        for (std::size_t b = children.size(); b-- > 0;)
            if (b != heaviest)
                stack.push_back({static_cast<std::size_t>(children[b]), made.first + b, depth + 1});
        stack.push_back({static_cast<std::size_t>(children[heaviest]), made.first + heaviest, depth + 1});
    }
    return packed;
}

} // namespace margin::tree
