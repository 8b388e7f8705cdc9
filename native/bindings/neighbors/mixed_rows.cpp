// margin._core.neighbors: exact nearest neighbours of mixed rows. An index is a tuple of arrays, see IndexArrays.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "mixed_index.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;
using namespace margin::neighbors;

namespace {

nb::tuple index_rows(InMatrix<double> numbers, InMatrix<std::int32_t> codes, In<double> weights,
                     std::string_view metric, std::size_t n_threads) {
    return given_away(with_monitor([&](Monitor& monitor) {
        return MixedDistances::visit(metric, [&]<class M>() {
            return index_mixed<M>(view(numbers), view(codes), span(weights), n_threads, monitor);
        });
    }));
}

nb::tuple nearest(const nb::tuple& index, InMatrix<double> numbers, InMatrix<std::int32_t> codes, std::size_t k,
                  std::string_view metric, std::size_t n_threads) {
    const IndexArrays arrays(index);
    const std::size_t n = numbers.shape(0);
    std::vector<double> distance(n * k);
    std::vector<std::int64_t> place(n * k);
    with_monitor([&](Monitor& monitor) {
        MixedDistances::visit(metric, [&]<class M>() {
            nearest_mixed<M>(arrays.view(), {view(numbers), view(codes)}, k, distance.data(), place.data(), n_threads,
                             monitor);
        });
    });
    return nb::make_tuple(give(std::move(distance), n, k), give(std::move(place), n, k));
}

nb::tuple within(const nb::tuple& index, InMatrix<double> numbers, InMatrix<std::int32_t> codes, In<double> radius,
                 std::string_view metric, std::size_t n_threads) {
    const IndexArrays arrays(index);
    return given_away(with_monitor([&](Monitor& monitor) {
        return MixedDistances::visit(metric, [&]<class M>() {
            return within_mixed<M>(arrays.view(), {view(numbers), view(codes)}, Radii(span(radius)), n_threads,
                                   monitor);
        });
    }));
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    neighbors.def("index_mixed", &index_rows, "numbers"_a.noconvert(), "codes"_a.noconvert(), "weights"_a.noconvert(),
                  "metric"_a, "n_threads"_a = 0, "The arrays of an index over numbers and codes side by side.");
    neighbors.def("nearest_mixed", &nearest, "index"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(), "k"_a,
                  "metric"_a, "n_threads"_a = 0, "Distances and places of the k nearest rows, nearest first.");
    neighbors.def("within_mixed", &within, "index"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(),
                  "radius"_a.noconvert(), "metric"_a, "n_threads"_a = 0,
                  "Start, distances and places of all rows within the radius.");
}
