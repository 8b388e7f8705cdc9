// margin._core.core: which instruction set was chosen, and by whom.
#include "instruction_set.hpp"
#include "bindings/module.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <nanobind/stl/string_view.h>
#include <string>
#include <string_view>

using namespace margin;
using namespace margin::bindings;

namespace {

constexpr std::array<std::string_view, 3> sets{"baseline", "avx2", "avx512"},
    levels{"default", "x86-64-v3", "x86-64-v4"};

/// Refuse a MARGIN_SIMD that is none of the sets, or one that kernels do not run with now: it can only have been chosen
/// if the machine and the build have it.
void check_instruction_set(std::string_view wanted) {
    if (wanted.empty())
        return;
    const std::string who = "MARGIN_SIMD='" + std::string(wanted) + "': ";
    const auto at = std::find(sets.begin(), sets.end(), wanted) - sets.begin();
    if (static_cast<std::size_t>(at) == sets.size())
        throw nb::import_error((who + "must be 'baseline', 'avx2' or 'avx512', or not be set.").c_str());
    const auto used = std::find(levels.begin(), levels.end(), simd_level()) - levels.begin();
    if (used != at)
        throw nb::import_error(
            (who + "must be an instruction set that this machine and this build of margin have (the best is '" +
             std::string(sets[static_cast<std::size_t>(used)]) + "').")
                .c_str());
}

} // namespace

MARGIN_BINDINGS(core) {
    const char* const wanted = std::getenv("MARGIN_SIMD");
    check_instruction_set(wanted == nullptr ? "" : wanted);
    core.def("simd", &simd_level, "The instruction set that vectorised kernels use in this process.");
}
