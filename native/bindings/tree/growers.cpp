#include "growers.hpp"

namespace margin::tree {

template GrownTree grow_tree(const std::vector<Column>&, Segment<Classes>&&, const Classes&,
                             const SplitSearch<Classes>&, const Settings&, std::size_t, Monitor&);
template GrownTree grow_tree(const std::vector<Column>&, Segment<Values>&&, const Values&, const SplitSearch<Values>&,
                             const Settings&, std::size_t, Monitor&);

} // namespace margin::tree
