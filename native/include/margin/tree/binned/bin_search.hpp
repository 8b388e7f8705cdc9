#pragma once
// What growing on bins asks of a search for splits: the best one of a node, and losses.
#include "bin_node.hpp"
#include "bin_rows.hpp"
#include <cstddef>
#include <functional>
#include <memory>

namespace margin::tree {

/// One for each worker: it keeps its room from node to node.
template <class Code, class Tally>
class BinSearch {
public:
    using Rows = BinRows<Code, typename Tally::Item>;

    BinSearch(const BinCommon& common, std::size_t largest_direct)
        : draws(common.settings.max_features < common.columns.size()), most_direct_rows(largest_direct) {}
    virtual ~BinSearch() = default;

    const bool draws;                   // only some columns are looked at, which is done without histograms
    const std::size_t most_direct_rows; // nodes up to this size need no histogram

    /// Impurity times weight, from a sum of the target.
    virtual double loss(const double* sum, double weight) const noexcept = 0;

    /// `histogram` is not read for nodes that need none.
    virtual void best(const Rows& rows, const BinNode& node, const typename Tally::Number* histogram,
                      BinSplit& split) = 0;
};

/// Makes one for each worker.
template <class Code, class Tally>
using MakeBinSearch = std::function<std::unique_ptr<BinSearch<Code, Tally>>()>;

} // namespace margin::tree
