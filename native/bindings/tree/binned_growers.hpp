#pragma once
// Growing on bins, compiled in binned_growers.cpp: it knows what is counted, and criteria only by their searches.
#include "margin/tree/binned/grow_binned.hpp"

namespace margin::tree {

/// A tree from rows of these codes, nodes of many rows counted one way and subtrees the other.
#define MARGIN_GROW_ON_ROWS(Code, Tally, SmallTally)                                                                   \
    GrownTree grow_on_rows(BinRows<Code, Tally::Item>&, const BinCommon&, const BinWay<Code, Tally>&,                  \
                           const BinWay<Code, SmallTally>&, const std::vector<double>&, std::size_t, std::size_t,      \
                           Monitor&)
#define MARGIN_GROW_ON_CODES(start, Code)                                                                              \
    start MARGIN_GROW_ON_ROWS(Code, CountTally, CountTally);                                                           \
    start MARGIN_GROW_ON_ROWS(Code, WeightTally, WeightTally);                                                         \
    start MARGIN_GROW_ON_ROWS(Code, PairTally<std::uint64_t>, PairTally<std::uint32_t>);                               \
    start MARGIN_GROW_ON_ROWS(Code, ValueTally, ValueTally);                                                           \
    start MARGIN_GROW_ON_ROWS(Code, WeightedValueTally, WeightedValueTally)

MARGIN_GROW_ON_CODES(extern template, std::uint8_t);
MARGIN_GROW_ON_CODES(extern template, std::uint16_t);

} // namespace margin::tree
