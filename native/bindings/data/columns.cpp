// margin._core.data, third part: columns with memory of their own, and sparse matrices.
#include "margin/data/columns.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

OutMatrix<double> side_by_side(Columns<double> columns, std::size_t n_threads) {
    const std::size_t rows = columns.empty() ? 0 : columns[0].size(), width = columns.size();
    auto* cells = new double[rows * width]; // every cell is written below: no need to clear them first
    nb::capsule owner(cells, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    with_monitor([&](Monitor& m) { margin::data::side_by_side(pointers(columns), rows, cells, n_threads, m); });
    return OutMatrix<double>(cells, {rows, width}, owner);
}

template <class T>
nb::tuple csr_survey(In<T> values, const Places& columns, const Places& start, std::size_t width, double largest,
                     std::size_t n_threads) {
    if (start.size() == 0 || values.size() != columns.size())
        return nb::make_tuple(static_cast<int>(data::CsrState::damaged), 0, false, false);
    const auto found = with_monitor([&](Monitor& m) {
        return data::survey(csr(values, columns, start, width), values.size(), limit<T>(largest), n_threads, m);
    });
    return nb::make_tuple(static_cast<int>(found.state), found.at, found.missing, found.negative);
}

} // namespace

MARGIN_BINDINGS(data) {
    data.def(
        "level_counts",
        [](In<std::int32_t> codes, std::size_t n_levels, std::size_t n_threads) {
            return give(with_monitor([&](Monitor& m) {
                return margin::data::level_counts(codes.data(), codes.size(), n_levels, n_threads, m);
            }));
        },
        "codes"_a.noconvert(), "n_levels"_a, "n_threads"_a, "How often each level occurs; -1 is left out.");
    data.def("side_by_side", &side_by_side, "columns"_a.noconvert(), "n_threads"_a, "Columns as one row-major matrix.");
    for_each_type<double, float>([&]<class T> {
        data.def(
            "csr_survey", &csr_survey<T>, "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(),
            "n_columns"_a, "largest"_a, "n_threads"_a,
            "0 canonical, 1 not in order, 2 damaged (row), 3 unusable (cell); where; missing cells; negative ones.");
    });
}
