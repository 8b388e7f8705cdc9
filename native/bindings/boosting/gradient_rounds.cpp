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
    add_rounds(boosting);
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
