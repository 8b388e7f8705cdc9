#pragma once
// A split that a column proposes, and the rule by which one beats another.
#include "margin/tree/exact/segment.hpp"
#include "margin/tree/grown/tree_arrays.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::tree {

/// A split that mimics another one. Ordered columns: codes up to `cut` go to branch `low`; nominal ones: those among
/// `codes`. All others go to the other branch.
struct Surrogate {
    double association = 0; // share of the errors of "all go the way of most" that it avoids; above 0
    std::uint32_t column = 0;
    std::size_t k = 0; // its place among the columns of the node
    code_t cut = 0, next = 0;
    std::int32_t low = 0;
    std::vector<code_t> codes;

    std::uint32_t branch_of(code_t code) const noexcept {
        const bool listed = codes.empty() ? code <= cut : std::binary_search(codes.begin(), codes.end(), code);
        return static_cast<std::uint32_t>(listed ? low : 1 - low);
    }
};

struct Candidate {
    bool found = false;
    double gain = 0;       // decrease of the impurity
    double split_info = 0; // entropy of the branches in bits, missing cells being one more branch (Quinlan 1993)
    double score = 0;      // what columns are ranked by: the gain, or the gain ratio
    std::uint32_t column = 0;
    Ask ask = Ask::nothing;
    std::uint32_t n_branches = 2;
    code_t cut = 0, next = 0; // threshold: the largest code that goes to branch 0, the smallest of branch 1
    double drawn = std::numeric_limits<double>::quiet_NaN(); // threshold: a number drawn between the two; else NaN
    std::vector<code_t>
        codes; // subset: codes of branch 0, ascending; interval: the last code of each branch but the last
    std::vector<double> cuts;          // interval: the numbers that part the branches
    std::int32_t missing = 0;          // the branch of missing cells; -1: all, in parts
    std::vector<Surrogate> surrogates; // of the split that was chosen, best first
};

/// Of equal scores the first column wins, so that a tree does not depend on the order in which columns are looked at.
inline bool beats(const Candidate& a, const Candidate& b) noexcept {
    if (a.found != b.found)
        return a.found;
    return a.score > b.score || (a.score == b.score && a.column < b.column);
}

} // namespace margin::tree
