// margin._core.metrics: cases ranked by their score. Each call also says how many scores are NaN and where the first is.
#include "ranking.hpp"
#include "bindings/interrupt.hpp"
#include "margin/metrics/ranking.hpp"

using namespace margin;
using namespace margin::bindings;
using namespace margin::metrics;
namespace {

template <class Key>
nb::tuple totals_as(const Scored& cases, std::size_t n_threads) {
    RankTotals found;
    const auto sides = with_monitor([&](Monitor& m) {
        auto sorted = sorted_sides<Key>(cases, n_threads, m);
        found = rank_totals(sorted, n_threads, m);
        return sorted;
    });
    return nb::make_tuple(sides.missing, sides.first_missing, found.area, found.average_precision, found.variance);
}

template <class Key>
nb::tuple curve_as(const Scored& cases, std::size_t n_threads) {
    RankCurve found;
    const auto sides = with_monitor([&](Monitor& m) {
        auto sorted = sorted_sides<Key>(cases, n_threads, m);
        found = rank_curve(sorted, n_threads, m);
        return sorted;
    });
    return nb::make_tuple(sides.missing, sides.first_missing, give(std::move(found.thresholds)),
                          give(std::move(found.hits)), give(std::move(found.alarms)));
}

nb::tuple totals(InColumn score, In<std::uint8_t> positive, In<double> weight, std::size_t n_threads) {
    const Scored cases = scored(score, positive, weight);
    return cases.weight ? totals_as<RowKey>(cases, n_threads) : totals_as<std::uint64_t>(cases, n_threads);
}

nb::tuple curve(InColumn score, In<std::uint8_t> positive, In<double> weight, std::size_t n_threads) {
    const Scored cases = scored(score, positive, weight);
    return cases.weight ? curve_as<RowKey>(cases, n_threads) : curve_as<std::uint64_t>(cases, n_threads);
}

} // namespace

MARGIN_BINDINGS(metrics) {
    metrics.def("rank_totals", &totals, "score"_a.noconvert(), "positive"_a.noconvert(), "weight"_a.noconvert().none(),
                "n_threads"_a, "Area, average precision and variance of the area.");
    metrics.def("rank_curve", &curve, "score"_a.noconvert(), "positive"_a.noconvert(), "weight"_a.noconvert().none(),
                "n_threads"_a, "Thresholds from the strongest on, hits and alarms.");
}
