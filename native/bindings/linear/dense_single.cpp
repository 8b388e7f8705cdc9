// margin._core.linear: products of many columns in float32.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/linear/dense/gram_single.hpp"
#include <nanobind/stl/optional.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
OutMatrix<float> dense_gram_single(InMatrix<T> x, In<std::int64_t> at, std::optional<In<double>> w, In<double> shift,
                                   In<double> scale, std::size_t n_threads) {
    const std::size_t width = x.shape(1) + 1;
    return give(with_monitor([&](Monitor& monitor) {
                    return linear::gram_single(x.data(), at.data(), w ? w->data() : nullptr, shift.data(), scale.data(),
                                               at.size(), x.shape(1), n_threads, monitor);
                }),
                width, width);
}

template <class T>
void bind_single(nb::module_& family) {
    family.def("dense_gram_single", &dense_gram_single<T>, "x"_a.noconvert(), "at"_a.noconvert(),
               "w"_a.noconvert().none(), "shift"_a.noconvert(), "scale"_a.noconvert(), "n_threads"_a);
}

} // namespace

MARGIN_BINDINGS(linear) {
    bind_single<double>(linear);
    bind_single<float>(linear);
}
