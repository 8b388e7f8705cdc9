// margin._core.gradient: what columns add to scores.
#include "gradient_trees.hpp"
#include "margin/boosting/gradient/shapley.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
void shapley(const BoostedTrees& trees, In<double> cover, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
             InOutMatrix<double> into, std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = walked_rows<T>(trees, numbers, columns);
    if (cover.size() != trees.view.nodes.size())
        throw nb::value_error("there must be a cover for each node");
    with_monitor([&](Monitor& m) { boosting::add_shapley(trees.all(), span(cover), rows, into.data(), n_threads, m); });
}

} // namespace

MARGIN_BINDINGS(gradient) {
    for_each_type<double, float>([&]<class T> {
        gradient.def("shapley", &shapley<T>, "trees"_a, "cover"_a.noconvert(), "numbers"_a.noconvert(), "codes"_a,
                     "into"_a.noconvert(), "n_threads"_a,
                     "Add Shapley values of the columns: rows x (scores x columns).");
    });
}
