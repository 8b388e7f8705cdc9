// margin._core.neighbors, sparse rows.
#include "sparse_rows.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;
using namespace margin::neighbors;

namespace {

template <class T>
nb::tuple build(const Rows<T>& rows, std::string_view metric, double p) {
    auto made = with_monitor([&](Monitor& m) {
        return SparseMetrics::visit(metric, [&]<class M>() { return make_postings<M>(table(rows), p, m); });
    });
    return nb::make_tuple(give(std::move(made.length)), give(std::move(made.size)), give(std::move(made.start)),
                          give(std::move(made.row)), give(std::move(made.value)), give(std::move(made.written)),
                          give(std::move(made.table)), made.stride, made.most_stored, made.scale);
}

template <class T>
nb::tuple nearest(const Rows<T>& rows, const Postings& kept, const Queries& queries, std::size_t k,
                  std::string_view metric, double p, std::size_t n_threads) {
    const auto& [values, columns, start] = queries;
    const SparseQueries asked = csr(values, columns, start, std::get<3>(rows));
    return give_nearest(asked.rows, k, [&](double* distance, std::int64_t* row, Monitor& m) {
        SparseMetrics::visit(
            metric, [&]<class M>() { sparse_nearest<M>(index(rows, kept, p), asked, k, distance, row, n_threads, m); });
    });
}

template <class T>
nb::tuple within(const Rows<T>& rows, const Postings& kept, const Queries& queries, In<double> radius,
                 std::string_view metric, double p, std::size_t n_threads) {
    const auto& [values, columns, start] = queries;
    const SparseQueries asked = csr(values, columns, start, std::get<3>(rows));
    return give(with_monitor([&](Monitor& m) {
        return SparseMetrics::visit(metric, [&]<class M>() {
            return sparse_within<M>(index(rows, kept, p), asked, Radii(span(radius)), n_threads, m);
        });
    }));
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    for_each_type<double, float>([&]<class T> {
        neighbors.def("sparse_postings", &build<T>, "rows"_a, "metric"_a, "p"_a);
        neighbors.def("sparse_nearest", &nearest<T>, "rows"_a, "postings"_a, "queries"_a, "k"_a, "metric"_a, "p"_a,
                      "n_threads"_a);
        neighbors.def("sparse_within", &within<T>, "rows"_a, "postings"_a, "queries"_a, "radius"_a.noconvert(),
                      "metric"_a, "p"_a, "n_threads"_a);
    });
}
