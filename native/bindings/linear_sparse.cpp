// margin._core.linear: passes over sparse rows.
#include "cells.hpp"
#include "interrupt.hpp"
#include "margin/linear/sparse_passes.hpp"

using namespace margin;
using namespace margin::bindings;
using Table = InMatrix<double>;

namespace {

nb::object give_table(linear::TableSum&& found, std::size_t lanes) {
    const std::size_t rows = found.table.size() / lanes;
    return nb::cast(give(std::move(found.table), rows, lanes));
}

template <class T, class I>
nb::tuple loss(In<T> a, In<I> b, In<I> c, In<std::int32_t> y, In<double> w, double unit, Table table,
               std::size_t classes, std::size_t n) {
    const std::size_t lanes = table.shape(1);
    const auto x = csr(a, b, c, table.shape(0) - 1);
    std::vector<double> state(x.rows * lanes);
    auto found = with_monitor([&](Monitor& m) {
        return linear::loss_and_gradient(x, y.data(), optional(w), unit, table.data(), lanes, classes, state.data(), n,
                                         m);
    });
    const double value = found.value;
    return nb::make_tuple(value, give_table(std::move(found), lanes), give(std::move(state), x.rows, lanes));
}

template <class T, class I>
nb::object product(In<T> a, In<I> b, In<I> c, In<double> w, double unit, Table state, Table direction, std::size_t n) {
    return give_table(with_monitor([&](Monitor& m) {
                          return linear::curvature_product(csr(a, b, c, direction.shape(0) - 1), optional(w), unit,
                                                           state.data(), direction.data(), direction.shape(1), n, m);
                      }),
                      direction.shape(1));
}

template <class T, class I>
nb::object diagonal(In<T> a, In<I> b, In<I> c, std::size_t d, In<double> w, double unit, Table state, std::size_t n) {
    return give_table(with_monitor([&](Monitor& m) {
                          return linear::curvature_diagonal(csr(a, b, c, d), optional(w), unit, state.data(),
                                                            state.shape(1), n, m);
                      }),
                      state.shape(1));
}

} // namespace

MARGIN_BINDINGS(linear) {
    const auto a = "data"_a.noconvert(), b = "indices"_a.noconvert(), c = "indptr"_a.noconvert();
    const auto y = "y"_a.noconvert(), table = "table"_a.noconvert(), state = "state"_a.noconvert();
    const auto w = "weight"_a.noconvert().none();
    const auto direction = "direction"_a.noconvert();
    const auto n = "n_threads"_a, unit = "unit"_a;
    for_each_csr_type([&]<class T, class I> {
        linear.def("sparse_loss", &loss<T, I>, a, b, c, y, w, unit, table, "classes"_a, n,
                   "Loss, gradient and the state that the second derivatives need.");
        linear.def("sparse_product", &product<T, I>, a, b, c, w, unit, state, direction, n);
        linear.def("sparse_diagonal", &diagonal<T, I>, a, b, c, "n_columns"_a, w, unit, state, n);
    });
}
