#pragma once
// A node of a tree that grows on bins, and the split that is sought for it.
#include "bins.hpp"
#include "margin/tree/settings.hpp"
#include "margin/tree/splits/candidate.hpp"
#include "margin/tree/splits/sweep_counts.hpp"
#include "margin/tree/targets/bounds.hpp"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::tree {

/// The rows of a node and their sums.
struct BinNode {
    int half = 0; // of the rows
    std::size_t begin = 0, n = 0;
    const double* sum = nullptr;
    double weight = 0, loss = 0;
    Bounds bounds;
    std::uint64_t path = 0; // a number for the way from the root
    std::uint64_t seed = 0; // of random splits
};

/// A split with what it sends to branch 0. Codes of the candidate are bins; `next` is n_bins where only missing cells
/// lie above.
struct BinSplit : Candidate {
    std::size_t n_low = 0;
    bool sees_missing = false; // whether rows of the node have no cell there
    double low_weight = 0;
    std::vector<double> low; // sum
};

/// Of equal gains the first column wins, then the smallest threshold.
inline bool beats(double gain, std::size_t column, code_t cut, const BinSplit& best) noexcept {
    if (!best.found || gain != best.gain)
        return !best.found || gain > best.gain;
    return column < best.column || (column == best.column && cut < best.cut);
}

/// What all nodes of a tree have in common.
struct BinCommon {
    const std::vector<BinnedColumn>& columns;
    const std::vector<std::uint32_t>& first; // bins of each column in a histogram
    const Settings& settings;
    double all_weight = 0;
    bool whole = false; // weights are whole numbers, and not too many to be counted
    LogTable logs;      // where logarithms are counted, if so
    double centre = 0;  // of values
};

} // namespace margin::tree
