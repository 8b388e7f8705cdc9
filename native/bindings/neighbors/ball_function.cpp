// margin._core.neighbors, trees of balls under a function of the user's. Rows and queries come as lists of arrays.
#include "ball_function.hpp"

using namespace margin;
using namespace margin::bindings;
using namespace margin::neighbors;

namespace {

nb::tuple build_of(nb::list rows, nb::object function, std::size_t leaf_size) {
    const auto between = [&](std::int64_t centre, Found* first, Found* last) {
        for (const nb::handle from = PyList_GET_ITEM(rows.ptr(), centre); first < last; ++first)
            first->distance = ask(function, from, PyList_GET_ITEM(rows.ptr(), first->row));
    };
    return give(with_monitor([&](Monitor& m) { return build_ball_tree(rows.size(), leaf_size, between, 64, 1, m); }));
}

nb::tuple nearest_of(const Kept& tree, nb::list rows, nb::list queries, std::size_t k, nb::object function) {
    const std::size_t n = queries.size();
    const ToEachQuery to{function, queries, rows, view(tree).place};
    return give_nearest(n, k, [&](double* distance, std::int64_t* row, Monitor& m) {
        ball_nearest(view(tree), to, n, k, distance, row, 1, 1, m);
    });
}

nb::tuple within_of(const Kept& tree, nb::list rows, nb::list queries, In<double> radius, nb::object function) {
    const std::size_t n = queries.size();
    const ToEachQuery to{function, queries, rows, view(tree).place};
    const Radii radii(span(radius));
    return give(with_monitor([&](Monitor& m) { return ball_within(view(tree), to, n, radii, 1, 1, m); }));
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    neighbors.def("ball_tree_of", &build_of, "rows"_a, "function"_a, "leaf_size"_a);
    neighbors.def("ball_nearest_of", &nearest_of, "tree"_a, "rows"_a, "queries"_a, "k"_a, "function"_a);
    neighbors.def("ball_within_of", &within_of, "tree"_a, "rows"_a, "queries"_a, "radius"_a.noconvert(), "function"_a);
}
