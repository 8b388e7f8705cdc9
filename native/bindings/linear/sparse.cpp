// margin._core.linear: passes over sparse rows.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/linear/sparse/sparse_passes.hpp"

using namespace margin;
using namespace margin::bindings;
using Table = InMatrix<double>;

namespace {

template <class T>
nb::tuple loss(In<T> a, const Places& b, const Places& c, In<std::int32_t> y, In<double> w, double unit, Table table,
               std::size_t classes, std::size_t n) {
    const std::size_t lanes = table.shape(1);
    const auto x = csr(a, b, c, table.shape(0) - 1);
    std::vector<double> state(x.rows * lanes);
    auto found = with_monitor([&](Monitor& m) {
        return linear::loss_and_gradient(x, y.data(), optional(w), unit, table.data(), lanes, classes, state.data(), n,
                                         m);
    });
    const double value = found.value;
    return nb::make_tuple(value, give(std::move(found.table), table.shape(0), lanes),
                          give(std::move(state), x.rows, lanes));
}

template <class T>
OutMatrix<double> product(In<T> a, const Places& b, const Places& c, In<double> w, double unit, Table state, Table v,
                          std::size_t n) {
    auto found = with_monitor([&](Monitor& m) {
        return linear::curvature_product(csr(a, b, c, v.shape(0) - 1), optional(w), unit, state.data(), v.data(),
                                         v.shape(1), n, m);
    });
    return give(std::move(found.table), v.shape(0), v.shape(1));
}

template <class T>
OutMatrix<double> diagonal(In<T> a, const Places& b, const Places& c, std::size_t d, In<double> w, double unit,
                           Table state, std::size_t n) {
    auto found = with_monitor([&](Monitor& m) {
        return linear::curvature_diagonal(csr(a, b, c, d), optional(w), unit, state.data(), state.shape(1), n, m);
    });
    return give(std::move(found.table), d + 1, state.shape(1));
}

} // namespace

MARGIN_BINDINGS(linear) {
    const auto a = "data"_a.noconvert(), b = "indices"_a.noconvert(), c = "indptr"_a.noconvert();
    const auto y = "y"_a.noconvert(), table = "table"_a.noconvert(), state = "state"_a.noconvert();
    const auto w = "weight"_a.noconvert().none();
    const auto n = "n_threads"_a, unit = "unit"_a;
    for_each_type<double, float>([&]<class T> {
        linear.def("sparse_loss", &loss<T>, a, b, c, y, w, unit, table, "classes"_a, n,
                   "Loss, gradient and the state that the second derivatives need.");
        linear.def("sparse_product", &product<T>, a, b, c, w, unit, state, "direction"_a.noconvert(), n);
        linear.def("sparse_diagonal", &diagonal<T>, a, b, c, "n_columns"_a, w, unit, state, n);
    });
}
