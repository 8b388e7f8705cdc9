// margin._core.core: which instruction set was chosen, and by whom.
#include "instruction_set.hpp"
#include "bindings/module.hpp"
#include <cstdlib>
#include <nanobind/stl/string_view.h>
#include <string_view>

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(core) {
    const char* const given = std::getenv("MARGIN_SIMD");
    const std::string_view most = given == nullptr ? "" : given;
    if (!most.empty() && most != "baseline" && most != "avx2" && most != "avx512")
        throw nb::value_error("MARGIN_SIMD must be 'baseline', 'avx2' or 'avx512', or not be set.");
    core.def("simd", &simd_level, "The instruction set that vectorised kernels use on this machine.");
}
