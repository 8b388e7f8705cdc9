// margin._core.bayes: normal log-likelihoods.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/bayes/likelihood.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(bayes) {
    for_each_type<double, float>([&]<class T> {
        bayes.def(
            "add_normal",
            [](InMatrix<T> x, InMatrix<double> mean, InMatrix<double> steep, InMatrix<double> off, In<double> peak,
               InOutMatrix<double> scores, std::size_t n_threads) {
                return with_monitor([&](Monitor& m) {
                    return margin::bayes::add_normal(x.data(), mean.data(), steep.data(), off.data(), peak.data(),
                                                     scores.data(), x.shape(0), x.shape(1), mean.shape(0), n_threads,
                                                     m);
                });
            },
            "x"_a.noconvert(), "mean"_a.noconvert(), "steep"_a.noconvert(), "off"_a.noconvert(), "peak"_a.noconvert(),
            "scores"_a.noconvert(), "n_threads"_a);
    });
}
