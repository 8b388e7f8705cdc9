#pragma once
// A tree of a forest as SHAP values are read off it.
#include "margin/tree/shap/shap_values.hpp"
#include "walk_forest.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::ensemble {

/// The weight of the cases at each node, of all trees together. Requires a weight above 0 for each leaf, one after
/// another. O(nodes) time.
inline std::vector<double> node_weights(const ForestView& forest, std::span<const float> leaf_weight) {
    std::vector<double> weight(forest.nodes.size());
    std::size_t n_leaves = leaf_weight.size();
    for (std::size_t t = forest.n_trees(); t-- > 0;) { // branches lead onwards: children come before their parents
        double* const of_tree = weight.data() + forest.start[t];
        for (auto n = static_cast<std::size_t>(forest.start[t + 1] - forest.start[t]); n-- > 0;) {
            const Node& node = forest.tree(t)[n];
            of_tree[n] = node.is_leaf() ? static_cast<double>(leaf_weight[--n_leaves])
                                        : of_tree[node.first] + of_tree[node.first + 1];
        }
    }
    return weight;
}

/// Tree t of a forest, and the weight of the cases at each of its nodes. Of two classes only the second is answered: the
/// first is 1 less that.
struct ForestSource {
    const ForestView* forest;
    std::size_t t;
    std::span<const double> weight;

    const Node& node(std::size_t n) const noexcept { return forest->tree(t)[n]; }
    std::size_t width() const noexcept { return width_of(*forest); }
    static std::size_t width_of(const ForestView& forest) noexcept { return forest.width == 2 ? 1 : forest.width; }

    bool is_leaf(std::size_t n) const noexcept { return node(n).is_leaf(); }
    std::int32_t column(std::size_t n) const noexcept { return static_cast<std::int32_t>(node(n).column()); }
    std::size_t n_branches(std::size_t) const noexcept { return 2; }
    std::size_t child(std::size_t n, std::size_t branch) const noexcept { return node(n).first + branch; }
    double cover(std::size_t n) const noexcept { return weight[n]; }
    std::int32_t branch(std::size_t n, const double* row) const noexcept {
        return static_cast<std::int32_t>(branch_of(node(n), forest->words.data(), row));
    }

    void value(std::size_t n, double* to) const noexcept {
        if (!forest->of_classes) {
            *to = node(n).threshold;
            return;
        }
        const auto row = static_cast<std::size_t>(node(n).threshold);
        const std::size_t skipped = forest->width - width();
        for (std::size_t k = 0; k < width(); ++k)
            to[k] = row < forest->width ? static_cast<double>(row == k + skipped)
                                        : forest->shares[(row - forest->width) * forest->width + k + skipped];
    }
};

} // namespace margin::ensemble
