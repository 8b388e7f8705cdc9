#pragma once
// How a tree is grown: everything that distinguishes ID3, C4.5 and CART is in here.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::tree {

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// What becomes of the levels of a nominal column at a node.
enum class NominalSplit : std::uint8_t {
    multiway,    // a branch for each level that the training rows hold anywhere
    subset,      // two branches, the best division of the levels that the node holds
    one_vs_rest, // two branches, one level against all others
};

/// What becomes of a column of numbers at a node.
enum class NumericSplit : std::uint8_t {
    threshold,   // two branches, x <= t and x > t
    fixed,       // a branch for each interval between cuts that were fixed before the tree was grown
    equal_width, // intervals of equal width between the smallest and largest number of the node
    equal_count, // intervals that hold equally many cases of the node
    mdl,         // as many intervals as shorten the description of the classes (Fayyad and Irani 1993)
};

/// Where a case goes whose cell is missing.
enum class MissingSplit : std::uint8_t {
    direction,  // all one way, the one with the larger gain; without missing cells at fit, to the heaviest branch
    fractional, // down all branches, in parts as large as the shares of the cases that are known (C4.5)
    surrogate,  // where another column says that it belongs, the one that agrees best with the split (CART)
};

struct Settings {
    NominalSplit nominal = NominalSplit::subset;
    NumericSplit numeric = NumericSplit::threshold;
    MissingSplit missing = MissingSplit::direction;

    // Columns, and of one_vs_rest the levels of one, are ranked by gain / split information; thresholds still by gain.
    bool gain_ratio = false;
    bool average_gain = false; // only columns whose gain is at least the average of all that propose a split (C4.5)
    bool charge_cuts = false;  // a threshold pays log2(number of cuts) / weight for having been chosen (C4.5 release 8)
    bool charge_levels = false;  // a subset pays for having been chosen likewise: about a bit per level / cases
    bool cuts_from_data = false; // a threshold is the largest training number not above the midpoint (C4.5)
    bool two_branches = false;   // min_leaf must hold in two branches rather than in all (C4.5)
    bool tenth_per_class =
        false; // a branch of a threshold holds a tenth of the cases per class, between min_leaf and 25 (C4.5)
    bool no_useless_splits = false; // a gain of 0 is no reason to split (C4.5); ID3 and CART split on

    std::size_t max_depth = unlimited;
    std::size_t max_leaves = unlimited; // grown best first if limited
    std::size_t min_split = 2;          // cases
    std::size_t min_leaf = 1;           // cases in each branch
    double min_leaf_weight = 0;         // weight in each branch
    double min_decrease = 0;            // weight of the node / weight of all rows * gain must reach this
    double min_impurity = -1;           // a node of at most this impurity is a leaf; below 0: none is for that
    double largest_p = 1;          // p-value of the test of branches against classes (chance.hpp); above it no split
    std::size_t max_intervals = 8; // of equal_width and equal_count
    std::size_t exact_levels = 10; // up to so many levels all divisions are tried where no ordering is exact

    std::vector<std::vector<double>> cuts; // NumericSplit::fixed: of each column of numbers, ascending
    std::size_t max_surrogates = 5;        // of MissingSplit::surrogate, in a node
    bool missing_disagree = false;         // a cell that a surrogate does not know counts against it (rpart's style 0)

    std::size_t max_features = unlimited; // columns looked at in a node, drawn anew in each
    bool random_splits = false;           // a column proposes one split, drawn at random (random/random_split.hpp)
    std::uint64_t seed = 0;
    std::span<const std::int8_t> monotone; // 1: rising, -1: falling, 0: free; one per column, or none at all
};

} // namespace margin::tree
