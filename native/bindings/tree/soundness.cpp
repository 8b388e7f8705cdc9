// margin._core.tree: the arrays of a tree, and whether they fit together.
#include "margin/tree/grown/soundness.hpp"
#include "walk.hpp"
#include <array>
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

namespace {

/// Name, type as NumPy writes it, and what there is an entry for, of each array of a tree.
nb::list arrays() {
    constexpr std::array per_what{"node", "node", "child", "detail", "surrogate", "surrogate_detail", "start"};
    nb::list found;
    tree::for_each_array(
        [&]<class T>(const char* name, tree::Per per, const std::vector<T>&) {
            const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
            const std::array type{kind, static_cast<char>('0' + sizeof(T)), '\0'};
            found.append(nb::make_tuple(name, type.data(), per_what[static_cast<std::size_t>(per)]));
        },
        tree::GrownTree{});
    return found;
}

} // namespace

MARGIN_BINDINGS(tree) {
    tree.def("arrays", &arrays, "Name, type, and what there is an entry for, of each array of a tree.");
    tree.def(
        "what_is_unsound",
        [](const nb::dict& arrays) {
            const TreeArrays given(arrays);
            return tree::what_is_unsound(given.tree);
        },
        "arrays"_a, "What does not fit together in the arrays of a tree; empty if nothing.");
}
