#pragma once
// A single tree as SHAP values are read off it.
#include "margin/tree/grown/walk_view.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace margin::tree {

/// A tree with what its nodes answer beside it: `width` numbers each. What a row does where its cell is missing and a
/// surrogate sends it on is owed to the column that was asked, as everything else at that node.
struct TreeSource {
    TreeView tree;
    std::span<const double> weight; // of each node: what rows without a known cell are dealt out by
    std::span<const double> answers;
    std::size_t n_answers;

    std::size_t width() const noexcept { return n_answers; }
    bool is_leaf(std::size_t node) const noexcept { return tree.is_leaf(node); }
    std::int32_t column(std::size_t node) const noexcept { return tree.column[node]; }
    std::size_t n_branches(std::size_t node) const noexcept { return tree.children(node).size(); }
    std::size_t child(std::size_t node, std::size_t branch) const noexcept {
        return static_cast<std::size_t>(tree.children(node)[branch]);
    }
    double cover(std::size_t node) const noexcept { return weight[node]; }
    void value(std::size_t node, double* to) const noexcept {
        std::copy_n(answers.data() + node * n_answers, n_answers, to);
    }
    std::int32_t branch(std::size_t node, Row row) const noexcept { return branch_of(tree, node, row); }
};

} // namespace margin::tree
