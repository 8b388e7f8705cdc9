#pragma once
// Exponentials and logarithms without branches or tables, for loops that the compiler turns into vectors.
//
// libm's exp is called once for each number; these are a dozen products and sums that stand in the loop itself, so that
// a loop over an array in a MARGIN_SIMD function works on four or eight numbers at a time. Write plain loops:
//     for (std::size_t i = 0; i < n; ++i)
//         e[i] = exp_inlined(-std::abs(m[i]));
// Errors are measured against long double over the whole range (native/tests/core/test_exponential.cpp).
#include "simd.hpp"
#include <bit>
#include <cmath>
#include <cstdint>

namespace margin {

namespace detail {

/// 1.5 * 2^52: added to a number below 2^51, it leaves the nearest whole number in the last bits.
inline constexpr double whole_number = 6755399441055744.0;

/// c[0] + c[1] x + … by Horner's rule; the loop is unrolled.
template <class T, std::size_t Terms>
MARGIN_INLINED T polynomial(const T (&c)[Terms], T x) noexcept {
    T sum = c[Terms - 1];
#pragma GCC unroll 16
    for (std::size_t i = 1; i < Terms; ++i)
        sum = sum * x + c[Terms - 1 - i];
    return sum;
}

/// 2^k, given 1.5 * 2^52 + k with a whole number k from -1022 to 1023.
MARGIN_INLINED double power_of_two(double shifted) noexcept {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + 0x3ff0000000000000);
}

/// q of e^r = 1 + r + r^2 q(r) for |r| <= ln 2 / 2, by interpolation at Chebyshev's nodes.
inline constexpr double exp_terms[] = {0.5000000000000001,     0.16666666666666669,    0.04166666666662413,
                                       0.008333333333330062,   0.0013888888917213717,  0.00019841269863053618,
                                       2.4801521295954376e-05, 2.7557268459997064e-06, 2.7620088445409746e-07,
                                       2.510038549551032e-08};
inline constexpr float exp_terms_single[] = {0.5F, 0.16666576F, 0.041666556F, 0.008363179F, 0.0013926184F};

/// power_of_two for floats: 1.5 * 2^23 and whole numbers from -126 to 127.
inline constexpr float whole_number_single = 12582912.0F;
MARGIN_INLINED float power_of_two(float shifted) noexcept {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23) + 0x3f800000);
}

} // namespace detail

/// e^x within 1.5 units in the last place; 0 and infinity beyond the range of doubles, NaN for NaN.
/// With x = k ln 2 + r, |r| <= ln 2 / 2: 2^k (1 + r + r^2 q(r)).
MARGIN_INLINED double exp_inlined(double x) noexcept {
    constexpr double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34; // k ln2_high has no rounding
    // One comparison: two would be joined to branches, and the loop around them would stay without vectors.
    const double magnitude = std::abs(x);
    x = std::copysign(magnitude > 750 ? 750 : magnitude, x);
    const double k = x * 1.4426950408889634 + detail::whole_number - detail::whole_number;
    const double r = (x - k * ln2_high) - k * ln2_low;
    // 2^k in two factors, neither of which leaves the range: the product does where e^x does, without a comparison.
    const double first = k * 0.5 + detail::whole_number;
    const double second = k - (first - detail::whole_number) + detail::whole_number;
    return (1 + (r + r * r * detail::polynomial(detail::exp_terms, r))) * detail::power_of_two(first) *
           detail::power_of_two(second);
}

/// The same in float32: within 1.5 units in the last place; 0 and infinity beyond the range of floats, NaN for NaN.
MARGIN_INLINED float exp_inlined(float x) noexcept {
    constexpr float ln2_high = 0x1.62ep-1F, ln2_low = 0x1.0bfbe8p-15F; // k ln2_high has no rounding
    const float magnitude = std::abs(x);
    x = std::copysign(magnitude > 105 ? 105 : magnitude, x);
    const float k = x * 1.442695F + detail::whole_number_single - detail::whole_number_single;
    const float r = (x - k * ln2_high) - k * ln2_low;
    const float first = k * 0.5F + detail::whole_number_single;
    const float second = k - (first - detail::whole_number_single) + detail::whole_number_single;
    return (1 + (r + r * r * detail::polynomial(detail::exp_terms_single, r))) * detail::power_of_two(first) *
           detail::power_of_two(second);
}

