#pragma once
// A binding file says MARGIN_BINDINGS(family) { family.def(…); } and becomes margin._core.family.
#include <nanobind/nanobind.h>
#include <vector>

namespace margin::bindings {

namespace nb = nanobind;
using namespace nb::literals;

struct Family {
    const char* name;
    void (*bind)(nb::module_&);
};

inline std::vector<Family>& families() {
    static std::vector<Family> list;
    return list;
}

struct Registration {
    explicit Registration(Family family) { families().push_back(family); }
};

} // namespace margin::bindings

#define MARGIN_BINDINGS(family)                                                                                        \
    static void bind_##family(nanobind::module_& family);                                                              \
    static const margin::bindings::Registration register_##family{{#family, bind_##family}};                           \
    static void bind_##family(nanobind::module_& family)
