#pragma once
// How a gradient moves the weights: one pass over them, everything that belongs to a step in it.
//
// The gradient of a batch is g = (sum + penalty w) scale, where sum is that over its rows. Each member says what becomes
// of one weight w; `first` and `second` are what it remembers of it. Names and formulas are those of scikit-learn (sgd,
// nesterov, adam) and of PyTorch (adamw, rmsprop, adagrad).
#include "margin/core/one_of.hpp"
#include "panels.hpp"
#include <cmath>
#include <cstddef>
#include <string_view>

namespace margin::deep {

template <class T>
struct Step {
    T rate, scale, penalty, momentum, beta_1, beta_2, epsilon, decay;
    T unbias_1, unbias_2; // 1 - beta^t
    T corrected;          // the rate with both of them in it
};

struct Momentum {
    static constexpr std::string_view name = "sgd";
    template <class T>
    MARGIN_INLINED static void move(T& w, T g, T& first, T&, const Step<T>& s) {
        first = s.momentum * first - s.rate * g;
        w += first;
    }
};

/// The gradient is that of where momentum leads.
struct Nesterov {
    static constexpr std::string_view name = "nesterov";
    template <class T>
    MARGIN_INLINED static void move(T& w, T g, T& first, T&, const Step<T>& s) {
        first = s.momentum * first - s.rate * g;
        w += s.momentum * first - s.rate * g;
    }
};

/// Kingma, Ba (2015).
struct Adam {
    static constexpr std::string_view name = "adam";
    template <class T>
    MARGIN_INLINED static void move(T& w, T g, T& first, T& second, const Step<T>& s) {
        first = s.beta_1 * first + (1 - s.beta_1) * g;
        second = s.beta_2 * second + (1 - s.beta_2) * (g * g);
        w -= s.corrected * first / (std::sqrt(second) + s.epsilon);
    }
};

/// Weights decay by themselves, not through the gradient. Loshchilov, Hutter (2019).
struct AdamW {
    static constexpr std::string_view name = "adamw";
    template <class T>
    MARGIN_INLINED static void move(T& w, T g, T& first, T& second, const Step<T>& s) {
        w *= 1 - s.rate * s.decay;
        first = s.beta_1 * first + (1 - s.beta_1) * g;
        second = s.beta_2 * second + (1 - s.beta_2) * (g * g);
        w -= s.rate / s.unbias_1 * first / (std::sqrt(second / s.unbias_2) + s.epsilon);
    }
};

/// Tieleman, Hinton (2012).
struct RmsProp {
    static constexpr std::string_view name = "rmsprop";
    template <class T>
    MARGIN_INLINED static void move(T& w, T g, T&, T& second, const Step<T>& s) {
        second = s.beta_2 * second + (1 - s.beta_2) * (g * g);
        w -= s.rate * g / (std::sqrt(second) + s.epsilon);
    }
};

/// Duchi, Hazan, Singer (2011).
struct Adagrad {
    static constexpr std::string_view name = "adagrad";
    template <class T>
    MARGIN_INLINED static void move(T& w, T g, T&, T& second, const Step<T>& s) {
        second += g * g;
        w -= s.rate * g / (std::sqrt(second) + s.epsilon);
    }
};

using Optimizers = OneOf<Momentum, Nesterov, Adam, AdamW, RmsProp, Adagrad>;

/// Squared lengths: of the gradient before the step, and of the weights after it.
struct Lengths {
    double gradient = 0, weights = 0;
};

/// A step of n weights, n a multiple of a panel's width.
template <class Optimizer, class T>
MARGIN_SIMD Lengths step(std::size_t n, T* w, const T* sum, T* first, T* second, const Step<T>& s) {
    constexpr std::size_t P = panel<T>;
    const Step<T> now = s; // the compiler then knows that no weight is one of its numbers
    T of_gradient[P] = {}, of_weights[P] = {};
    for (std::size_t i = 0; i < n; i += P)
        for (std::size_t j = 0; j < P; ++j) {
            const T g = (sum[i + j] + now.penalty * w[i + j]) * now.scale;
            of_gradient[j] += g * g;
            Optimizer::move(w[i + j], g, first[i + j], second[i + j], now);
            of_weights[j] += w[i + j] * w[i + j];
        }
    Lengths found;
    for (std::size_t j = 0; j < P; ++j) {
        found.gradient += static_cast<double>(of_gradient[j]);
        found.weights += static_cast<double>(of_weights[j]);
    }
    return found;
}

/// The squared length of a gradient that moves nothing.
template <class T>
MARGIN_SIMD double gradient_length(std::size_t n, const T* w, const T* sum, T penalty, T scale) {
    constexpr std::size_t P = panel<T>;
    T squares[P] = {};
    for (std::size_t i = 0; i < n; i += P)
        for (std::size_t j = 0; j < P; ++j) {
            const T g = (sum[i + j] + penalty * w[i + j]) * scale;
            squares[j] += g * g;
        }
    double found = 0;
    for (std::size_t j = 0; j < P; ++j)
        found += static_cast<double>(squares[j]);
    return found;
}

template <class T>
using StepFunction = Lengths (*)(std::size_t, T*, const T*, T*, T*, const Step<T>&);

template <class T>
StepFunction<T> step_function(std::string_view name) {
    return Optimizers::visit(name, []<class O>() -> StepFunction<T> { return &deep::step<O, T>; });
}

} // namespace margin::deep
