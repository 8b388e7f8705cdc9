// margin._core.neighbors: exact nearest neighbours.
#include "arrays.hpp"
#include "interrupt.hpp"
#include "margin/neighbors/brute.hpp"
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::tuple nearest(InMatrix<T> blocks, std::size_t n_rows, InMatrix<T> queries, std::size_t k, std::string_view metric,
                  double p, std::size_t n_threads) {
    const std::size_t n = queries.shape(0);
    std::vector<double> distance(n * k);
    std::vector<std::int64_t> row(n * k);
    with_monitor([&](Monitor& m) {
        margin::neighbors::Distances::visit(metric, [&]<class D>() {
            margin::neighbors::nearest<D, T>(blocks.data(), n_rows, queries.data(), n, queries.shape(1), k, p,
                                             distance.data(), row.data(), n_threads, m);
        });
    });
    return nb::make_tuple(give(std::move(distance), n, k), give(std::move(row), n, k));
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    neighbors.def("nearest", &nearest<double>, "blocks"_a.noconvert(), "n_rows"_a, "queries"_a.noconvert(), "k"_a,
                  "metric"_a, "p"_a, "n_threads"_a = 0,
                  "Distances and row numbers of the k nearest rows of each query, nearest first.");
    neighbors.def("nearest", &nearest<float>, "blocks"_a.noconvert(), "n_rows"_a, "queries"_a.noconvert(), "k"_a,
                  "metric"_a, "p"_a, "n_threads"_a = 0);
    neighbors.def("metrics", [] {
        nb::list names;
        for (const auto name : margin::neighbors::Distances::names())
            names.append(nb::str(name.data(), name.size()));
        return nb::tuple(names);
    });
}
