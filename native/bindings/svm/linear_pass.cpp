// margin._core.svm: passes of linear support vector machines over dense rows.
#include "margin/svm/linear/linear_pass.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include <nanobind/stl/optional.h>

using namespace margin;
using namespace margin::bindings;

namespace {

/// Loss, rounded loss, dual sum, gradient, gradient of the intercepts, shares.
template <class T>
nb::tuple margin_pass(InMatrix<T> x, In<std::int32_t> y, std::optional<In<double>> bound, double bound_of_all,
                      In<std::int32_t> target, InMatrix<double> coef, In<double> intercept,
                      std::optional<In<double>> origin, std::optional<In<double>> width,
                      std::optional<InMatrix<double>> before, std::size_t n_threads) {
    const std::size_t rows = x.shape(0), scores = coef.shape(0);
    const svm::MarginRows<T> of{x.data(),
                                y.data(),
                                bound ? bound->data() : nullptr,
                                bound_of_all,
                                rows,
                                x.shape(1),
                                scores,
                                target.data(),
                                coef.data(),
                                intercept.data(),
                                origin ? origin->data() : nullptr};
    const svm::Rounding rounding{width ? width->data() : nullptr, before ? before->data() : nullptr};
    std::vector<double> share(rows * scores);
    auto found = with_monitor([&](Monitor& monitor) {
        return svm::margin_sums(of, width ? &rounding : nullptr, share.data(), n_threads, monitor);
    });
    return nb::make_tuple(give(std::move(found.loss)), give(std::move(found.smooth)), give(std::move(found.dual)),
                          give(std::move(found.gradient), scores, x.shape(1)),
                          give(std::move(found.intercept_gradient)), give(std::move(share), rows, scores));
}

template <class T>
void bind(nb::module_& family) {
    family.def("margin_pass", &margin_pass<T>, "x"_a.noconvert(), "y"_a.noconvert(), "bound"_a.noconvert().none(),
               "bound_of_all"_a, "target"_a.noconvert(), "coef"_a.noconvert(), "intercept"_a.noconvert(),
               "origin"_a.noconvert().none(), "width"_a.noconvert().none(), "before"_a.noconvert().none(),
               "n_threads"_a);
}

} // namespace

MARGIN_BINDINGS(svm) {
    bind<double>(svm);
    bind<float>(svm);
}
