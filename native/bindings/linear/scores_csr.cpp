// margin._core.linear: what a linear layer answers, for rows of stored cells.
#include "margin/linear/scores/scores_csr.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include <nanobind/stl/string_view.h>
#include <stdexcept>
#include <string_view>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class Out>
using OutArray = nb::ndarray<Out, nb::c_contig, nb::device::cpu>; // of one or two dimensions

template <class Answer, class Out>
constexpr bool fits = std::is_same_v<typename Answer::Out, Out>;

template <class T, class Out>
bool answer_csr(In<T> values, const Places& columns, const Places& start, InMatrix<double> coef, In<double> intercept,
                double largest, std::string_view what, OutArray<Out> out, std::size_t n_threads) {
    if (start.size() == 0 || values.size() != columns.size() || coef.shape(0) != intercept.size())
        return false;
    const linear::Layer layer{coef.data(), intercept.data(), nullptr, nullptr, coef.shape(0), coef.shape(1)};
    return linear::Answers::visit(what, [&]<class Answer>() -> bool {
        if constexpr (fits<Answer, Out>) {
            if (out.size() != (start.size() - 1) * Answer::width(layer.n_scores))
                throw std::invalid_argument("answer_csr: out is not of the shape that was asked for");
            return with_monitor([&](Monitor& m) {
                return linear::answer_csr<Answer>(csr(values, columns, start, layer.columns), values.size(), layer,
                                                  limit<T>(largest), out.data(), n_threads, m);
            });
        } else {
            throw std::invalid_argument("answer_csr: out is not of the type that was asked for");
        }
    });
}

template <class Out>
void bind_answers(nb::module_& linear) {
    const auto out = "out"_a.noconvert();
    for_each_type<double, float>([&]<class T>() {
        linear.def("answer_csr", &answer_csr<T, Out>, "values"_a.noconvert(), "columns"_a.noconvert(),
                   "start"_a.noconvert(), "coef"_a.noconvert(), "intercept"_a.noconvert(), "largest"_a, "what"_a, out,
                   "n_threads"_a);
    });
}

} // namespace

MARGIN_BINDINGS(linear) {
    bind_answers<double>(linear);
    bind_answers<std::int64_t>(linear);
}
