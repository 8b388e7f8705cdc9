// margin._core.sums, second part: the same for matrices that hold only the cells that are not 0.
#include "margin/bayes/sparse_sums.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;
using Table = InMatrix<double>;

namespace {

template <class T, class Value>
nb::tuple sums_of(const margin::data::Csr<T, std::int32_t>& x, Value value, In<std::int32_t> y, In<double> w,
                  std::size_t k, std::size_t n) {
    auto found = with_monitor([&](Monitor& m) { return bayes::sum_csr(x, value, y.data(), optional(w), k, n, m); });
    const nb::object lost = found.lost.empty() ? nb::none() : nb::cast(give(std::move(found.lost), k, x.width));
    return nb::make_tuple(give(std::move(found.sums), k, x.width), lost);
}

template <class T>
nb::tuple sums(In<T> a, const Places& b, const Places& c, std::size_t d, In<std::int32_t> y, In<double> w,
               std::size_t k, std::size_t n) {
    return sums_of(csr(a, b, c, d), bayes::ItsValue{}, y, w, k, n);
}

template <class T>
nb::tuple sums_above(In<T> a, const Places& b, const Places& c, std::size_t d, double threshold, In<std::int32_t> y,
                     In<double> w, std::size_t k, std::size_t n) {
    return sums_of(csr(a, b, c, d), bayes::WhetherAbove(threshold), y, w, k, n);
}

template <class T>
void add(In<T> a, const Places& b, const Places& c, Table t, InOutMatrix<double> s, std::size_t n) {
    with_monitor([&](Monitor& m) { bayes::add_csr(csr(a, b, c, t.shape(0)), t.data(), s.data(), s.shape(1), n, m); });
}

template <class T>
void add_above(In<T> a, const Places& b, const Places& c, double threshold, Table t, Table missing,
               InOutMatrix<double> s, std::size_t n) {
    with_monitor([&](Monitor& m) {
        bayes::add_csr_above(csr(a, b, c, t.shape(0)), threshold, t.data(), optional(missing), s.data(), s.shape(1), n,
                             m);
    });
}

} // namespace

MARGIN_BINDINGS(sums) {
    const auto a = "data"_a.noconvert(), b = "indices"_a.noconvert(), c = "indptr"_a.noconvert(), y = "y"_a.noconvert(),
               table = "table"_a.noconvert(), scores = "scores"_a.noconvert();
    const auto w = "w"_a.noconvert().none(), missing = "missing_table"_a.noconvert().none();
    const auto d = "n_columns"_a, t = "threshold"_a, k = "classes"_a, n = "n_threads"_a;
    for_each_type<double, float>([&]<class T> {
        sums.def("csr", &::sums<T>, a, b, c, d, y, w, k, n, "Sums by class; weight of missing cells or None.");
        sums.def("csr_above", &sums_above<T>, a, b, c, d, t, y, w, k, n, "Weight of cells above, likewise.");
        sums.def("add_csr", &add<T>, a, b, c, table, scores, n, "scores += x @ table, missing cells as 0.");
        sums.def("add_csr_above", &add_above<T>, a, b, c, t, table, missing, scores, n);
    });
}
