// margin._core.svm: a pass of sub-gradient descent over dense or sparse rows.
#include "pegasos.hpp"
#include "margin/svm/pegasos/pegasos.hpp"

using namespace margin;
using namespace margin::bindings;
using Labels = In<std::int32_t>;
using Numbers = In<double>;

namespace {

template <class Rows>
double pass_over(const Rows& rows, const PegasosSettings& settings, Labels y, Numbers weight, Numbers squares,
                 Visited order, Changed scalars, Changed v, Changed sums, Changed beta, Changed beta_sums, double t) {
    auto scores = scores_of(scalars, t);
    const svm::PegasosWeights weights{v.shape(1),     y.size(),       v.data(),
                                      optional(sums), optional(beta), optional(beta_sums)};
    with_monitor([&](Monitor& monitor) {
        svm::pegasos_pass(rows, settings.pass(y, weight, squares, order, 0), scores, weights, monitor);
    });
    return scores.t;
}

template <class T, class... Rest>
double dense(InMatrix<T> x, Rest... rest) {
    return pass_over(linear::DenseRows<T>(x.data(), x.shape(0), x.shape(1)), rest...);
}

template <class T, class... Rest>
double sparse(In<T> a, const Places& b, const Places& c, std::size_t width, Rest... rest) {
    return pass_over(linear::SparseRows<T, std::int32_t>{csr(a, b, c, width)}, rest...);
}

template <class... Names>
void bind(nb::module_& svm) {
    const auto none = [](const char* name) { return nb::arg(name).noconvert().none(); };
    const auto there = [](const char* name) { return nb::arg(name).noconvert(); };
    const auto def = [&](auto function, auto... rows) {
        svm.def("pegasos_pass", function, rows..., "settings"_a, there("y"), none("weight"), none("squares"),
                none("visits"), there("scalars"), there("v"), none("sums"), none("beta"), none("beta_sums"), "t"_a);
    };
    for_each_type<double, float>([&]<class T>() { def(&dense<T, Names...>, there("x")); });
    for_each_type<double, float>(
        [&]<class T>() { def(&sparse<T, Names...>, there("data"), there("indices"), there("indptr"), "n_columns"_a); });
}

} // namespace

MARGIN_BINDINGS(svm) {
    nb::class_<PegasosSettings>(svm, "PegasosSettings")
        .def(nb::init<double, double, std::size_t, bool, double, bool>(), "lambda_"_a, "eta"_a, "batch"_a,
             "intercept"_a, "average_from"_a, "rising"_a);
    bind<const PegasosSettings&, Labels, Numbers, Numbers, Visited, Changed, Changed, Changed, Changed, Changed,
         double>(svm);
}
