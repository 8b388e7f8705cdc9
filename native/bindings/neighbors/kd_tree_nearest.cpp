// margin._core.neighbors: the nearest rows in a kd-tree.
#include "kd_tree.hpp"

using namespace margin;
using namespace margin::bindings;
namespace kd = margin::neighbors::kd;

namespace {

template <class T>
nb::tuple nearest(const KdArrays<T>& arrays, InMatrix<double> queries, std::size_t k, std::string_view metric, double p,
                  std::size_t n_threads) {
    const kd::Tree tree = kd_view(arrays);
    const std::size_t n = queries.shape(0);
    std::vector<double> distance(n * k);
    std::vector<std::int64_t> near(n * k);
    const double share = with_monitor([&](Monitor& monitor) {
        return neighbors::Distances::visit(metric, [&]<class D>() {
            return kd::nearest<D>(tree, kd::comparing<D, T>(tree), queries.data(), n, k, p, distance.data(),
                                  near.data(), n_threads, monitor);
        });
    });
    return nb::make_tuple(give(std::move(distance), n, k), give(std::move(near), n, k), share);
}

template <class T>
void bind_nearest(nb::module_& family) {
    family.def("kd_nearest", &nearest<T>, "tree"_a, "queries"_a.noconvert(), "k"_a, "metric"_a, "p"_a, "n_threads"_a,
               "Distances and places of the k nearest rows of each query, and the share of rows looked at.");
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    bind_nearest<double>(neighbors);
    bind_nearest<float>(neighbors);
}
