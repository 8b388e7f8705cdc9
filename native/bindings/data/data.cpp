// margin._core.data: whether the cells of a matrix can be used, and where each row is largest.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/data/cells.hpp"
#include "margin/data/winners.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
std::int64_t inspect(InMatrix<T> x, double largest, std::size_t n_threads) {
    // The largest double is beyond the largest float: nothing finite is too large then.
    const T limit = static_cast<T>(std::min<double>(largest, std::numeric_limits<T>::max()));
    return with_monitor([&](Monitor& m) { return data::inspect<T>(x.data(), x.size(), limit, n_threads, m); });
}

} // namespace

MARGIN_BINDINGS(data) {
    data.def("inspect", &inspect<double>, "x"_a.noconvert(), "largest"_a, "n_threads"_a = 1,
             "Flat position of the first unusable cell; -1 if all are fine, -2 if some are missing.");
    data.def("inspect", &inspect<float>, "x"_a.noconvert(), "largest"_a, "n_threads"_a = 1);
    data.def(
        "winners",
        [](InMatrix<double> scores, std::size_t n_threads) {
            return give(with_monitor([&](Monitor& m) {
                return margin::data::winners(scores.data(), scores.shape(0), scores.shape(1), n_threads, m);
            }));
        },
        "scores"_a.noconvert(), "n_threads"_a, "The column of each row's largest number.");
}
