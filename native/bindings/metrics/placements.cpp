// margin._core.metrics: where each case stands among those of the other side.
#include "bindings/interrupt.hpp"
#include "margin/metrics/ranking.hpp"
#include "ranking.hpp"

using namespace margin;
using namespace margin::bindings;
using namespace margin::metrics;

namespace {

nb::tuple placed(InColumn score, In<std::uint8_t> positive, In<double> weight, InOut<double> out, std::size_t n) {
    const auto sides = with_monitor([&](Monitor& m) {
        auto sorted = sorted_sides<RowKey>(scored(score, positive, weight), n, m);
        if (sorted.missing == 0)
            placements(sorted, out.data(), n, m);
        return sorted;
    });
    return nb::make_tuple(sides.missing, sides.first_missing);
}

} // namespace

MARGIN_BINDINGS(metrics) {
    metrics.def("placements", &placed, "score"_a.noconvert(), "positive"_a.noconvert(), "weight"_a.noconvert().none(),
                "out"_a.noconvert(), "n_threads"_a, "Write the placement of each case.");
}
