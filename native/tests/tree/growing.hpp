// Exact growing, compiled once for all tests of trees: growing.cpp has the code.
#pragma once

#include "margin/tree/exact/grow.hpp"

namespace margin::tree {

extern template GrownTree grow_classes(const Table<double>&, std::span<const std::int32_t>, std::span<const double>,
                                       std::size_t, std::string_view, const Settings&, std::size_t, Monitor&);
extern template GrownTree grow_values(const Table<double>&, std::span<const double>, std::span<const double>,
                                      std::string_view, const Settings&, std::size_t, Monitor&);

} // namespace margin::tree
