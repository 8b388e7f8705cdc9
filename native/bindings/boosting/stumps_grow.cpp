// margin._core.boosting: trees for numbers and for labels on columns that are ranked already.
#include "stumps.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;
using boosting::RankedTable;

namespace {

nb::dict grow_values(const RankedTable& table, In<double> weight, In<double> z, std::size_t max_depth,
                     std::size_t n_threads) {
    if (weight.size() != table.rows() || z.size() != table.rows())
        throw nb::value_error("a weight and a number are needed for each row");
    auto made = with_monitor([&](Monitor& monitor) {
        return boosting::grow_values(table, span(weight), span(z), max_depth, n_threads, monitor);
    });
    const std::size_t n_leaves = made.tree.n_leaves;
    std::vector<double> sums(2 * n_leaves);
    for (std::size_t l = 0; l < n_leaves; ++l) {
        const boosting::sum_t* const found = made.tree.sums.data() + boosting::Moments::n_sums() * l;
        sums[2 * l] = static_cast<double>(found[0]) * made.weight_unit;
        sums[2 * l + 1] = static_cast<double>(found[1]) * made.moment_unit;
    }
    return give_grown(made, std::move(sums), 2);
}

nb::dict grow_labels(const RankedTable& table, InMatrix<double> shares, std::string_view criterion,
                     std::size_t max_depth, std::size_t n_threads) {
    if (shares.shape(0) != table.rows() || shares.shape(1) == 0)
        throw nb::value_error("a number for each row and label is needed");
    auto made = with_monitor([&](Monitor& monitor) {
        return boosting::grow_labels(table, view(shares), criterion, max_depth, n_threads, monitor);
    });
    const std::size_t n_leaves = made.tree.n_leaves, n_labels = shares.shape(1);
    std::vector<double> sums(n_leaves * n_labels);
    for (std::size_t l = 0; l < n_leaves; ++l)
        for (std::size_t k = 0; k < n_labels; ++k)
            sums[l * n_labels + k] = static_cast<double>(made.tree.sums[l * (n_labels + 1) + k]) / boosting::grid;
    return give_grown(made, std::move(sums), n_labels);
}

} // namespace

MARGIN_BINDINGS(boosting) {
    boosting.def(
        "grow_values", &grow_values, "table"_a, "weight"_a.noconvert(), "z"_a.noconvert(), "max_depth"_a, "n_threads"_a,
        "A tree by least squares with weights above 0: its arrays, the sums of w and w z of each leaf, and the "
        "leaf of each row.");
    boosting.def(
        "grow_labels", &grow_labels, "table"_a, "shares"_a.noconvert(), "criterion"_a, "max_depth"_a, "n_threads"_a,
        "A tree that answers labels, shares being what each row gains by each: its arrays, the sums of each leaf "
        "and the leaf of each row.");
}
