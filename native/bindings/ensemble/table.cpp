// margin._core.ensemble: tables in codes, and what a forest is to be.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/ensemble/forest/grow_forest.hpp"

using namespace margin;
using namespace margin::bindings;
using ensemble::CodedTable, ensemble::ForestPlan;

namespace {

template <class T>
CodedTable code(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels, In<std::uint8_t> nominal,
                std::size_t max_bins, std::size_t n_threads) {
    return with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return max_bins == 0 ? ensemble::code_exactly(table, n_threads, monitor)
                             : ensemble::code_bins(table, max_bins, n_threads, monitor);
    });
}

template <class T>
CodedTable keep_numbers(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
                        In<std::uint8_t> nominal, std::size_t n_threads) {
    return with_monitor([&](Monitor& monitor) {
        const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
        return ensemble::keep_numbers(table, n_threads, monitor);
    });
}

} // namespace

MARGIN_BINDINGS(ensemble) {
    nb::class_<CodedTable>(ensemble, "CodedTable", "Columns in codes, for all trees of a forest.")
        .def_prop_ro("n_varying", [](const CodedTable& table) { return table.varying().size(); });
    for_each_type<double, float>([&]<class T> {
        ensemble.def("code", &code<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(), "n_levels"_a.noconvert(),
                     "nominal"_a.noconvert(), "max_bins"_a, "n_threads"_a,
                     "A table in codes: a code for every different number (max_bins=0), or for every bin of them.");
        ensemble.def("keep_numbers", &keep_numbers<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(),
                     "n_levels"_a.noconvert(), "nominal"_a.noconvert(), "n_threads"_a, nb::keep_alive<0, 1>(),
                     "A table for random splits: levels in codes, numbers as they are.");
    });
    nb::class_<ForestPlan>(ensemble, "ForestPlan", "Which trees are grown; see grow_forest.hpp.")
        .def(nb::init<>())
        .def_rw("seed", &ForestPlan::seed)
        .def_rw("first_tree", &ForestPlan::first_tree)
        .def_rw("n_trees", &ForestPlan::n_trees)
        .def_rw("n_draws", &ForestPlan::n_draws)
        .def_rw("n_threads", &ForestPlan::n_threads);
}
