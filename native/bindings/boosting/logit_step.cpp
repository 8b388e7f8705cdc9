// margin._core.boosting: what a round of LogitBoost is fitted to.
#include "margin/boosting/logit_step.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

nb::tuple logit_step(InMatrix<double> sums, In<std::int32_t> y, In<double> weight, double z_max,
                     std::size_t n_threads) {
    const std::size_t n = sums.shape(0), width = sums.shape(1);
    if (y.size() != n || weight.size() != n || width == 0)
        throw nb::value_error("a class, a weight and a sum are needed for each row");
    std::vector<double> working(n * width), z(n * width);
    const auto standing = with_monitor([&](Monitor& monitor) {
        return boosting::logit_step(view(sums), span(y), span(weight), z_max,
                                    {{working.data(), width, n}, {z.data(), width, n}}, n_threads, monitor);
    });
    return nb::make_tuple(give(std::move(working), width, n), give(std::move(z), width, n),
                          standing.loss / standing.whole, standing.wrong / standing.whole);
}

} // namespace

MARGIN_BINDINGS(boosting) {
    boosting.def("logit_step", &logit_step, "sums"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(), "z_max"_a,
                 "n_threads"_a,
                 "Weights and working responses of the next trees of LogitBoost, a row for each sum; and the mean log "
                 "loss and the share of errors of the sums so far.");
}
