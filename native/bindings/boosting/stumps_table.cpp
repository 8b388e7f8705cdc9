// margin._core.boosting: columns ranked once, and trees for numbers on them.
#include "stumps.hpp"

using namespace margin;
using namespace margin::bindings;
using boosting::RankedTable;

namespace {

template <class T>
RankedTable* rank(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                  In<std::uint8_t> nominal, std::size_t max_bins, std::size_t n_threads) {
    return with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        auto coded = max_bins == 0 ? ensemble::code_exactly(table, n_threads, monitor)
                                   : ensemble::code_bins(table, max_bins, n_threads, monitor);
        return new RankedTable(std::move(coded), n_threads, monitor);
    });
}

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
        sums[2 * l] = static_cast<double>(made.tree.sums[2 * l]) * made.weight_unit;
        sums[2 * l + 1] = static_cast<double>(made.tree.sums[2 * l + 1]) * made.moment_unit;
    }
    nb::dict given = give_tree(made.tree);
    given["sums"] = give(std::move(sums), n_leaves, 2);
    given["leaf"] = give(std::move(made.leaf));
    return given;
}

} // namespace

MARGIN_BINDINGS(boosting) {
    nb::class_<RankedTable>(boosting, "RankedTable", "Columns ranked once, for all rounds.")
        .def_prop_ro("n_rows", &RankedTable::rows)
        .def_prop_ro("n_columns", &RankedTable::columns)
        .def_prop_ro("n_varying", [](const RankedTable& table) { return table.varying().size(); });
    for_each_type<double, float>([&]<class T> {
        boosting.def("rank", &rank<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(), "n_levels"_a.noconvert(),
                     "nominal"_a.noconvert(), "max_bins"_a, "n_threads"_a, nb::rv_policy::take_ownership,
                     "The columns ranked: a code for every different number (max_bins=0), or for every bin of them.");
    });
    boosting.def(
        "grow_values", &grow_values, "table"_a, "weight"_a.noconvert(), "z"_a.noconvert(), "max_depth"_a, "n_threads"_a,
        "A tree by least squares with weights above 0: its arrays, the sums of w and w z of each leaf, and the "
        "leaf of each row.");
}
