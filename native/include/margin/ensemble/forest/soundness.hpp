#pragma once
// Whether the arrays of a forest fit together: what comes from a file may have been written by anyone.
#include "nodes.hpp"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace margin::ensemble {

namespace detail {

inline std::string unsound_leaf(const ForestView& forest, const Node& node, std::size_t own) {
    if (node.first != own || node.tag != Node::leaf) // its column is read on the way, whatever comes of it
        return "a leaf leads elsewhere";
    if (!forest.by_rows())
        return std::isfinite(node.threshold) ? "" : "a leaf answers no number";
    const double n_rows = static_cast<double>(forest.width + forest.shares.size() / forest.width);
    const double first = forest.of_classes ? 0.0 : static_cast<double>(forest.width);
    const bool is_row =
        node.threshold >= first && node.threshold < n_rows && node.threshold == std::floor(node.threshold);
    return is_row ? "" : "a leaf names shares that are not there";
}

inline std::string unsound_question(const ForestView& forest, const Node& node, std::size_t own, std::size_t n_nodes,
                                    std::size_t n_columns) {
    if (node.first <= own || node.first + std::size_t{1} >= n_nodes)
        return "a branch leads back, or nowhere";
    if (node.column() >= n_columns)
        return "a node asks about a column that is not there";
    if (node.tag & Node::special || (node.kind() != Node::Kind::threshold && node.kind() != Node::Kind::subset))
        return "a node asks what no node of a forest asks";
    if (node.kind() == Node::Kind::subset && std::size_t{node.list.begin} + node.list.n > forest.words.size())
        return "a set of levels is not there";
    if (node.kind() == Node::Kind::threshold && std::isnan(node.threshold))
        return "a threshold is no number";
    return "";
}

} // namespace detail

/// What is wrong, or nothing. Branches lead onwards only, so that every walk ends. O(nodes) time.
inline std::string what_is_unsound(const ForestView& forest, std::size_t n_columns) {
    if (forest.width == 0 || (forest.by_rows() ? forest.shares.size() % forest.width != 0 : !forest.shares.empty()))
        return "shares are of other lengths than the classes";
    if (forest.start.size() < 2 || forest.start.front() != 0 ||
        forest.start.back() != static_cast<std::int64_t>(forest.nodes.size()))
        return "the trees are not the nodes";
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        if (forest.start[t + 1] <= forest.start[t] || forest.start[t + 1] > forest.start.back())
            return "a tree has no nodes";
        const auto n_nodes = static_cast<std::size_t>(forest.start[t + 1] - forest.start[t]);
        for (std::size_t k = 0; k < n_nodes; ++k) {
            const Node& node = forest.tree(t)[k];
            std::string wrong = node.is_leaf() ? detail::unsound_leaf(forest, node, k)
                                               : detail::unsound_question(forest, node, k, n_nodes, n_columns);
            if (!wrong.empty())
                return wrong;
        }
    }
    for (const double share : forest.shares)
        if (forest.of_classes ? !(share >= 0 && share <= 1) : !std::isfinite(share))
            return "a share is none";
    return "";
}

} // namespace margin::ensemble
