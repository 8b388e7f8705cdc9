#pragma once
// Growing on bins, compiled in binned_growers.cpp: it knows targets and what is counted, and criteria only by their
// searches.
#include "margin/tree/binned/grow_binned.hpp"

namespace margin::tree {

#define MARGIN_COUNT_CODES(start, Code)                                                                                \
    start class RowsCountedBy<Code, CountTally>;                                                                       \
    start class RowsCountedBy<Code, WeightTally>;                                                                      \
    start class RowsCountedBy<Code, PairTally<std::uint64_t>>;                                                         \
    start class RowsCountedBy<Code, PairTally<std::uint32_t>>;                                                         \
    start class RowsCountedBy<Code, ValueTally>;                                                                       \
    start class RowsCountedBy<Code, WeightedValueTally>
#define MARGIN_GROW_ON_ROWS(start, Target)                                                                             \
    start GrownTree grow_on_rows(std::size_t, const BinCommon&, const MakeCountedRows<Target>&,                        \
                                 const std::vector<double>&, std::size_t, std::size_t, Monitor&)
#define MARGIN_GROW_ON_BINS(start)                                                                                     \
    MARGIN_COUNT_CODES(start, std::uint8_t);                                                                           \
    MARGIN_COUNT_CODES(start, std::uint16_t);                                                                          \
    MARGIN_GROW_ON_ROWS(start, Classes);                                                                               \
    MARGIN_GROW_ON_ROWS(start, Values)

MARGIN_GROW_ON_BINS(extern template);

} // namespace margin::tree
