#pragma once
// A grown tree as a dictionary of NumPy arrays.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/tree/grown/tree_arrays.hpp"
#include "margin/tree/settings.hpp"
#include <nanobind/stl/string_view.h>

namespace margin::bindings {

inline nb::dict give(tree::GrownTree&& grown) {
    nb::dict arrays;
    const std::size_t n = grown.size();
    tree::for_each_array(
        [&](const char* name, tree::Per per, auto& array) {
            if (per == tree::Per::value)
                arrays[name] = give(std::move(array), n, grown.width);
            else
                arrays[name] = give(std::move(array));
        },
        grown);
    return arrays;
}

/// The settings of one call. `monotone` is kept alive by the caller.
inline tree::Settings with_monotone(tree::Settings settings, const In<std::int8_t>& monotone) {
    settings.monotone = span(monotone);
    return settings;
}

} // namespace margin::bindings
