#pragma once
// MARGIN_SIMD=baseline|avx2|avx512 in the environment: the instruction set that vectorised kernels use, in place of the
// best one that the machine has.
//
// The loader chooses between the clones of a MARGIN_SIMD function (core/simd.hpp) while it loads this module, by what
// the compiler's own __cpu_indicator_init found out of the processor. The linker puts the function below in its place
// (--wrap), which lets it look first and then forgets what was not wanted. It runs while addresses are still being
// filled in, those of functions last: nothing but data may be touched, and no function of another library be called.
#include "margin/core/simd.hpp"
#include <cstddef>

#if defined(__x86_64__) && defined(__linux__)
extern "C" {
extern char** environ;
extern unsigned int __cpu_features2[];
int __real___cpu_indicator_init();
[[gnu::visibility("hidden")]] int __wrap___cpu_indicator_init();
}
#endif

#ifdef MARGIN_SIMD_CLONES

namespace {

constexpr std::size_t n_feature_words = 3; // of GCC's and clang's run-time support; the levels stand in the third

/// The value of MARGIN_SIMD, or "".
inline const char* wanted_instruction_set() noexcept {
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
        const char *name = "MARGIN_SIMD=", *text = *each;
        while (*name != '\0' && *name == *text)
            ++name, ++text;
        if (*name == '\0')
            return text;
    }
    return "";
}

/// std::strcmp is a function of another library.
inline bool equal(const char* a, const char* b) noexcept {
    while (*a != '\0' && *a == *b)
        ++a, ++b;
    return *a == *b;
}

/// Forget the one feature that `has` asks for: bits are taken away one after another until it is gone.
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
    const char* const wanted = wanted_instruction_set();
    const bool baseline = equal(wanted, "baseline");
    if (baseline || equal(wanted, "avx2"))
        forget([] { return __builtin_cpu_supports("x86-64-v4") != 0; });
    if (baseline)
        forget([] { return __builtin_cpu_supports("x86-64-v3") != 0; });
    return result;
}
#elif defined(__x86_64__) && defined(__linux__)
int __wrap___cpu_indicator_init() { return __real___cpu_indicator_init(); } // nothing to choose from
#endif
