// margin._core.tree: SHAP values in one tree.
#include "bindings/shap.hpp"
#include "margin/tree/shap/shap_values.hpp"
#include "margin/tree/shap/tree_source.hpp"
#include "walk.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::tuple shap_values(const TreeWalker& walker, InMatrix<T> numbers, const Columns<std::int32_t>& codes,
                      InMatrix<double> answers, bool interactions, std::size_t n_threads) {
    const auto columns = pointers(codes);
    const auto rows = walker.rows(numbers, columns);
    const auto& tree = walker.walker.tree();
    if (answers.shape(0) != tree.size() || answers.shape(1) == 0)
        throw nb::value_error("every node must have an answer");
    const tree::TreeSource source{tree, tree.weight, {answers.data(), answers.size()}, answers.shape(1)};
    return shap_of(std::span(&source, 1), rows, 1.0, interactions, n_threads);
}

} // namespace

MARGIN_BINDINGS(tree) {
    for_each_type<double, float>([&]<class T> {
        tree.def("shap_values", &shap_values<T>, "walker"_a, "numbers"_a.noconvert(), "codes"_a,
                 "answers"_a.noconvert(), "interactions"_a, "n_threads"_a,
                 "SHAP values of rows in a tree whose nodes answer so, and the answer to a row of which nothing is "
                 "known: rows by columns x answers, rows by pairs of columns x answers or nothing, answers.");
    });
}
