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
struct GrownTree {
    std::size_t width = 0; // numbers per node in `value`

    std::vector<std::uint8_t> ask;
    std::vector<std::int32_t> column;  // -1 at leaves
    std::vector<double> threshold;     // 0 where nothing is compared with it
    std::vector<std::int32_t> missing; // the branch of missing cells, -1: down all branches in parts
    std::vector<double> value;         // weights of the classes, or the one value of a regression; width per node
    std::vector<std::int64_t> cases;   // rows that reach the node, in whole or in part
    std::vector<double> weight;        // their weight
    std::vector<double> impurity;
    std::vector<double> gain; // 0 at leaves
    std::vector<std::int64_t> child_start{0};
    std::vector<std::int32_t> child;
    std::vector<std::int64_t> detail_start{0};
    std::vector<double> detail; // subset: codes of branch 0, ascending; interval: cuts, ascending

    // Surrogates, best first; used where the cell of `column` is missing, then `missing`.
    std::vector<std::int64_t> surrogate_start{0};
    std::vector<std::int32_t> surrogate_column;
    std::vector<double> surrogate_threshold; // numbers and ordered codes: <= goes ...
    std::vector<std::int32_t> surrogate_low; // ... to this branch, 0 or 1, and > to the other one
    std::vector<std::int64_t> surrogate_detail_start{0};
    std::vector<double> surrogate_detail; // nominal: codes of branch `surrogate_low`, ascending; others have none
    std::size_t size() const noexcept { return ask.size(); }
};

} // namespace margin::tree
