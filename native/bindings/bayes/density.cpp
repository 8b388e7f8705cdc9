// margin._core.density: kernel densities.
#include "margin/bayes/density.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(density) {
    density.def(
        "add_kernels",
        [](InMatrix<double> x, In<double> values, In<double> log_weight, In<std::int64_t> start, In<double> steep,
           In<double> off, InOutMatrix<double> s, std::size_t n_threads) {
            const bayes::Kernels kernels{values.data(), log_weight.data(), start.data(), steep.data(), off.data()};
            return with_monitor([&](Monitor& m) {
                return bayes::add_kernels(x.data(), kernels, s.data(), x.shape(0), x.shape(1), s.shape(1), n_threads,
                                          m);
            });
        },
        "x"_a.noconvert(), "values"_a.noconvert(), "log_weight"_a.noconvert(), "start"_a.noconvert(),
        "steep"_a.noconvert(), "off"_a.noconvert(), "scores"_a.noconvert(), "n_threads"_a,
        "Add log-densities to the scores; whether any score is minus infinity now.");
}
