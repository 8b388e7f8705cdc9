// margin._core.discriminant: scores of linear and quadratic discriminants.
#include "margin/bayes/discriminant.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include <algorithm>
#include <limits>

using namespace margin;
using namespace margin::bindings;

namespace {

// `points` is the one row that all classes start from, or a row per class.
template <class T, auto Score>
void score(InMatrix<T> x, InMatrix<double> points, InMatrix<double> panels, In<double> base, InOutMatrix<double> scores,
           std::size_t n_threads) {
    with_monitor([&](Monitor& m) {
        Score(x.data(), points.data(), panels.data(), base.data(), scores.data(), x.shape(0), x.shape(1), base.size(),
              n_threads, m);
    });
}

template <class T>
nb::object winners(InMatrix<T> x, InMatrix<double> center, InMatrix<double> panels, In<double> base, double largest,
                   std::size_t n_threads) {
    const T most = static_cast<T>(std::min<double>(largest, std::numeric_limits<T>::max()));
    auto found = with_monitor([&](Monitor& m) {
        return margin::bayes::linear_winners(x.data(), center.data(), panels.data(), base.data(), most, x.shape(0),
                                             x.shape(1), base.size(), n_threads, m);
    });
    return found ? nb::cast(give(std::move(*found))) : nb::none();
}

template <class T>
void bind_discriminant(nb::module_& family) {
    const auto x = "x"_a.noconvert(), points = "points"_a.noconvert(), panels = "panels"_a.noconvert();
    const auto base = "base"_a.noconvert(), scores = "scores"_a.noconvert();
    const auto n_threads = "n_threads"_a;
    family.def("linear_scores", &score<T, &margin::bayes::linear_scores<T>>, x, points, panels, base, scores,
               n_threads);
    family.def("linear_winners", &winners<T>, x, points, panels, base, "largest"_a, n_threads);
    family.def("quadratic_scores", &score<T, &margin::bayes::quadratic_scores<T>>, x, points, panels, base, scores,
               n_threads);
}

} // namespace

MARGIN_BINDINGS(discriminant) {
    bind_discriminant<double>(discriminant);
    bind_discriminant<float>(discriminant);
}
