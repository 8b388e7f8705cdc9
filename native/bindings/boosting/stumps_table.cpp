// margin._core.boosting: columns ranked once.
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
}
