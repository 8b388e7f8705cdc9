#pragma once
// The kernels: functions of the product of two rows and of their squared lengths. To add one, write a struct like those
// below and put it into the list at the end: sources, solvers, expansions, Python and model files read the list.
#include "margin/core/exponential.hpp"
#include "margin/core/one_of.hpp"
#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <string_view>

namespace margin::svm {

/// What a kernel may be set by; each reads those that it names.
struct KernelParameters {
    double gamma = 1;
    double coef0 = 0;
    double degree = 3;
};

/// A bound that no squared length keeps to.
inline constexpr double never = -1;

/// A member of the family.
///
///     name                what users call it
///     formula             what it is, for people
///     parameters          the names of the parameters that it reads
///     of_distance         whether it is a function of |x - z|^2 alone that vanishes far away: rows may then be moved
///                         and cut without changing a value, and k(x, x) is the same for all rows
///     positive_definite   whether it is the product of two rows in some space, for parameters of at least 0 and
///                         whole degrees
///     single_up_to        the largest squared length of a row (centred and scaled, of_distance) up to which float32
///                         values are as good as exact, within about 1e-6; `never` where that cannot be said
///     row_scale           what rows are multiplied by before their products are made (1 unless of_distance)
///     with_function<T>    calls run(f) with the function f(x'z, |x|^2 + |z|^2) = k(x, z) in T, of rows that were moved
///                         and scaled. What depends on the parameters alone is decided before, as f stands in a loop
///                         that is to be made of vectors. For equal rows |x|^2 + |z|^2 = 2 x'z to the last bit.
template <class K>
concept KernelFamilyMember = requires(const KernelParameters& parameters) {
    { K::name } -> std::convertible_to<std::string_view>;
    { K::formula } -> std::convertible_to<std::string_view>;
    { std::span<const std::string_view>(K::parameters) };
    { K::of_distance } -> std::convertible_to<bool>;
    { K::positive_definite } -> std::convertible_to<bool>;
    { K::single_up_to } -> std::convertible_to<double>;
    { K::row_scale(parameters) } -> std::same_as<double>;
    K::template with_function<float>(parameters, [](auto) {});
    K::template with_function<double>(parameters, [](auto) {});
};

namespace detail {

/// x^n by repeated squaring, always in the same order.
template <class T>
MARGIN_INLINED T whole_power(T x, unsigned n) noexcept {
    T power = n & 1 ? x : T(1);
    for (n >>= 1; n > 0; n >>= 1) {
        x *= x;
        if (n & 1)
            power *= x;
    }
    return power;
}

} // namespace detail

struct Linear {
    static constexpr std::string_view name = "linear";
    static constexpr std::string_view formula = "x·z";
    static constexpr std::span<const std::string_view> parameters{};
    static constexpr bool of_distance = false;
    static constexpr bool positive_definite = true;
    static constexpr double single_up_to = never;

    static double row_scale(const KernelParameters&) noexcept { return 1; }

    template <class T, class Run>
    MARGIN_INLINED static void with_function(const KernelParameters&, Run&& run) {
        run([](T xz, T) { return xz; });
    }
};

/// Undefined where the degree is no whole number and what it is taken of is negative.
struct Polynomial {
    static constexpr std::string_view name = "poly";
    static constexpr std::string_view formula = "(gamma x·z + coef0)^degree";
    static constexpr std::string_view parameters[] = {"gamma", "coef0", "degree"};
    static constexpr bool of_distance = false;
    static constexpr bool positive_definite = true;
    static constexpr double single_up_to = never;

    static double row_scale(const KernelParameters&) noexcept { return 1; }

    template <class T, class Run>
    MARGIN_INLINED static void with_function(const KernelParameters& p, Run&& run) {
        const T gamma = static_cast<T>(p.gamma), coef0 = static_cast<T>(p.coef0), degree = static_cast<T>(p.degree);
        if (p.degree >= 0 && p.degree <= 64 && p.degree == std::floor(p.degree))
            run([=, whole = static_cast<unsigned>(p.degree)](T xz, T) {
                return detail::whole_power(gamma * xz + coef0, whole);
            });
        else
            run([=](T xz, T) { return std::pow(gamma * xz + coef0, degree); });
    }
};

/// Rows are multiplied by the root of gamma beforehand: the exponent needs no gamma.
struct Rbf {
    static constexpr std::string_view name = "rbf";
    static constexpr std::string_view formula = "exp(-gamma |x - z|²)";
    static constexpr std::string_view parameters[] = {"gamma"};
    static constexpr bool of_distance = true;
    static constexpr bool positive_definite = true;
    static constexpr double single_up_to = 8; // exponents up to this have errors of about 1e-6 in float32

    static double row_scale(const KernelParameters& p) noexcept { return std::sqrt(p.gamma); }

    template <class T, class Run>
    MARGIN_INLINED static void with_function(const KernelParameters&, Run&& run) {
        run([](T xz, T squares) { return exp_of_minus(squares - 2 * xz); }); // exactly 1 for equal rows
    }
};

struct Sigmoid {
    static constexpr std::string_view name = "sigmoid";
    static constexpr std::string_view formula = "tanh(gamma x·z + coef0)";
    static constexpr std::string_view parameters[] = {"gamma", "coef0"};
    static constexpr bool of_distance = false;
    static constexpr bool positive_definite = false;
    static constexpr double single_up_to = never;

    static double row_scale(const KernelParameters&) noexcept { return 1; }

    template <class T, class Run>
    MARGIN_INLINED static void with_function(const KernelParameters& p, Run&& run) {
        const T gamma = static_cast<T>(p.gamma), coef0 = static_cast<T>(p.coef0);
        run([=](T xz, T) { return 1 - 2 / (exp_inlined(2 * (gamma * xz + coef0)) + 1); });
    }
};

using Kernels = OneOf<Linear, Polynomial, Rbf, Sigmoid>;

} // namespace margin::svm
