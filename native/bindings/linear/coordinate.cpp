// margin._core.linear: coordinate descent on sparse columns.
#include "margin/linear/coordinate/coordinate.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;
using Table = InMatrix<double>;
template <class T>
using Filled = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

/// `values` and `rows` come from NumPy, which asks the system for large pages: cells go everywhere at once.
template <class T>
Out<std::int64_t> columns(In<T> a, const Places& b, const Places& c, std::size_t d, Filled<T> values,
                          Filled<std::int32_t> rows, std::size_t n) {
    return give(with_monitor(
        [&](Monitor& m) { return linear::by_columns(csr(a, b, c, d), values.data(), rows.data(), n, m); }));
}

template <class T>
nb::tuple descend(In<T> values, In<std::int32_t> rows, In<std::int64_t> start, In<std::int32_t> working, Table table,
                  Table gradient, Table state, In<double> weight, double unit, double l1, double l2, bool intercept,
                  double enough, std::size_t passes) {
    const linear::SparseColumns<T> x{values.data(), rows.data(), start.data()};
    const std::size_t lanes = table.shape(1), height = table.shape(0);
    auto found = with_monitor([&](Monitor& m) {
        const auto run = [&](auto&& of_rows) {
            return linear::descend(x, of_rows, span(working), table.data(), gradient.data(), height - 1,
                                   {l1, l2, intercept, enough, passes}, m);
        };
        if (lanes == 1)
            return run(linear::BinaryRows(state.data(), state.shape(0)));
        return linear::with_softmax_rows(state.data(), optional(weight), unit, state.shape(0), lanes, run);
    });
    return nb::make_tuple(give(std::move(found.step), height, lanes), found.passes);
}

} // namespace

MARGIN_BINDINGS(linear) {
    const auto a = "data"_a.noconvert(), b = "indices"_a.noconvert(), c = "indptr"_a.noconvert();
    for_each_type<double, float>([&]<class T> {
        linear.def("sparse_columns", &columns<T>, a, b, c, "n_columns"_a, "values"_a.noconvert(), "rows"_a.noconvert(),
                   "n_threads"_a, "Fills values and rows; where each column begins.");
    });
    for_each_type<double, float>([&]<class T> {
        linear.def("sparse_descend", &descend<T>, "values"_a.noconvert(), "rows"_a.noconvert(), "start"_a.noconvert(),
                   "working"_a.noconvert(), "table"_a.noconvert(), "gradient"_a.noconvert(), "state"_a.noconvert(),
                   "weight"_a.noconvert().none(), "unit"_a, "l1"_a, "l2"_a, "intercept"_a, "enough"_a, "passes"_a,
                   "A step of the working set, and the passes it took.");
    });
}
