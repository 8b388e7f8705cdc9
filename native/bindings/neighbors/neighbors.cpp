// margin._core.neighbors: the family of distances.
#include "margin/neighbors/distances/distance.hpp"
#include "bindings/module.hpp"

using namespace margin::bindings;

MARGIN_BINDINGS(neighbors) {
    neighbors.def("metrics", [] {
        nb::list names;
        for (const auto name : margin::neighbors::Distances::names())
            names.append(nb::str(name.data(), name.size()));
        return nb::tuple(names);
    });
}
