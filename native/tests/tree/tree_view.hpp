#pragma once
// A grown tree as walking and pruning read it.
#include "margin/tree/grown/tree_arrays.hpp"
#include "margin/tree/grown/walk_view.hpp"

namespace margin::tree {

inline TreeView view(const GrownTree& t) {
    return {t.width,
            t.ask,
            t.column,
            t.threshold,
            t.missing,
            t.value,
            t.weight,
            t.child_start,
            t.child,
            t.detail_start,
            t.detail,
            t.surrogate_start,
            t.surrogate_column,
            t.surrogate_threshold,
            t.surrogate_low,
            t.surrogate_detail_start,
            t.surrogate_detail};
}

} // namespace margin::tree
