// margin._core.linear: passes over dense rows.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/linear/dense/dense_pass.hpp"
#include "margin/linear/dense/gram.hpp"
#include <nanobind/stl/optional.h>

using namespace margin;
using namespace margin::bindings;

namespace {

/// Loss, gradient, gradient of the intercepts and, on request, probabilities.
template <class T>
nb::tuple dense_pass(InMatrix<T> x, In<std::int32_t> y, std::optional<In<double>> w, InMatrix<double> coef,
                     In<double> intercept, bool keep, std::size_t n_threads, std::optional<In<double>> origin) {
    const std::size_t rows = x.shape(0), scores = coef.shape(0);
    const linear::DenseProblem<T> problem{x.data(),    y.data(),         w ? w->data() : nullptr,
                                          rows,        x.shape(1),       scores,
                                          coef.data(), intercept.data(), origin ? origin->data() : nullptr};
    std::vector<double> kept(keep ? rows * scores : 0);
    auto found = with_monitor([&](Monitor& monitor) {
        return linear::dense_sums(problem, keep ? kept.data() : nullptr, n_threads, monitor);
    });
    return nb::make_tuple(found.loss, give(std::move(found.gradient), scores, x.shape(1)),
                          give(std::move(found.intercept_gradient)), give(std::move(kept), keep ? rows : 0, scores));
}

template <class T>
OutMatrix<double> dense_gram(InMatrix<T> x, std::optional<In<double>> w, In<double> shift, In<double> scale,
                             std::size_t n_threads) {
    const std::size_t width = x.shape(1) + 1;
    return give(with_monitor([&](Monitor& monitor) {
                    return linear::gram(x.data(), w ? w->data() : nullptr, shift.data(), scale.data(), x.shape(0),
                                        x.shape(1), n_threads, monitor);
                }),
                width, width);
}

template <class T>
void bind_dense(nb::module_& family) {
    family.def("dense_pass", &dense_pass<T>, "x"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(),
               "coef"_a.noconvert(), "intercept"_a.noconvert(), "keep"_a, "n_threads"_a,
               "origin"_a.noconvert().none() = nb::none());
    family.def("dense_gram", &dense_gram<T>, "x"_a.noconvert(), "w"_a.noconvert().none(), "shift"_a.noconvert(),
               "scale"_a.noconvert(), "n_threads"_a);
}

} // namespace

MARGIN_BINDINGS(linear) {
    bind_dense<double>(linear);
    bind_dense<float>(linear);
}
