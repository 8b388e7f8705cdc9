// margin._core.metrics: labels counted and coded where they lie.
#include "margin/metrics/counts.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "labels.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

nb::object tally_of(InLabels y, std::size_t most, bool with_first, std::size_t n_threads) {
    const auto of = labels(y);
    std::vector<std::int64_t> first;
    auto found = with_monitor([&](Monitor& m) {
        auto counted = margin::metrics::tally(of, most, n_threads, m);
        if (counted && with_first)
            first = margin::metrics::first_rows(of, *counted, m);
        return counted;
    });
    if (!found)
        return nb::none();
    return nb::make_tuple(least(of, found->range), give(std::move(found->counts)), give(std::move(first)));
}

nb::object tally_of_pairs(InLabels truth, InLabels said, In<double> weight, std::size_t n_threads) {
    const auto first = labels(truth), second = labels(said);
    auto found = with_monitor(
        [&](Monitor& m) { return margin::metrics::tally_pairs(first, second, optional(weight), n_threads, m); });
    if (!found)
        return nb::none();
    const std::size_t rows = first.size ? found->first.width() : 0, columns = first.size ? found->second.width() : 0;
    nb::object weights = nb::none();
    if (weight.is_valid())
        weights = nb::cast(give(std::move(found->weights), rows, columns));
    return nb::make_tuple(least(first, found->first), least(second, found->second),
                          give(std::move(found->counts), rows, columns), weights);
}

template <class Code>
void codes_of(InLabels y, nb::handle low, In<std::int64_t> code_at, InOut<Code> codes, std::size_t n_threads) {
    const auto of = labels(y);
    const auto range = range_from(of, low, code_at.size());
    with_monitor([&](Monitor& m) { margin::metrics::encode(of, range, code_at.data(), codes.data(), n_threads, m); });
}

} // namespace

MARGIN_BINDINGS(metrics) {
    metrics.def("tally", &tally_of, "labels"_a.noconvert(), "most"_a, "with_first"_a, "n_threads"_a,
                "Least label, counts and first rows by distance from it; None where there are more than `most`.");
    metrics.def("tally_pairs", &tally_of_pairs, "truth"_a.noconvert(), "said"_a.noconvert(),
                "weight"_a.noconvert().none(), "n_threads"_a,
                "Least labels, counts and weights of pairs; None where the table would be too large.");
    for_each_type<std::int64_t, std::uint8_t>([&]<class Code> {
        metrics.def("encode", &codes_of<Code>, "labels"_a.noconvert(), "low"_a, "code_at"_a.noconvert(),
                    "codes"_a.noconvert(), "n_threads"_a, "Write the code of each label, -1 outside the table.");
    });
}
