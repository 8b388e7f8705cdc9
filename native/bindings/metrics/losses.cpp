// margin._core.metrics: probabilities checked, and what each case loses by them.
#include "margin/metrics/losses.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/metrics/calibration.hpp"
#include "ranking.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;
using namespace margin::metrics;
using Codes = In<std::int64_t>;

namespace {

Shares shares(const InMatrix<double>& p) { return {p.data(), p.shape(0), p.shape(1)}; }

double losses(InMatrix<double> p, Codes truth, std::string_view loss, In<double> weight, double least,
              nb::ndarray<double, nb::ndim<1>, nb::c_contig> out, std::size_t n_threads) {
    return with_monitor([&](Monitor& m) {
        return CaseLosses::visit(loss, [&]<class Loss>() {
            return case_losses<Loss>(shares(p), truth.data(), optional(weight), least, optional(out), n_threads, m);
        });
    });
}

nb::tuple bins(InColumn confidence, In<std::uint8_t> right, In<double> weight, In<double> edges,
               std::size_t n_threads) {
    auto found = with_monitor([&](Monitor& m) {
        return calibration_bins(confidence.data(), confidence.stride(0), right.data(), optional(weight), right.size(),
                                {edges.data(), edges.data() + edges.size()}, n_threads, m);
    });
    return nb::make_tuple(give(std::move(found.weight)), give(std::move(found.confidence)),
                          give(std::move(found.right)));
}

} // namespace

MARGIN_BINDINGS(metrics) {
    metrics.def(
        "bad_rows",
        [](InMatrix<double> p, double tolerance, std::size_t n_threads) {
            const auto bad = with_monitor([&](Monitor& m) { return bad_rows(shares(p), tolerance, n_threads, m); });
            return nb::make_tuple(bad.count, bad.first);
        },
        "p"_a.noconvert(), "tolerance"_a, "n_threads"_a, "How many rows are no probabilities, and the first of them.");
    metrics.def("case_losses", &losses, "p"_a.noconvert(), "truth"_a.noconvert(), "loss"_a,
                "weight"_a.noconvert().none(), "least"_a, "out"_a.noconvert().none(), "n_threads"_a);
    metrics.def("calibration_bins", &bins, "confidence"_a.noconvert(), "right"_a.noconvert(),
                "weight"_a.noconvert().none(), "edges"_a.noconvert(), "n_threads"_a,
                "Weight, confidence and weight of what was right, by bin.");
    metrics.def(
        "top_answers",
        [](InMatrix<double> p, Codes truth, InOut<double> confidence, InOut<std::uint8_t> right, std::size_t n) {
            with_monitor(
                [&](Monitor& m) { top_answers(shares(p), truth.data(), confidence.data(), right.data(), n, m); });
        },
        "p"_a.noconvert(), "truth"_a.noconvert(), "confidence"_a.noconvert(), "right"_a.noconvert(), "n_threads"_a);
}
