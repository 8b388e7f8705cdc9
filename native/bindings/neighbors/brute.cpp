// margin._core.neighbors: exact neighbours by looking at all rows.
#include "margin/neighbors/brute/brute.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class A>
auto view(const A& a) {
    return MatrixView<const typename A::Scalar>(a.data(), a.shape(0), a.shape(1));
}

template <class T>
nb::tuple brute_nearest(InMatrix<T> rows, InMatrix<double> queries, std::size_t k, std::string_view metric, double p,
                        std::size_t n_threads) {
    const std::size_t m = queries.shape(0);
    std::vector<double> distance(m * k);
    std::vector<std::int64_t> row(m * k);
    with_monitor([&](Monitor& monitor) {
        margin::neighbors::Distances::visit(metric, [&]<class D>() {
            margin::neighbors::nearest_rows<D, T>(view(rows), view(queries), k, p, distance.data(), row.data(),
                                                  n_threads, monitor);
        });
    });
    return nb::make_tuple(give(std::move(distance), m, k), give(std::move(row), m, k));
}

template <class T>
nb::tuple brute_within(InMatrix<T> rows, InMatrix<double> queries, In<double> radius, std::string_view metric, double p,
                       std::size_t n_threads) {
    const neighbors::Radii radii(span(radius));
    auto found = with_monitor([&](Monitor& monitor) {
        return margin::neighbors::Distances::visit(metric, [&]<class D>() {
            return margin::neighbors::rows_within<D, T>(view(rows), view(queries), radii, p, n_threads, monitor);
        });
    });
    return nb::make_tuple(give(std::move(found.start)), give(std::move(found.distance)), give(std::move(found.row)));
}

template <class T>
void bind(nb::module_& neighbors) {
    neighbors.def("brute_nearest", &brute_nearest<T>, "rows"_a.noconvert(), "queries"_a.noconvert(), "k"_a, "metric"_a,
                  "p"_a, "n_threads"_a, "Distances and places of the k nearest rows of each query, nearest first.");
    neighbors.def("brute_within", &brute_within<T>, "rows"_a.noconvert(), "queries"_a.noconvert(),
                  "radius"_a.noconvert(), "metric"_a, "p"_a, "n_threads"_a,
                  "All rows within a radius of each query: where each begins, distances, places.");
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    bind<float>(neighbors);
    bind<double>(neighbors);
}
