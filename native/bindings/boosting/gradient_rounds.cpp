// margin._core.gradient: rounds of boosting.
#include "gradient_rounds.hpp"
#include <nanobind/stl/string.h>

using namespace margin;
using namespace margin::bindings;
using boosting::Boosting, boosting::Settings;

namespace {

template <class T>
Boosting* boost(InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels, In<std::uint8_t> nominal,
                std::size_t max_bins, In<double> y, In<double> weight, In<double> scores, const std::string& loss,
                const Settings& settings) {
    const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
    const std::size_t n_scores = scores.size() / y.size();
    const boosting::Targets targets{span(y), span(weight), settings.nominal_smooth, settings.seed};
    auto bins = with_monitor([&](Monitor& m) { // codes of several classes have no mean
        return boosting::bin_rows(table, max_bins, n_scores > 1 ? nullptr : &targets, span(weight), settings.n_threads,
                                  m);
    });
    return new Boosting(std::move(bins), settings, loss,
                        {copy(y), copy(weight), copy(scores), raw_numbers(numbers, settings)}, n_scores);
}

template <class T>
void watch(Boosting& boosting, InMatrix<T> numbers, InMatrix<std::int32_t> codes, In<std::int64_t> n_levels,
           In<std::uint8_t> nominal, In<double> y, In<double> weight, In<double> scores) {
    const tree::Table<T> table{view(numbers), view(codes), span(n_levels), span(nominal)};
    boosting.watch({with_monitor([&](Monitor& m) {
                        return boosting::code_rows(table, boosting.table().columns, boosting.settings().n_threads, m);
                    }),
                    {},
                    {copy(y), copy(weight), copy(scores), raw_numbers(numbers, boosting.settings())}});
}

} // namespace

MARGIN_BINDINGS(gradient) {
    auto boosting = nb::class_<Boosting>(gradient, "Boosting", "Rows in bins, their scores, and the rounds over them.");
    boosting.def("run", &run, "first"_a, "n"_a, "with_loss"_a, "monitor"_a.none(),
                 "Some rounds: the arrays of their trees.");
    boosting.def("give_slopes", &give_slopes, "g"_a.noconvert(), "h"_a.noconvert(),
                 "The derivatives of the next round under the loss \"given\": scores x rows.");
    boosting.def("leave_out", &leave_out, "Take away the scores of rounds that the next one leaves out.");
    boosting.def("scores", &scores, "The scores of the rows, class after class.");
    boosting.def("phases", &phases, "Of each phase the seconds so far, and how much was done.");
    boosting.def(
        "n_groups", [](const Boosting& b) { return b.table().width(); },
        "Columns of histograms: exclusive ones are bundled.");
    boosting.def("watched_scores", &watched_scores, "Those of the watched rows.");
    for_each_type<double, float>([&]<class T> {
        gradient.def("boost", &boost<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(), "n_levels"_a.noconvert(),
                     "nominal"_a.noconvert(), "max_bins"_a, "y"_a.noconvert(), "weight"_a.noconvert(),
                     "scores"_a.noconvert(), "loss"_a, "settings"_a, nb::rv_policy::take_ownership,
                     "Rows to be boosted from their scores on, class after class.");
        boosting.def("watch", &watch<T>, "numbers"_a.noconvert(), "codes"_a.noconvert(), "n_levels"_a.noconvert(),
                     "nominal"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(), "scores"_a.noconvert(),
                     "Other rows, whose loss is told after each round.");
    });
}
