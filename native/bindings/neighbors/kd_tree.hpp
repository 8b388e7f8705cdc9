#pragma once
// A kd-tree as it comes from Python: the arrays that it was handed out as.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/neighbors/kd_tree/kd_tree_nearest.hpp"
#include <nanobind/stl/string_view.h>

namespace margin::bindings {

using Floats = InMatrix<float>;
using Ints = InMatrix<std::int32_t>;

template <class T>
neighbors::kd::Tree kd_view(const Floats& sketch, const InMatrix<T>& rows, const Ints& place, const Floats& boxes,
                            const Ints& first, const Ints& size, const Ints& lowest, const In<double>& shift,
                            double scale) {
    return {sketch.data(),  rows.shape(0) ? rows.data() : nullptr,
            place.data(),   boxes.data(),
            first.data(),   size.data(),
            lowest.data(),  shift.data(),
            scale,          shift.shape(0),
            sketch.shape(0)};
}

} // namespace margin::bindings
