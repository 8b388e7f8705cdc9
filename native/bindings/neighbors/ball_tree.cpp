// margin._core.neighbors, trees of balls over rows of numbers.
#include "ball_tree.hpp"
#include "bindings/cells.hpp"
#include "margin/neighbors/ball_tree/ball_rows.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;
using namespace margin::neighbors;

namespace {

template <class T>
RowMetric metric_of(std::string_view name) {
    return Metrics::visit(name, []<class M>() { return row_metric<M, T>(); });
}

template <class T>
nb::tuple build(InMatrix<T> rows, std::string_view metric, double p, std::size_t leaf_size, std::size_t n_threads) {
    const std::size_t n = rows.shape(0), columns = rows.shape(1);
    const std::size_t grain = std::max<std::size_t>(64, (32 << 10) / columns);
    const BetweenRows between{metric_of<T>(metric), rows.data(), columns, p};
    return give(with_monitor([&](Monitor& m) { return build_ball_tree(n, leaf_size, between, grain, n_threads, m); }));
}

template <class T>
nb::tuple nearest(const Kept& tree, InMatrix<T> rows, double largest, InMatrix<double> queries, std::size_t k,
                  std::string_view metric, double p, std::size_t n_threads) {
    const std::size_t n = queries.shape(0);
    const ToEach to{metric_of<T>(metric), queries.data(), rows.data(), rows.shape(1), p, largest};
    return give_nearest(n, k, [&](double* distance, std::int64_t* row, Monitor& m) {
        ball_nearest(view(tree), to, n, k, distance, row, 16, n_threads, m);
    });
}

template <class T>
nb::tuple within(const Kept& tree, InMatrix<T> rows, double largest, InMatrix<double> queries, In<double> radius,
                 std::string_view metric, double p, std::size_t n_threads) {
    const ToEach to{metric_of<T>(metric), queries.data(), rows.data(), rows.shape(1), p, largest};
    return give(with_monitor([&](Monitor& m) {
        return ball_within(view(tree), to, queries.shape(0), Radii(span(radius)), 16, n_threads, m);
    }));
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    const auto rows = "rows"_a.noconvert(), queries = "queries"_a.noconvert();
    const auto tree = "tree"_a, largest = "largest"_a, metric = "metric"_a, p = "p"_a, n_threads = "n_threads"_a;
    for_each_type<double, float>([&]<class T> {
        neighbors.def("ball_tree", &build<T>, rows, metric, p, "leaf_size"_a, n_threads);
        neighbors.def("ball_nearest", &nearest<T>, tree, rows, largest, queries, "k"_a, metric, p, n_threads);
        neighbors.def("ball_within", &within<T>, tree, rows, largest, queries, "radius"_a.noconvert(), metric, p,
                      n_threads);
    });
}
