#pragma once
// The names of a family (core/one_of.hpp) for Python.
#include "module.hpp"

namespace margin::bindings {

template <class Family>
nb::tuple names() {
    nb::list list;
    for (const auto name : Family::names())
        list.append(nb::str(name.data(), name.size()));
    return nb::tuple(list);
}

} // namespace margin::bindings
