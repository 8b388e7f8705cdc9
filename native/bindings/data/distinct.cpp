// margin._core.data: the different numbers of columns that have few.
#include "margin/data/distinct.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::list distinct(InMatrix<T> x, std::size_t most, std::size_t n_threads) {
    auto found = with_monitor([&](Monitor& m) {
        return margin::data::distinct_numbers<T>(x.data(), x.shape(0), x.shape(1), most, n_threads, m);
    });
    nb::list columns;
    for (auto& numbers : found)
        columns.append(give(std::move(numbers)));
    return columns;
}

} // namespace

MARGIN_BINDINGS(data) {
    for_each_type<double, float>([&]<class T> {
        data.def("distinct", &distinct<T>, "x"_a.noconvert(), "most"_a, "n_threads"_a,
                 "The different numbers of each column, ascending; none where there are more than `most`.");
    });
}
