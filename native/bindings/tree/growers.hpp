#pragma once
// Growing below a root on sorted columns, compiled in growers.cpp: it knows targets, and criteria only by their searches.
#include "margin/tree/exact/grow.hpp"

namespace margin::tree {

extern template GrownTree grow_tree(const std::vector<Column>&, Segment<Classes>&&, const Classes&,
                                    const SplitSearch<Classes>&, const Settings&, std::size_t, Monitor&);
extern template GrownTree grow_tree(const std::vector<Column>&, Segment<Values>&&, const Values&,
                                    const SplitSearch<Values>&, const Settings&, std::size_t, Monitor&);

} // namespace margin::tree
