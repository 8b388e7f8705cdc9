#include "tree/growing.hpp"

namespace margin::tree {

template GrownTree grow_classes(const Table<double>&, std::span<const std::int32_t>, std::span<const double>,
                                std::size_t, std::string_view, const Settings&, std::size_t, Monitor&);
template GrownTree grow_values(const Table<double>&, std::span<const double>, std::span<const double>, std::string_view,
                               const Settings&, std::size_t, Monitor&);

} // namespace margin::tree
