#pragma once
// How trees are grown on gradients.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::boosting {

struct Settings {
    std::size_t max_leaves = 31;
    std::size_t max_depth = std::numeric_limits<std::size_t>::max();
    bool by_depth = false;  // level after level; else the leaf of the largest gain next
    bool symmetric = false; // level after level, and all nodes of a level ask the same question
    double learning_rate = 0.1;
    double l2 = 1;          // lambda: added to the second derivatives of a leaf
    double min_gain = 0;    // gamma: a split must gain more
    double min_weight = 0;  // sum of second derivatives in a branch
    double min_cases = 1;   // cases in a branch, told from its share of the second derivatives of the node
    double nominal_l2 = 10; // added to lambda where levels are grouped by their order
    double nominal_smooth =
        10; // added to the second derivatives of a level when levels are ordered; and the fewest cases
    std::size_t one_vs_rest = 4; // up to so many levels each is tried against the others
    double row_share = 1;        // of the rows that each round learns from
    double column_share = 1;     // of the columns that each tree may ask about
    double top_share = 0;        // one-sided sampling: rows of the largest gradients are all kept; 0: not asked for
    double drop_share = 0;       // of the rounds before, that each round leaves out; 0: not asked for
    bool by_size = false;        // rows are drawn by the size of their gradients, and count for those left out
    bool linear = false;         // leaves have slopes of the columns asked about before them
    double alpha = 0.9;          // of the quantile, of Huber's loss and of the focal one
    std::vector<std::int8_t> monotone;                    // of each column: 1 rising, -1 falling, 0 free; or none
    std::vector<std::vector<std::uint32_t>> interactions; // columns that may stand on one path; none: all may
    std::uint64_t seed = 0;
    std::size_t n_threads = 1;
};

/// For each column the bits of the sets of columns that it is in.
inline std::vector<std::vector<std::uint64_t>> groups_of_columns(std::size_t n_columns, const Settings& settings) {
    std::vector<std::vector<std::uint64_t>> found;
    if (settings.interactions.empty())
        return found;
    found.assign(n_columns, std::vector<std::uint64_t>((settings.interactions.size() + 63) / 64));
    for (std::size_t set = 0; set < settings.interactions.size(); ++set)
        for (const std::uint32_t j : settings.interactions[set])
            found[j][set / 64] |= std::uint64_t{1} << (set % 64);
    return found;
}

} // namespace margin::boosting
