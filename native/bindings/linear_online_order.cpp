// margin._core.linear: the order of the rows in shuffled passes.
#include "arrays.hpp"
#include "margin/linear/online_order.hpp"

using namespace margin::bindings;

MARGIN_BINDINGS(linear) {
    linear.def(
        "visits",
        [](std::size_t n, std::uint64_t seed, std::uint64_t pass) {
            return give(margin::linear::shuffled_visits(n, seed, pass));
        },
        "n"_a, "seed"_a, "pass_number"_a);
}
