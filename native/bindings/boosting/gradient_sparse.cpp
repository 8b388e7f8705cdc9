// margin._core.gradient: rounds of boosting over sparse rows.
#include "gradient_rounds.hpp"
#include "margin/boosting/gradient/lists/bin_sparse.hpp"
#include <nanobind/stl/string.h>

using namespace margin;
using namespace margin::bindings;
using boosting::Boosting, boosting::Settings;

namespace {

template <class T>
Boosting* boost_csr(In<T> values, const Places& places, const Places& starts, std::size_t width, std::size_t max_bins,
                    In<double> y, In<double> weight, In<double> scores, const std::string& loss,
                    const Settings& settings) {
    const auto rows = csr(values, places, starts, width);
    auto bins = with_monitor(
        [&](Monitor& m) { return boosting::bin_sparse<T>(rows, max_bins, span(weight), settings.n_threads, m); });
    return new Boosting(std::move(bins), settings, loss, {copy(y), copy(weight), copy(scores)},
                        scores.size() / y.size());
}

template <class T>
void watch_csr(Boosting& boosting, In<T> values, const Places& places, const Places& starts, In<double> y,
               In<double> weight, In<double> scores) {
    const auto rows = csr(values, places, starts, boosting.table().n_columns());
    boosting.watch({{},
                    with_monitor([&](Monitor& m) {
                        return boosting::list_rows<T>(rows, boosting.table().columns, boosting.settings().n_threads, m);
                    }),
                    {copy(y), copy(weight), copy(scores)}});
}

} // namespace

MARGIN_BINDINGS(gradient) {
    for_each_type<double, float>([&]<class T> {
        gradient.def("boost_csr", &boost_csr<T>, "values"_a.noconvert(), "columns"_a.noconvert(), "start"_a.noconvert(),
                     "width"_a, "max_bins"_a, "y"_a.noconvert(), "weight"_a.noconvert(), "scores"_a.noconvert(),
                     "loss"_a, "settings"_a, nb::rv_policy::take_ownership,
                     "Sparse rows of numbers to be boosted from their scores on, class after class.");
        gradient.def("watch_csr", &watch_csr<T>, "boosting"_a, "values"_a.noconvert(), "columns"_a.noconvert(),
                     "start"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(), "scores"_a.noconvert(),
                     "Other sparse rows, whose loss is told after each round.");
    });
}
