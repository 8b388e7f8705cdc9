#pragma once
// One binary, the best instruction set of the machine it runs on.
//
// MARGIN_SIMD before a function has the compiler build it three times (AVX-512, AVX2 + FMA, baseline) and the loader
// choose one: for products, exponentials and the like, which do much with each number. MARGIN_SIMD_LOOK leaves out
// AVX-512, a third of the compile time for nothing where a function looks at every cell once and waits for memory, or
// takes rows one after another and waits for the sum of each. What to know:
// - GCC clones functions and, since version 12, the instances of function templates. Clang does not clone templates:
//   a core that it compiles is the baseline alone, which gives the same answers more slowly (make clang compares them);
//   what is written out for AVX2 (neighbors) is used there too.
// - Anything a clone calls that is not inlined stays baseline, so everything hot below it is MARGIN_INLINED; lambdas
//   and small functions usually are by themselves. Vector types (vector_size) are split up before the clones are made:
//   write plain loops over a constant number of lanes, and look at the instructions that come out.
// - A call through it costs as much as one through a function pointer: let it do at least some hundred operations.
// - Sums in floating point are only vectorised if written with several accumulators (see dot), because the compiler
//   keeps the order of additions. With a fixed number of them, and -ffp-contract=off, all instruction sets give the
//   same bits.
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MARGIN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MARGIN_SANITIZED 1
#endif
#endif

// The loader asks which clone to take before a sanitizer is ready to be called.
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(MARGIN_SANITIZED) &&                   \
    !defined(__clang__) && __GNUC__ >= 12
#define MARGIN_SIMD_CLONES 1
#define MARGIN_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define MARGIN_SIMD_LOOK __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define MARGIN_SIMD
#define MARGIN_SIMD_LOOK
#endif

#define MARGIN_INLINED [[gnu::always_inline]] inline

namespace margin {

/// The level that MARGIN_SIMD functions run at on this machine.
inline std::string_view simd_level() noexcept {
#ifdef MARGIN_SIMD_CLONES
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return "x86-64-v4";
    if (__builtin_cpu_supports("x86-64-v3"))
        return "x86-64-v3";
#endif
    return "default";
}

/// sum a_i b_i with a fixed number of accumulators: the same bits on every instruction set.
/// Requires b to be as long as a. Error at most about (n / width + 6) eps sum |a_i b_i|, width as below.
template <class T>
MARGIN_INLINED T dot_inlined(const T* a, const T* b, std::size_t n) noexcept {
    constexpr std::size_t width = 128 / sizeof(T); // two registers of AVX-512, four of AVX2: enough to hide the latency
    std::array<T, width> sums{};
    std::size_t i = 0;
    for (; i + width <= n; i += width)
        for (std::size_t j = 0; j < width; ++j)
            sums[j] += a[i + j] * b[i + j];
    for (std::size_t j = 0; i < n; ++i, ++j)
        sums[j] += a[i] * b[i];
    for (std::size_t half = width / 2; half > 0; half /= 2)
        for (std::size_t j = 0; j < half; ++j)
            sums[j] += sums[j + half];
    return sums[0];
}

MARGIN_SIMD inline double dot(std::span<const double> a, std::span<const double> b) noexcept {
    return dot_inlined(a.data(), b.data(), a.size());
}
MARGIN_SIMD inline float dot(std::span<const float> a, std::span<const float> b) noexcept {
    return dot_inlined(a.data(), b.data(), a.size());
}

} // namespace margin
