#include "module.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of margin. Call it through the estimators: it trusts what it is given.";
    for (const auto& family : margin::bindings::families()) {
        auto sub = m.def_submodule(family.name);
        family.bind(sub);
    }
}
