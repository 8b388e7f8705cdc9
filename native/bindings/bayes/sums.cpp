// margin._core.sums: sums of columns by class, and rows times tables of log-probabilities.
#include "margin/bayes/sums.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;
using Table = InMatrix<double>;
using Scores = InOutMatrix<double>;

namespace {

template <class T, class Value>
nb::tuple sums_of(InMatrix<T> x, Value value, In<std::int32_t> y, In<double> w, std::size_t k, std::size_t n) {
    const std::size_t columns = x.shape(1);
    auto found = with_monitor([&](Monitor& m) {
        return bayes::sum_dense(x.data(), value, y.data(), optional(w), x.shape(0), columns, k, n, m);
    });
    return nb::make_tuple(give(std::move(found.sums), k, columns), give(std::move(found.cells), k, columns));
}

template <class T>
nb::tuple dense(InMatrix<T> x, In<std::int32_t> y, In<double> w, std::size_t k, std::size_t n) {
    return sums_of(x, bayes::ItsValue{}, y, w, k, n);
}

template <class T>
nb::tuple dense_above(InMatrix<T> x, double threshold, In<std::int32_t> y, In<double> w, std::size_t k, std::size_t n) {
    return sums_of(x, bayes::WhetherAbove{threshold}, y, w, k, n);
}

template <class T>
void add_dense(InMatrix<T> x, Table table, Scores s, std::size_t n) {
    const bayes::ProductTable terms{table.data(), s.shape(1)};
    with_monitor([&](Monitor& m) { add_terms(x.data(), terms, s.data(), x.shape(0), x.shape(1), s.shape(1), n, m); });
}

template <class T>
void add_dense_above(InMatrix<T> x, double threshold, Table present, Table absent, Scores s, std::size_t n) {
    const bayes::PresenceTable terms{threshold, present.data(), absent.data(), s.shape(1)};
    with_monitor([&](Monitor& m) { add_terms(x.data(), terms, s.data(), x.shape(0), x.shape(1), s.shape(1), n, m); });
}

} // namespace

MARGIN_BINDINGS(sums) {
    const auto x = "x"_a.noconvert(), y = "y"_a.noconvert(), table = "table"_a.noconvert(),
               present = "present"_a.noconvert(), absent = "absent"_a.noconvert(), scores = "scores"_a.noconvert();
    const auto w = "w"_a.noconvert().none();
    const auto k = "classes"_a, t = "threshold"_a, n = "n_threads"_a;
    for_each_type<double, float, std::uint8_t, std::int32_t, std::int64_t>([&]<class T> {
        sums.def("dense", &dense<T>, x, y, w, k, n, "Sum of w x, and of w over the cells that are there, by class.");
        sums.def("dense_above", &dense_above<T>, x, t, y, w, k, n, "The same with 1 above the threshold, 0 else.");
        sums.def("add_dense", &add_dense<T>, x, table, scores, n, "scores += x @ table, missing cells as 0.");
        sums.def("add_dense_above", &add_dense_above<T>, x, t, present, absent, scores, n);
    });
}
