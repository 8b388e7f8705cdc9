// margin._core.ensemble: SHAP values in a forest.
#include "bindings/shap.hpp"
#include "forest.hpp"
#include "margin/ensemble/forest/forest_source.hpp"
#include <algorithm>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::tuple forest_shap_values(const Forest& forest, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                             In<float> leaf_weight, bool interactions, std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = rows_for<T>(forest, numbers, columns);
    const auto n_leaves = std::ranges::count_if(forest.view.nodes, [](const auto& node) { return node.is_leaf(); });
    if (leaf_weight.size() != static_cast<std::size_t>(n_leaves))
        throw nb::value_error("every leaf must have a weight");
    const auto weight = ensemble::node_weights(forest.view, span(leaf_weight));
    std::vector<ensemble::ForestSource> trees;
    for (std::size_t t = 0; t < forest.view.n_trees(); ++t)
        trees.push_back({&forest.view, t, std::span(weight).subspan(static_cast<std::size_t>(forest.view.start[t]))});
    return shap_of(std::span<const ensemble::ForestSource>(trees), rows, 1.0 / static_cast<double>(trees.size()),
                   interactions, n_threads);
}

} // namespace

MARGIN_BINDINGS(ensemble) {
    for_each_type<double, float>([&]<class T> {
        ensemble.def(
            "shap_values", &forest_shap_values<T>, "forest"_a, "numbers"_a.noconvert(), "codes"_a,
            "leaf_weight"_a.noconvert(), "interactions"_a, "n_threads"_a,
            "SHAP values of rows in the mean of all trees (of two classes those of the second), as of a tree.");
    });
}
