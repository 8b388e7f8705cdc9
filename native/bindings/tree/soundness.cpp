// margin._core.tree: whether the arrays of a tree fit together.
#include "margin/tree/grown/soundness.hpp"
#include "walk.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(tree) {
    tree.def(
        "what_is_unsound",
        [](const nb::dict& arrays) {
            const TreeArrays given(arrays);
            return tree::what_is_unsound(given.tree);
        },
        "arrays"_a, "What does not fit together in the arrays of a tree; empty if nothing.");
}
