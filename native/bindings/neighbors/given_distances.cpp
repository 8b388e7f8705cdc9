// margin._core.neighbors: neighbours where the distances are given.
#include "margin/neighbors/given/given_distances.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

nb::tuple given_nearest(InMatrix<double> cells, std::size_t k, std::size_t n_threads) {
    const std::size_t n = cells.shape(0);
    std::vector<double> distance(n * k);
    std::vector<std::int64_t> place(n * k);
    with_monitor([&](Monitor& monitor) {
        neighbors::nearest_given(view(cells), k, distance.data(), place.data(), n_threads, monitor);
    });
    return nb::make_tuple(give(std::move(distance), n, k), give(std::move(place), n, k));
}

nb::tuple given_within(InMatrix<double> cells, In<double> radius, std::size_t n_threads) {
    const neighbors::Radii radii(span(radius));
    auto found =
        with_monitor([&](Monitor& monitor) { return neighbors::within_given(view(cells), radii, n_threads, monitor); });
    return nb::make_tuple(give(std::move(found.start)), give(std::move(found.distance)), give(std::move(found.row)));
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    neighbors.def("given_nearest", &given_nearest, "cells"_a.noconvert(), "k"_a, "n_threads"_a,
                  "The k smallest cells of each row and their columns, smallest first.");
    neighbors.def("given_within", &given_within, "cells"_a.noconvert(), "radius"_a.noconvert(), "n_threads"_a,
                  "All cells of each row up to a radius: where each begins, cells, columns.");
}
