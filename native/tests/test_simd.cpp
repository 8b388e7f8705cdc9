// margin/core/simd.hpp: dot products against their definition, and the same bits from every instruction set.
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/core/simd.hpp"
#include <limits>

using namespace margin;

namespace {

template <class T>
std::vector<T> normals(std::size_t n, std::uint64_t task) {
    Stream stream(11, task);
    std::vector<T> values(n);
    for (auto& value : values)
        value = static_cast<T>(stream.normal());
    return values;
}

template <class T>
void compare_with_definition(std::size_t n) {
    const auto a = normals<T>(n, 2 * n), b = normals<T>(n, 2 * n + 1);
    long double exact = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
        exact += static_cast<long double>(a[i]) * b[i];
        size += std::abs(static_cast<long double>(a[i]) * b[i]);
    }
    const double bound =
        static_cast<double>(size) * static_cast<double>(n / 16 + 6) * std::numeric_limits<T>::epsilon();
    CHECK_NEAR(dot(std::span<const T>(a), std::span<const T>(b)), static_cast<double>(exact), bound);
    // Compiled here for the baseline, in dot for the machine: fixed accumulators make them equal to the last bit.
    CHECK(dot(std::span<const T>(a), std::span<const T>(b)) == dot_inlined(a.data(), b.data(), n));
}

} // namespace

TEST("a dot product by hand") {
    CHECK(dot(std::vector{1.0, 2.0, 3.0}, std::vector{4.0, 5.0, 6.0}) == 32.0);
    CHECK(dot(std::span<const float>(), std::span<const float>()) == 0.0f);
}

TEST("dot products of any length agree with the definition") {
    for (std::size_t n : {1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000, 4099}) {
        compare_with_definition<double>(n);
        compare_with_definition<float>(n);
    }
}

TEST("the level has a name that people know") {
    const auto level = simd_level();
    CHECK(level == "x86-64-v4" || level == "x86-64-v3" || level == "default");
#ifdef MARGIN_SIMD_CLONES
    CHECK((level == "default") == !__builtin_cpu_supports("avx2"));
#endif
}
