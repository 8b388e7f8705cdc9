#pragma once
// The functions between layers, and their slopes.
//
// A member says what becomes of a number, and the slope out of what became of it (and, for GELU, out of the number
// itself). The list at the end is all there is to add to.
#include "margin/core/exponential.hpp"
#include "margin/core/one_of.hpp"
#include <cmath>
#include <cstddef>
#include <string_view>

namespace margin::deep {

/// e^-z - 1 for z >= 0, to the last digits also where z is tiny: with e^r = 1 + r + r^2 q(r), as in exponential.hpp.
MARGIN_INLINED double expm1_of_minus(double z) noexcept {
    constexpr double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;
    const double magnitude = std::abs(z), most = magnitude > 700 ? 700 : magnitude;
    const double shifted = most * -1.4426950408889634 + margin::detail::whole_number;
    const double k = shifted - margin::detail::whole_number;
    const double r = (-most - k * ln2_high) - k * ln2_low;
    const double p = r + r * r * margin::detail::polynomial(margin::detail::exp_terms, r);
    const double power = margin::detail::power_of_two(shifted);
    return power * p + (power - 1);
}
MARGIN_INLINED float expm1_of_minus(float z) noexcept {
    constexpr float ln2_high = 0x1.62ep-1F, ln2_low = 0x1.0bfbe8p-15F;
    const float magnitude = std::abs(z), most = magnitude > 80 ? 80 : magnitude;
    const float shifted = most * -1.442695F + margin::detail::whole_number_single;
    const float k = shifted - margin::detail::whole_number_single;
    const float r = (-most - k * ln2_high) - k * ln2_low;
    const float p = r + r * r * margin::detail::polynomial(margin::detail::exp_terms_single, r);
    const float power = margin::detail::power_of_two(shifted);
    return power * p + (power - 1);
}

/// 1 / (1 + e^-x).
template <class T>
MARGIN_INLINED T sigmoid(T x) noexcept {
    const T e = exp_of_minus(std::abs(x)), more = 1 / (1 + e);
    return x > 0 ? more : e * more;
}

struct Identity {
    static constexpr std::string_view name = "identity";
    static constexpr bool of_input = false;
    template <class T>
    MARGIN_INLINED static T value(T x) noexcept {
        return x;
    }
    template <class T>
    MARGIN_INLINED static T slope(T) noexcept {
        return 1;
    }
};

struct Logistic {
    static constexpr std::string_view name = "logistic";
    static constexpr bool of_input = false;
    template <class T>
    MARGIN_INLINED static T value(T x) noexcept {
        return sigmoid(x);
    }
    template <class T>
    MARGIN_INLINED static T slope(T y) noexcept {
        return y * (1 - y);
    }
};

struct Tanh {
    static constexpr std::string_view name = "tanh";
    static constexpr bool of_input = false;
    template <class T>
    MARGIN_INLINED static T value(T x) noexcept {
        const T u = expm1_of_minus(2 * std::abs(x));
        return std::copysign(-u / (2 + u), x);
    }
    template <class T>
    MARGIN_INLINED static T slope(T y) noexcept {
        return 1 - y * y;
    }
};

struct Relu {
    static constexpr std::string_view name = "relu";
    static constexpr bool of_input = false;
    template <class T>
    MARGIN_INLINED static T value(T x) noexcept {
        return x > 0 ? x : 0;
    }
    template <class T>
    MARGIN_INLINED static T slope(T y) noexcept {
        return y > 0 ? T(1) : T(0);
    }
};

/// Numbers below 0 count a hundredth.
struct LeakyRelu {
    static constexpr std::string_view name = "leaky_relu";
    static constexpr bool of_input = false;
    template <class T>
    MARGIN_INLINED static T value(T x) noexcept {
        return x > 0 ? x : T(0.01) * x;
    }
    template <class T>
    MARGIN_INLINED static T slope(T y) noexcept {
        return y > 0 ? T(1) : T(0.01);
    }
};

struct Elu {
    static constexpr std::string_view name = "elu";
    static constexpr bool of_input = false;
    template <class T>
    MARGIN_INLINED static T value(T x) noexcept {
        return x > 0 ? x : expm1_of_minus(x);
    }
    template <class T>
    MARGIN_INLINED static T slope(T y) noexcept {
        return y > 0 ? T(1) : y + 1;
    }
};

struct Softplus {
    static constexpr std::string_view name = "softplus";
    static constexpr bool of_input = false;
    template <class T>
    MARGIN_INLINED static T value(T x) noexcept {
        const double z = x;
        return static_cast<T>(log1p_inlined(exp_of_minus(std::abs(z))) + (z > 0 ? z : 0));
    }
    template <class T>
    MARGIN_INLINED static T slope(T y) noexcept { // 1 - e^-y
        return -expm1_of_minus(y);
    }
};

/// x times the share of a normal distribution below it.
struct Gelu {
    static constexpr std::string_view name = "gelu";
    static constexpr bool of_input = true; // the value does not tell the slope
    template <class T>
    static T value(T x) noexcept {
        return x * share(x);
    }
    template <class T>
    static T slope(T x) noexcept {
        const double z = x;
        return static_cast<T>(share(z) + z * 0.3989422804014327 * std::exp(-0.5 * z * z));
    }

private:
    template <class T>
    static T share(T x) noexcept {
        return static_cast<T>(0.5 * std::erfc(-static_cast<double>(x) * 0.7071067811865476));
    }
};

using Activations = OneOf<Identity, Logistic, Tanh, Relu, LeakyRelu, Elu, Gelu, Softplus>;

/// Values in place of numbers.
template <class Activation, class T>
MARGIN_SIMD void activate(T* z, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        z[i] = Activation::value(z[i]);
}

/// Values in place of numbers, their slopes beside them.
template <class Activation, class T>
MARGIN_SIMD void activate_and_slope(T* z, T* slope, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const T value = Activation::value(z[i]);
        slope[i] = Activation::slope(Activation::of_input ? z[i] : value);
        z[i] = value;
    }
}

/// error *= slope, out of values.
template <class Activation, class T>
MARGIN_SIMD void times_slope(const T* value, T* error, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        error[i] *= Activation::slope(value[i]);
}

/// One member, chosen by name once.
template <class T>
struct ActivationOf {
    void (*activate)(T*, std::size_t);
    void (*activate_and_slope)(T*, T*, std::size_t);
    void (*times_slope)(const T*, T*, std::size_t);
    bool of_input;
    bool keeps_zero; // so that what fills up a panel stays as it is

    static ActivationOf named(std::string_view name) {
        return Activations::visit(name, []<class A>() {
            return ActivationOf{&deep::activate<A, T>, &deep::activate_and_slope<A, T>, &deep::times_slope<A, T>,
                                A::of_input, A::value(T(0)) == 0};
        });
    }
};

} // namespace margin::deep
