#pragma once
// A grown tree as walking and pruning read it.
#include "margin/tree/grown/tree_arrays.hpp"
#include "margin/tree/grown/walk_view.hpp"

namespace margin::tree {

inline TreeView view(const GrownTree& tree) {
    TreeView borrowed;
    borrowed.width = tree.width;
    for_each_array([](const char*, Per, auto& to, const auto& from) { to = from; }, borrowed, tree);
    return borrowed;
}

} // namespace margin::tree
