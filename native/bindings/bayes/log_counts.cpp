// margin._core.sums, third part: logarithms of smoothed counts.
#include "margin/bayes/log_counts.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(sums) {
    sums.def(
        "log_counts",
        [](InMatrix<double> counts, double alpha, In<double> shift, std::size_t n_threads) {
            const std::size_t classes = counts.shape(0), columns = counts.shape(1);
            return give(with_monitor([&](Monitor& m) {
                            return bayes::log_counts(counts.data(), alpha, shift.data(), classes, columns, n_threads,
                                                     m);
                        }),
                        columns, classes);
        },
        "counts"_a.noconvert(), "alpha"_a, "shift"_a.noconvert(), "n_threads"_a,
        "log(counts + alpha) - shift of the class, one row per column.");
}
