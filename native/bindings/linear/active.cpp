// margin._core.linear: the active perceptron along a stream of rows.
#include "margin/linear/online/active.hpp"
#include "online.hpp"

using namespace margin;
using namespace margin::bindings;
using Marks = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Streaks = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

namespace {

template <class Rows>
nb::tuple follow(const Rows& rows, In<std::int32_t> y, Visited order, Marks asked, bool intercept, bool volunteered,
                 std::int64_t patience, double first_threshold, std::size_t most_labels, std::size_t begin,
                 std::size_t enough, Changed v, ChangedVector constant, ChangedVector threshold, Streaks streak,
                 std::size_t labels) {
    const auto visits = visits_of(order, y.size());
    const linear::ActiveStream stream{visits,      y.data(), asked.data(),    intercept,
                                      volunteered, patience, first_threshold, most_labels};
    linear::ActiveState state{v.data(),   constant.data(), threshold.data(), streak.data(), v.shape(0),
                              v.shape(1), labels};
    const std::size_t next = with_monitor(
        [&](Monitor& monitor) { return linear::active_stream(rows, stream, begin, enough, state, monitor); });
    return nb::make_tuple(next, state.labels);
}

template <class T, class... Rest>
nb::tuple active_dense(InMatrix<T> x, Rest... rest) {
    return follow(linear::DenseRows<T>(x.data(), x.shape(0), x.shape(1)), rest...);
}

template <class T, class... Rest>
nb::tuple active_sparse(In<T> a, const Places& b, const Places& c, std::size_t width, Rest... rest) {
    return follow(linear::SparseRows<T, std::int32_t>{csr(a, b, c, width)}, rest...);
}

template <class... Rest>
void bind_active(nb::module_& linear) {
    const auto there = [](const char* name) { return nb::arg(name).noconvert(); };
    const auto def = [&](auto function, auto... rows) {
        linear.def("active_stream", function, rows..., there("y"), there("visits").none(), there("asked"),
                   "intercept"_a, "volunteered"_a, "patience"_a, "first_threshold"_a, "most_labels"_a, "begin"_a,
                   "enough"_a, there("v"), there("constant"), there("threshold"), there("streak"), "labels"_a);
    };
    for_each_type<double, float>([&]<class T>() { def(&active_dense<T, Rest...>, there("x")); });
    for_each_type<double, float>([&]<class T>() {
        def(&active_sparse<T, Rest...>, there("data"), there("indices"), there("indptr"), "n_columns"_a);
    });
}

} // namespace

MARGIN_BINDINGS(linear) {
    bind_active<In<std::int32_t>, Visited, Marks, bool, bool, std::int64_t, double, std::size_t, std::size_t,
                std::size_t, Changed, ChangedVector, ChangedVector, Streaks, std::size_t>(linear);
}
