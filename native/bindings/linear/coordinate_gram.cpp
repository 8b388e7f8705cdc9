// margin._core.linear: coordinate descent on a matrix of second derivatives.
#include "margin/linear/coordinate/coordinate_gram.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

nb::tuple descend_gram(InMatrix<double> h, In<double> g, In<double> w, double l1, double enough, std::size_t passes) {
    auto found = with_monitor([&](Monitor& m) {
        return linear::gram_descend(h.data(), g.data(), w.data(), g.size(), l1, enough, passes, m);
    });
    return nb::make_tuple(give(std::move(found.step)), found.passes);
}

} // namespace

MARGIN_BINDINGS(linear) {
    linear.def("gram_descend", &descend_gram, "h"_a.noconvert(), "g"_a.noconvert(), "w"_a.noconvert(), "l1"_a,
               "enough"_a, "passes"_a, "A step, and the passes it took.");
}
