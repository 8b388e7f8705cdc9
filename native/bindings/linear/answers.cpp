// margin._core.linear: what is asked of a linear layer, out of scores that were found before.
#include "margin/linear/scores/answers.hpp"
#include "bindings/arrays.hpp"
#include <nanobind/stl/string_view.h>
#include <stdexcept>
#include <string_view>
#include <type_traits>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class Out>
void answer_scores(InMatrix<double> scores, std::string_view what,
                   nb::ndarray<Out, nb::c_contig, nb::device::cpu> out) {
    linear::Answers::visit(what, [&]<class Answer>() {
        if constexpr (std::is_same_v<typename Answer::Out, Out>)
            if (out.size() == scores.shape(0) * Answer::width(scores.shape(1)))
                return Answer::answer(scores.data(), scores.shape(0), scores.shape(1), out.data());
        throw std::invalid_argument("answer_scores: out is not of the shape that was asked for");
    });
}

} // namespace

MARGIN_BINDINGS(linear) {
    const auto scores = "scores"_a.noconvert(), out = "out"_a.noconvert();
    linear.def("answer_scores", &answer_scores<double>, scores, "what"_a, out);
    linear.def("answer_scores", &answer_scores<std::int64_t>, scores, "what"_a, out);
}
