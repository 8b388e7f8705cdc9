#pragma once
// What the bindings of row-by-row learning share.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/linear/rows.hpp"

namespace margin::bindings {

using Visited = In<std::uint32_t>;
using Changed = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>; // of this call alone: changed in place
using ChangedVector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// All rows in order for None.
inline linear::Visits visits_of(const Visited& order, std::size_t n_rows) {
    return {optional(order), order.is_valid() ? order.size() : n_rows};
}

} // namespace margin::bindings