/// e^-max(0, z) within 1.5 units in the last place, in fewer operations than exp_inlined has: values below twice the
/// smallest ordinary number may become 0. What is not above 0, NaN included, gives 1 exactly or NaN.
MARGIN_INLINED double exp_of_minus(double z) noexcept {
    constexpr double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;
    // A comparison by itself would be made a branch to the known value of its end: the sign has to stay open.
    const double magnitude = std::abs(z), most = magnitude > 709.2 ? 709.2 : magnitude; // 2^-1023 is written as 0
    z = -0.5 * (most + std::copysign(most, z));
    const double shifted = z * 1.4426950408889634 + detail::whole_number;
    const double k = shifted - detail::whole_number;
    const double r = (z - k * ln2_high) - k * ln2_low;
    return (1 + (r + r * r * detail::polynomial(detail::exp_terms, r))) * detail::power_of_two(shifted);
}
MARGIN_INLINED float exp_of_minus(float z) noexcept {
    constexpr float ln2_high = 0x1.62ep-1F, ln2_low = 0x1.0bfbe8p-15F;
    const float magnitude = std::abs(z), most = magnitude > 88 ? 88 : magnitude; // 2^-127
    z = -0.5F * (most + std::copysign(most, z));
    const float shifted = z * 1.442695F + detail::whole_number_single;
    const float k = shifted - detail::whole_number_single;
    const float r = (z - k * ln2_high) - k * ln2_low;
    return (1 + (r + r * r * detail::polynomial(detail::exp_terms_single, r))) * detail::power_of_two(shifted);
}

/// log(1 + e) for 0 <= e <= 1, within 2 units in the last place also where e is tiny.
/// log(1 + e) = 2 artanh(s) with s = e / (2 + e) <= 1/3. With e = exp(-|m|) it is what log(1 + exp(-m)) exceeds
/// max(0, -m) by.
MARGIN_INLINED double log1p_inlined(double e) noexcept {
    constexpr double c[] = {0.6666666666666666,  0.39999999999999525, 0.285714285716001,   0.2222222219823677,
                            0.18181819897962714, 0.1538454396486055,  0.13335178631449257, 0.11734279061303197,
                            0.10845178394880015, 0.07492143795550767, 0.1563057780092285};
    const double s = e / (2 + e);
    const double z = s * s;
    return 2 * s + s * z * detail::polynomial(c, z);
}

/// log(x) within 2 units in the last place, for ordinary x: positive, finite, at least 2^-1022.
/// x = 2^k m with m between sqrt(1/2) and sqrt(2); log m = 2 artanh((m - 1) / (m + 1)).
MARGIN_INLINED double log_inlined(double x) noexcept {
    constexpr double c[] = {0.6666666666666666,  0.4000000000000088,  0.2857142857080323,  0.2222222239180047,
                            0.18181795630884753, 0.15386240205813478, 0.13268759668560612, 0.13086767009948175};
    constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd, two_to_52 = 0x4330000000000000;
    constexpr double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t biased = (bits - root_half + (std::uint64_t{1023} << 52)) >> 52; // k + 1023
    const double k = std::bit_cast<double>(biased | two_to_52) - (0x1p52 + 1023);
    const double m = std::bit_cast<double>(bits - (biased << 52) + (std::uint64_t{1023} << 52));
    const double f = m - 1, s = f / (m + 1), z = s * s;
    // 2 s = f - s f: so written, the larger part of log m has no rounding.
    return k * ln2_high + (f - (s * (f - z * detail::polynomial(c, z)) - k * ln2_low));
}

} // namespace margin
