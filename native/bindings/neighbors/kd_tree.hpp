#pragma once
// A kd-tree as it comes from Python: the arrays that it was handed out as.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/neighbors/kd_tree/kd_tree_nearest.hpp"
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <tuple>

namespace margin::bindings {

using Floats = InMatrix<float>;
using Ints = InMatrix<std::int32_t>;

/// Sketch, rows, place, boxes, first, size, lowest, shift, scale: what kd::Tree says of them.
template <class T>
using KdArrays = std::tuple<Floats, InMatrix<T>, Ints, Floats, Ints, Ints, Ints, In<double>, double>;

template <class T>
neighbors::kd::Tree kd_view(const KdArrays<T>& arrays) {
    const auto& [sketch, rows, place, boxes, first, size, lowest, shift, scale] = arrays;
    return {sketch.data(),  rows.shape(0) ? rows.data() : nullptr,
            place.data(),   boxes.data(),
            first.data(),   size.data(),
            lowest.data(),  shift.data(),
            scale,          shift.shape(0),
            sketch.shape(0)};
}

} // namespace margin::bindings
