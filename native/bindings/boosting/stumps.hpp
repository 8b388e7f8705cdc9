#pragma once
// Shallow trees as NumPy arrays: nodes are pairs of 64-bit words, as in forests.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/boosting/class_rounds.hpp"
#include <cstring>
#include <nanobind/stl/optional.h>

namespace margin::bindings {

/// The arrays of a tree: a leaf's first word is its number among the leaves.
inline nb::dict give_tree(boosting::ShallowTree& tree) {
    static_assert(sizeof(ensemble::Node) == 2 * sizeof(std::uint64_t));
    std::vector<std::uint64_t> nodes(2 * tree.nodes.size());
    std::memcpy(nodes.data(), tree.nodes.data(), nodes.size() * sizeof(std::uint64_t));
    nb::dict given;
    given["nodes"] = give(std::move(nodes), tree.nodes.size(), 2);
    given["words"] = give(std::move(tree.words));
    return given;
}

/// A tree with the sums of its leaves and the leaf of each row.
template <class Grown>
nb::dict give_grown(Grown& made, std::vector<double> sums, std::size_t width) {
    nb::dict given = give_tree(made.tree);
    given["sums"] = give(std::move(sums), made.tree.n_leaves, width);
    given["leaf"] = give(std::move(made.leaf));
    return given;
}

} // namespace margin::bindings
