// margin._core.linear: what a linear layer answers, for dense rows.
#include "margin/linear/scores/scores.hpp"
#include "bindings/buffers.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include <nanobind/stl/string_view.h>
#include <string_view>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class Answer, class T>
bool answer_as(const Buffer& x, const linear::Layer& layer, double largest, const Buffer& out, std::size_t n_threads) {
    using Out = typename Answer::Out;
    const std::size_t rows = x.shape(0), width = Answer::width(layer.n_scores);
    if (!(width == 1 ? out.is<Out>(1) : out.is<Out>(2) && out.shape(1) == width) || out.shape(0) != rows)
        return false;
    const auto run = [&](Monitor& monitor) {
        return linear::answer_dense<Answer>(x.data<T>(), rows, layer, limit<T>(largest), out.data<Out>(), n_threads,
                                            monitor);
    };
    if (!linear::is_small(rows, layer))
        return with_monitor(run);
    Monitor unwatched;
    return run(unwatched);
}

/// False where an array is not of the form that can be read as it stands, and where a row cannot be answered so.
bool answer(nb::handle rows, nb::handle coefficients, nb::handle intercepts, nb::handle centers, nb::handle spreads,
            std::size_t n_classes, double largest, std::string_view what, nb::handle answers, std::size_t n_threads) {
    const Buffer x(rows), coef(coefficients), intercept(intercepts), center(centers), spread(spreads);
    const bool is_double = x.is<double>(2);
    if ((!is_double && !x.is<float>(2)) || !coef.is<double>(2) || !intercept.is<double>(1))
        return false;
    linear::Layer layer{coef.data<double>(), intercept.data<double>(), nullptr, nullptr, coef.shape(0), coef.shape(1)};
    if (x.shape(1) != layer.columns || intercept.shape(0) != layer.n_scores ||
        layer.n_scores != linear::scores_for(n_classes) || n_classes < 2)
        return false;
    if (!centers.is_none()) {
        for (const Buffer* of_columns : {&center, &spread})
            if (!of_columns->is<double>(1) || of_columns->shape(0) != layer.columns)
                return false;
        layer.center = center.data<double>(), layer.spread = spread.data<double>();
    }
    const Buffer out(answers, true);
    return linear::Answers::visit(what, [&]<class Answer>() {
        return is_double ? answer_as<Answer, double>(x, layer, largest, out, n_threads)
                         : answer_as<Answer, float>(x, layer, largest, out, n_threads);
    });
}

} // namespace

MARGIN_BINDINGS(linear) {
    linear.def("answer", &answer, "x"_a, "coef"_a, "intercept"_a, "center"_a.none(), "spread"_a.none(), "n_classes"_a,
               "largest"_a, "what"_a, "out"_a, "n_threads"_a);
}
