#include "binned_growers.hpp"

namespace margin::tree {

MARGIN_GROW_ON_BINS(template);

} // namespace margin::tree
