// margin._core.data: first looks at a matrix.
#include "arrays.hpp"
#include "interrupt.hpp"
#include "margin/data/cells.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
std::int64_t inspect(InMatrix<T> x, double largest) {
    // The largest double is beyond the largest float: nothing finite is too large then.
    const T limit = static_cast<T>(std::min<double>(largest, std::numeric_limits<T>::max()));
    return with_monitor([&](Monitor& m) { return data::inspect<T>(x.data(), x.size(), limit, 0, m); });
}

} // namespace

MARGIN_BINDINGS(data) {
    data.def("inspect", &inspect<double>, "x"_a.noconvert(), "largest"_a,
             "Flat position of the first unusable cell; -1 if all are fine, -2 if some are missing.");
    data.def("inspect", &inspect<float>, "x"_a.noconvert(), "largest"_a);
    data.def(
        "ranges",
        [](InMatrix<double> x) {
            auto found = with_monitor(
                [&](Monitor& m) { return margin::data::ranges(x.data(), x.shape(0), x.shape(1), 0, m); });
            return nb::make_tuple(give(std::move(found.low)), give(std::move(found.high)));
        },
        "x"_a.noconvert(), "Smallest and largest number of each column.");
    data.def(
        "moments",
        [](InMatrix<double> x, In<std::int32_t> y, In<double> w, std::size_t classes) {
            const std::size_t columns = x.shape(1);
            auto found = with_monitor([&](Monitor& m) {
                return margin::data::moments(x.data(), y.data(), w.data(), x.shape(0), columns, classes, 0, m);
            });
            return nb::make_tuple(
                give(std::move(found.weight), classes, columns), give(std::move(found.weight2), classes, columns),
                give(std::move(found.mean), classes, columns), give(std::move(found.m2), classes, columns));
        },
        "x"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert(), "classes"_a,
        "Weight, squared weight, mean and squared deviations of each column in each class.");
}
