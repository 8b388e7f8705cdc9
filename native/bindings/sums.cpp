// margin._core.sums: sums of columns by class, and rows times tables of log-probabilities.
#include "margin/bayes/sums.hpp"
#include "cells.hpp"
#include "interrupt.hpp"

using namespace margin;
using namespace margin::bindings;
using Table = InMatrix<double>;
using Scores = InOutMatrix<double>;

namespace {

template <class T, bool Above>
nb::tuple sums_of(InMatrix<T> x, double threshold, In<std::int32_t> y, In<double> w, std::size_t k, std::size_t n) {
    const std::size_t rows = x.shape(0), columns = x.shape(1);
    auto found = with_monitor([&](Monitor& m) {
        return Above ? bayes::sum_dense_above(x.data(), threshold, y.data(), optional(w), rows, columns, k, n, m)
                     : bayes::sum_dense(x.data(), y.data(), optional(w), rows, columns, k, n, m);
    });
    return nb::make_tuple(give(std::move(found.sums), k, columns), give(std::move(found.cells), k, columns));
}

template <class T>
nb::tuple dense(InMatrix<T> x, In<std::int32_t> y, In<double> w, std::size_t k, std::size_t n_threads) {
    return sums_of<T, false>(x, 0, y, w, k, n_threads);
}

template <class T>
void add_dense(InMatrix<T> x, Table table, Scores s, std::size_t n_threads) {
    with_monitor([&](Monitor& m) {
        bayes::add_dense(x.data(), table.data(), s.data(), x.shape(0), x.shape(1), s.shape(1), n_threads, m);
    });
}

template <class T>
void add_dense_above(InMatrix<T> x, double threshold, Table present, Table absent, Scores s, std::size_t n_threads) {
    with_monitor([&](Monitor& m) {
        bayes::add_dense_above(x.data(), threshold, present.data(), absent.data(), s.data(), x.shape(0), x.shape(1),
                               s.shape(1), n_threads, m);
    });
}

} // namespace

MARGIN_BINDINGS(sums) {
    const auto x = "x"_a.noconvert(), y = "y"_a.noconvert(), table = "table"_a.noconvert(),
               present = "present"_a.noconvert(), absent = "absent"_a.noconvert(), scores = "scores"_a.noconvert();
    const auto w = "w"_a.noconvert().none();
    const auto k = "classes"_a, t = "threshold"_a, n = "n_threads"_a;
    for_each_type<double, float, std::int32_t, std::int64_t>([&]<class T> {
        sums.def("dense", &dense<T>, x, y, w, k, n, "Sum of w x, and of w over the cells that are there, by class.");
        sums.def("dense_above", &sums_of<T, true>, x, t, y, w, k, n, "The same with 1 above the threshold, 0 else.");
        sums.def("add_dense", &add_dense<T>, x, table, scores, n, "scores += x @ table, missing cells as 0.");
        sums.def("add_dense_above", &add_dense_above<T>, x, t, present, absent, scores, n);
    });
}
