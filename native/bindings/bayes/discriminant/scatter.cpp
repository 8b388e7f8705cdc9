// margin._core.scatter: class means and the scatter around them.
#include "margin/bayes/scatter.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include <nanobind/stl/optional.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::tuple scatter_of(InMatrix<T> x, In<std::int32_t> y, std::optional<In<double>> w, std::size_t classes, bool pooled,
                     bool squares, std::size_t n_threads) {
    const std::size_t columns = x.shape(1);
    auto found = with_monitor([&](Monitor& m) {
        return margin::bayes::scatter(x.data(), y.data(), w ? w->data() : nullptr, x.shape(0), columns, classes, pooled,
                                      squares, n_threads, m);
    });
    const std::size_t lines = found.width ? found.products.size() / found.width : 0;
    return nb::make_tuple(
        give(std::move(found.weight)), give(std::move(found.weight2)), give(std::move(found.shift), classes, columns),
        give(std::move(found.offset), classes, columns), give(std::move(found.products), lines, found.width),
        give(std::move(found.low)), give(std::move(found.high)));
}

template <class T>
void bind_scatter(nb::module_& family) {
    family.def("scatter", &scatter_of<T>, "x"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(), "classes"_a,
               "pooled"_a, "squares"_a, "n_threads"_a);
}

} // namespace

MARGIN_BINDINGS(scatter) {
    bind_scatter<double>(scatter);
    bind_scatter<float>(scatter);
}
