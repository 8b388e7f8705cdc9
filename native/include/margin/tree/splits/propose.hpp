#pragma once
// What a column of a node proposes: a threshold, branches for levels, or intervals.
#include "intervals.hpp"
#include "nominal.hpp"
#include "threshold.hpp"
#include <cstddef>

namespace margin::tree {

/// What column k of the node's columns proposes; long lists of codes only `in_full`. The monitor, if any, is asked by
/// passes that take long.
template <class Criterion, class Target>
Candidate propose(const Node<Target>& node, std::size_t k, bool in_full, Monitor* monitor = nullptr) {
    const Column& column = node.columns[node.cases.columns[k]];
    if (column.nominal)
        return best_nominal<Criterion>(node, k, in_full);
    const bool is_number = !column.value.empty(); // ordered codes have thresholds only
    return is_number && node.settings.numeric != NumericSplit::threshold ? best_intervals<Criterion>(node, k, monitor)
                                                                         : best_threshold<Criterion>(node, k);
}

} // namespace margin::tree
