// margin._core.data, second part: one look at a matrix, and columns that stand for themselves.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/data/class_moments.hpp"
#include "margin/data/columns.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::tuple survey(InMatrix<T> x, double largest, std::size_t n_threads) {
    auto found = with_monitor([&](Monitor& m) {
        return margin::data::survey<T>(x.data(), x.shape(0), x.shape(1), limit<T>(largest), n_threads, m);
    });
    return nb::make_tuple(give(std::move(found.low)), give(std::move(found.high)), give(std::move(found.missing)),
                          found.bad);
}

template <class T>
nb::tuple survey_moments(InMatrix<T> x, In<std::int32_t> y, In<double> w, std::size_t k, double largest,
                         std::size_t n_threads) {
    const std::size_t d = x.shape(1);
    auto [seen, found] = with_monitor([&](Monitor& m) {
        return margin::data::survey_moments<T>(x.data(), y.data(), optional(w), x.shape(0), d, k, limit<T>(largest),
                                               n_threads, m);
    });
    return nb::make_tuple(give(std::move(found.weight), k, d), give(std::move(found.weight2), k, d),
                          give(std::move(found.mean), k, d), give(std::move(found.rest), k, d),
                          give(std::move(found.m2), k, d), give(std::move(seen.low)), give(std::move(seen.high)),
                          give(std::move(seen.missing)), seen.bad);
}

} // namespace

MARGIN_BINDINGS(data) {
    for_each_type<double, float, std::uint8_t, std::int32_t, std::int64_t>([&]<class T> {
        data.def("survey", &survey<T>, "x"_a.noconvert(), "largest"_a, "n_threads"_a,
                 "Smallest and largest number and missing cells of each column; position of the first unusable cell.");
    });
    for_each_type<double, float>([&]<class T> {
        data.def("survey_moments", &survey_moments<T>, "x"_a.noconvert(), "y"_a.noconvert(), "w"_a.noconvert().none(),
                 "classes"_a, "largest"_a, "n_threads"_a,
                 "Weight, squared weight, mean, its rest and squared deviations by class, and the survey.");
    });
}
