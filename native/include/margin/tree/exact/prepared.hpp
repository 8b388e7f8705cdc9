#pragma once
// What the passes over the columns of a node have in common, worked out once for all of them.
#include "margin/core/monitor.hpp"
#include "margin/tree/splits/sweep_counts.hpp"
#include "margin/tree/splits/sweep_moments.hpp"
#include "margin/tree/targets/absolute.hpp"
#include "node.hpp"
#include <cstddef>
#include <type_traits>

namespace margin::tree {

/// What is the same for all nodes of a tree.
struct Common {
    bool whole = false; // weights are whole numbers with a total of at most most_counts
    LogTable logs;      // where logarithms are counted, up to that total
    std::size_t n_outputs = 1;
    Monitor* monitor = nullptr; // asked by passes that take long; none: they run to their end
    double centre = 0;          // of Values
};

/// Whether classes are counted in whole numbers.
template <class Criterion>
bool is_counted(std::size_t width, const Common& common) noexcept {
    return Criterion::counted != Counted::nothing && common.whole && !Criterion::is_mean(width);
}

/// Tables for the passes over the columns of one node; may be used for one node after another.
template <class Target>
struct Prepared {
    const Common* common = nullptr;
    Buffer<double> inverse; // for equal weights, where the loss is that of a mean
    LocalClasses classes;   // where they are counted
    TargetRanks ranks;      // where the loss is that of a median

    template <class Criterion>
    void take(const Node<Target>& node, const Common& all) {
        common = &all;
        if (Criterion::is_mean(node.width) && node.cases.weight.empty()) {
            inverse.resize(node.cases.n);
            fill_inverse(node.cases.n, inverse.data());
        }
        if constexpr (std::is_same_v<Target, Classes>)
            if (is_counted<Criterion>(node.width, all))
                classes.take(node.cases, node.sum);
    }
};

} // namespace margin::tree
