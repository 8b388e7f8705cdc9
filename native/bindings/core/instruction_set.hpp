#pragma once
// MARGIN_SIMD=baseline|avx2|avx512 in the environment: the best instruction set that vectorised kernels may use.
//
// The loader chooses between the clones of a MARGIN_SIMD function (core/simd.hpp) while it loads this module, by what
// the compiler's own __cpu_indicator_init found out of the processor. The linker puts the function below in its place
// (--wrap), which lets it look first and then forgets what was not wanted. It runs before this module is ready: nothing
// but its own memory and that of the C library may be touched, and no other function of theirs be called.
#include "margin/core/simd.hpp"
#include <cstddef>

#ifdef MARGIN_SIMD_CLONES
extern "C" {
extern char** environ;
extern unsigned int __cpu_features2[];
int __real___cpu_indicator_init();
[[gnu::visibility("hidden")]] int __wrap___cpu_indicator_init();
}

namespace {

constexpr std::size_t n_feature_words = 4; // of GCC's and clang's run-time support; the levels stand in the third

/// The value of MARGIN_SIMD, letter by letter.
const char* wanted() noexcept {
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
        const char *name = "MARGIN_SIMD=", *text = *each;
        while (*name != '\0' && *name == *text)
            ++name, ++text;
        if (*name == '\0')
            return text;
    }
    return "";
}

/// Forget the one feature that `has` asks for, wherever it is noted.
template <class Has>
void forget(Has has) noexcept {
    for (std::size_t word = 0; word < n_feature_words; ++word)
        for (unsigned bit = 1; bit != 0 && has(); bit <<= 1) {
            volatile unsigned& noted = __cpu_features2[word];
            const unsigned before = noted;
            noted = before & ~bit;
            asm volatile("" ::: "memory");
            if (has())
                noted = before;
        }
}

} // namespace

int __wrap___cpu_indicator_init() {
    static bool done = false;
    const int result = __real___cpu_indicator_init();
    if (done)
        return result;
    done = true;
    const char* const most = wanted();
    if (most[0] == 'b' || (most[0] == 'a' && most[3] == '2'))
        forget([] { return __builtin_cpu_supports("x86-64-v4") != 0; });
    if (most[0] == 'b')
        forget([] { return __builtin_cpu_supports("x86-64-v3") != 0; });
    return result;
}
#endif
