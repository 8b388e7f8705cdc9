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

// Several files of a family may be compiled as one, so that their functions are told apart by numbers.
#define MARGIN_BINDINGS(family) MARGIN_BINDINGS_NUMBERED(family, __COUNTER__)
#define MARGIN_BINDINGS_NUMBERED(family, n)                                                                            \
    MARGIN_BINDINGS_NAMED(family, MARGIN_JOINED(bind_##family##_, n), MARGIN_JOINED(register_##family##_, n))
#define MARGIN_JOINED(a, b) a##b
#define MARGIN_BINDINGS_NAMED(family, bind, registered)                                                                \
    static void bind(nanobind::module_& family);                                                                       \
    static const margin::bindings::Registration registered{{#family, bind}};                                           \
    static void bind(nanobind::module_& family)
