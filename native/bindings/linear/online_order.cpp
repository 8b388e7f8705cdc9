// margin._core.linear: the order of the rows in shuffled passes.
#include "margin/linear/online/online_order.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(linear) {
    linear.def(
        "visits",
        [](std::size_t n, std::uint64_t seed, std::uint64_t pass) {
            return give(
                with_monitor([&](Monitor& monitor) { return linear::shuffled_visits(n, seed, pass, monitor); }));
        },
        "n"_a, "seed"_a, "pass_number"_a);
}
