// margin._core.linear: a pass of the perceptron.
#include "margin/linear/online/online_perceptron.hpp"
#include "online.hpp"

using namespace margin;
using namespace margin::bindings;
using Labels = In<std::int32_t>;
using Numbers = In<double>;

namespace {

template <class Rows>
nb::tuple pass_over(const Rows& rows, Labels y, Numbers step, Visited order, double eta, bool intercept,
                    std::size_t log_room, Changed w, ChangedVector b, Changed late_w, ChangedVector late_b, double age,
                    Changed voters, ChangedVector survived, std::size_t made) {
    const linear::Voters kept{optional(voters), optional(survived), voters.is_valid() ? voters.shape(0) : 0, made};
    linear::PerceptronState state{w.data(), b.data(), optional(late_w), optional(late_b),
                                  kept,     b.size(), w.shape(1),       age};
    const linear::PerceptronPass pass{visits_of(order, y.size()), y.data(), optional(step), eta, intercept, log_room};
    auto found = with_monitor([&](Monitor& monitor) { return linear::perceptron_pass(rows, pass, state, monitor); });
    return nb::make_tuple(give(std::move(found.rows)), found.n, state.age, state.voters.made);
}

template <class T, class... Rest>
nb::tuple perceptron_dense(InMatrix<T> x, Rest... rest) {
    return pass_over(linear::DenseRows<T>(x.data(), x.shape(0), x.shape(1)), rest...);
}

template <class T, class... Rest>
nb::tuple perceptron_sparse(In<T> a, const Places& b, const Places& c, std::size_t width, Rest... rest) {
    return pass_over(linear::SparseRows<T, std::int32_t>{csr(a, b, c, width)}, rest...);
}

template <class... Names>
void bind_perceptron(nb::module_& linear) {
    const auto none = [](const char* name) { return nb::arg(name).noconvert().none(); };
    const auto there = [](const char* name) { return nb::arg(name).noconvert(); };
    const auto def = [&](auto function, auto... rows) {
        linear.def("perceptron_pass", function, rows..., there("y"), none("step"), none("visits"), "eta"_a,
                   "intercept"_a, "log_room"_a, there("w"), there("b"), none("late_w"), none("late_b"), "age"_a,
                   none("voters"), none("survived"), "made"_a);
    };
    for_each_type<double, float>([&]<class T>() { def(&perceptron_dense<T, Names...>, there("x")); });
    for_each_type<double, float>([&]<class T>() {
        def(&perceptron_sparse<T, Names...>, there("data"), there("indices"), there("indptr"), "n_columns"_a);
    });
}

} // namespace

MARGIN_BINDINGS(linear) {
    bind_perceptron<Labels, Numbers, Visited, double, bool, std::size_t, Changed, ChangedVector, Changed, ChangedVector,
                    double, Changed, ChangedVector, std::size_t>(linear);
}
