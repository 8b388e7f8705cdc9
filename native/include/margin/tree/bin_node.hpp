#pragma once
// A node of a tree that grows on bins, and the split that is sought for it.
#include "candidate.hpp"
#include "settings.hpp"
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
};

/// A split with what it sends to branch 0. Codes of the candidate are bins; `next` is n_bins where only missing cells
/// lie above.
struct BinSplit : Candidate {
    std::size_t n_low = 0;
    bool sees_missing = false; // whether rows of the node have no cell there
    double low_weight = 0;
    std::vector<double> low; // sum
};

} // namespace margin::tree
