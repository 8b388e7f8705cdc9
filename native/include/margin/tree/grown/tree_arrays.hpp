#pragma once
// A grown tree as plain arrays, node after node in preorder: saving, drawing, pruning and explaining need no C++.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// What a node asks of a row.
enum class Ask : std::uint8_t {
    nothing = 0,   // a leaf
    threshold = 1, // number <= threshold: branch 0, else 1; also ordered codes
    subset = 2,    // code among `detail`: branch 0, else 1; what the node did not hold goes the heavier way, branch 1
    level = 3,     // the code itself is the branch
    interval = 4,  // the number of cuts in `detail` that lie below the number (cut < number) is the branch
};

/// Nodes in preorder; node 0 is the root. Lists of varying length stand one after another, those of node i between
/// start[i] and start[i + 1].
template <template <class> class Array>
struct TreeArrays {
    std::size_t width = 0; // numbers per node in `value`

    Array<std::uint8_t> ask;
    Array<std::int32_t> column;  // -1 at leaves
    Array<double> threshold;     // 0 where nothing is compared with it
    Array<std::int32_t> missing; // the branch of missing cells, -1: down all branches in parts
    Array<double> value;         // weights of the classes, or the one value of a regression; width per node
    Array<std::int64_t> cases;   // rows that reach the node, in whole or in part
    Array<double> weight;        // their weight
    Array<double> impurity;
    Array<double> gain; // 0 at leaves
    Array<std::int64_t> child_start;
    Array<std::int32_t> child;
    Array<std::int64_t> detail_start;
    Array<double> detail; // subset: codes of branch 0, ascending; interval: cuts, ascending

    // Surrogates, best first; used where the cell of `column` is missing, then `missing`.
    Array<std::int64_t> surrogate_start;
    Array<std::int32_t> surrogate_column;
    Array<double> surrogate_threshold; // numbers and ordered codes: <= goes ...
    Array<std::int32_t> surrogate_low; // ... to this branch, 0 or 1, and > to the other one
    Array<std::int64_t> surrogate_detail_start;
    Array<double> surrogate_detail; // nominal: codes of branch `surrogate_low`, ascending; others have none

    std::size_t size() const noexcept { return ask.size(); }
};

/// What an array has an entry for.
enum class Per : std::uint8_t {
    node,
    value, // `width` entries for each node
    child,
    detail,
    surrogate,
    surrogate_detail,
    start, // where the lists of nodes, or of surrogates, begin; one more for the end
};

/// Call f(name, per, array) for each array; for several trees, each array of all of them. The one list of the arrays,
/// in the order in which they are written down.
template <class F, class... Trees>
void for_each_array(F&& f, Trees&&... trees) {
    f("ask", Per::node, trees.ask...);
    f("column", Per::node, trees.column...);
    f("threshold", Per::node, trees.threshold...);
    f("missing", Per::node, trees.missing...);
    f("value", Per::value, trees.value...);
    f("cases", Per::node, trees.cases...);
    f("weight", Per::node, trees.weight...);
    f("impurity", Per::node, trees.impurity...);
    f("gain", Per::node, trees.gain...);
    f("child_start", Per::start, trees.child_start...);
    f("child", Per::child, trees.child...);
    f("detail_start", Per::start, trees.detail_start...);
    f("detail", Per::detail, trees.detail...);
    f("surrogate_start", Per::start, trees.surrogate_start...);
    f("surrogate_column", Per::surrogate, trees.surrogate_column...);
    f("surrogate_threshold", Per::surrogate, trees.surrogate_threshold...);
    f("surrogate_low", Per::surrogate, trees.surrogate_low...);
    f("surrogate_detail_start", Per::start, trees.surrogate_detail_start...);
    f("surrogate_detail", Per::surrogate_detail, trees.surrogate_detail...);
}

template <class T>
using GrowingArray = std::vector<T>;

/// A tree that is being grown, or has been.
struct GrownTree : TreeArrays<GrowingArray> {
    GrownTree() {
        for_each_array(
            [](const char*, Per per, auto& array) {
                if (per == Per::start)
                    array.push_back(0);
            },
            *this);
    }
};

} // namespace margin::tree
