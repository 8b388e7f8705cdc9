#include "binned_growers.hpp"

namespace margin::tree {

MARGIN_GROW_ON_CODES(template, std::uint8_t);
MARGIN_GROW_ON_CODES(template, std::uint16_t);

} // namespace margin::tree
