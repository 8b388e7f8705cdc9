// margin._core.svm: passes of linear support vector machines over dense rows.
#include "margin/svm/linear/linear_pass.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include <nanobind/stl/optional.h>

using namespace margin;
using namespace margin::bindings;

namespace {

using Numbers = std::optional<In<double>>;
using Tables = std::optional<InMatrix<double>>;

const double* at(const Numbers& given) { return given ? given->data() : nullptr; }

/// Loss, rounded loss, dual sum, gradient, gradient of the intercepts, shares.
template <class T>
nb::tuple sums_of(const svm::MarginRows<T>& of, const Numbers& width, const Tables& before, std::size_t n_threads) {
    const svm::Rounding rounding{at(width), before ? before->data() : nullptr};
    std::vector<double> share(of.rows * of.scores);
    auto found = with_monitor([&](Monitor& monitor) {
        return svm::margin_sums(of, width ? &rounding : nullptr, share.data(), n_threads, monitor);
    });
    return nb::make_tuple(give(std::move(found.loss)), give(std::move(found.smooth)), give(std::move(found.dual)),
                          give(std::move(found.gradient), of.scores, of.columns),
                          give(std::move(found.intercept_gradient)), give(std::move(share), of.rows, of.scores));
}

} // namespace

MARGIN_BINDINGS(svm) {
    const auto x = "x"_a.noconvert(), y = "y"_a.noconvert(), coef = "coef"_a.noconvert();
    const auto intercept = "intercept"_a.noconvert();
    const auto bound = "bound"_a.noconvert().none(), origin = "origin"_a.noconvert().none();
    const auto width = "width"_a.noconvert().none(), before = "before"_a.noconvert().none();
    for_each_type<double, float>([&]<class T> {
        svm.def(
            "margin_pass",
            [](InMatrix<T> x, In<std::int32_t> y, Numbers bound, double bound_of_all, In<std::int32_t> target,
               InMatrix<double> coef, In<double> intercept, Numbers origin, Numbers width, Tables before,
               std::size_t n_threads) {
                return sums_of<T>({x.data(), y.data(), at(bound), bound_of_all, x.shape(0), x.shape(1), coef.shape(0),
                                   target.data(), coef.data(), intercept.data(), at(origin)},
                                  width, before, n_threads);
            },
            x, y, bound, "bound_of_all"_a, "target"_a.noconvert(), coef, intercept, origin, width, before,
            "n_threads"_a);
        svm.def(
            "tube_pass",
            [](InMatrix<T> x, In<double> y, Numbers bound, double bound_of_all, double tube, InMatrix<double> coef,
               In<double> intercept, Numbers origin, Numbers width, Tables before, std::size_t n_threads) {
                return sums_of<T>({x.data(), nullptr, at(bound), bound_of_all, x.shape(0), x.shape(1), 1, nullptr,
                                   coef.data(), intercept.data(), at(origin), y.data(), tube},
                                  width, before, n_threads);
            },
            x, y, bound, "bound_of_all"_a, "tube"_a, coef, intercept, origin, width, before, "n_threads"_a);
    });
}
