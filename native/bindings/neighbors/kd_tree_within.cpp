// margin._core.neighbors: all rows within a radius, in a kd-tree.
#include "kd_tree.hpp"

using namespace margin;
using namespace margin::bindings;
namespace kd = margin::neighbors::kd;

namespace {

template <class T>
nb::tuple within(const KdArrays<T>& arrays, InMatrix<double> queries, In<double> radius, std::string_view metric,
                 double p, std::size_t n_threads) {
    const kd::Tree tree = kd_view(arrays);
    const neighbors::Radii radii(span(radius));
    auto found = with_monitor([&](Monitor& monitor) {
        return neighbors::Distances::visit(metric, [&]<class D>() {
            return kd::within<D>(tree, kd::comparing<D, T>(tree), queries.data(), queries.shape(0), radii, p, n_threads,
                                 monitor);
        });
    });
    return nb::make_tuple(give(std::move(found.start)), give(std::move(found.distance)), give(std::move(found.place)));
}

template <class T>
void bind_within(nb::module_& family) {
    family.def("kd_within", &within<T>, "tree"_a, "queries"_a.noconvert(), "radius"_a.noconvert(), "metric"_a, "p"_a,
               "n_threads"_a, "Where the neighbours of each query begin, and their distances and places.");
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    bind_within<double>(neighbors);
    bind_within<float>(neighbors);
}
