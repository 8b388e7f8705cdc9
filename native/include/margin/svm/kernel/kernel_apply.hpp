#pragma once
// Kernel functions of whole tiles of products, while these are in the cache.
#include "kernel.hpp"
#include "margin/core/exponential.hpp"
#include <cstddef>
#include <limits>

namespace margin::svm {

/// A tile of products: xz[r * stride + c] is the product of row r with column c, xx and zz their squared lengths.
/// Rows of an RBF kernel were multiplied by the root of gamma beforehand (scale_of): the exponent needs no gamma.
template <class T>
struct Products {
    const T* xz;
    std::size_t stride;
    const T* xx; // one for each row
    const T* zz; // one for each column
    std::size_t rows, columns;
};

/// Cells of rows as products need them, in T: those of an RBF kernel times the root of gamma, and cut where squares
/// would leave the range of T; there such a row is infinitely far from all others either way.
template <class T>
class Placing {
public:
    explicit Placing(const Kernel& kernel)
        : scale_(kernel.kind == Kind::rbf ? std::sqrt(kernel.gamma) : 1.0),
          largest_(kernel.kind == Kind::rbf ? (sizeof(T) == 4 ? 1e15 : 1e150)
                                            : std::numeric_limits<double>::infinity()) {}

    T operator()(double cell) const noexcept {
        return static_cast<T>(std::min(std::max(cell * scale_, -largest_), largest_));
    }

private:
    double scale_, largest_;
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

template <class T, class Function>
MARGIN_INLINED void for_each_product(const Products<T>& of, T* __restrict out, std::size_t stride, Function f) {
    for (std::size_t r = 0; r < of.rows; ++r) {
        const T* __restrict xz = of.xz + r * of.stride;
        const T* __restrict zz = of.zz;
        T* __restrict to = out + r * stride;
        const T xx = of.xx[r];
        for (std::size_t c = 0; c < of.columns; ++c)
            to[c] = f(xz[c], xx + zz[c]);
    }
}

template <class T>
MARGIN_INLINED void apply(const Kernel& kernel, const Products<T>& of, T* out, std::size_t stride) {
    const T gamma = static_cast<T>(kernel.gamma), coef0 = static_cast<T>(kernel.coef0);
    if (kernel.kind == Kind::linear) {
        for_each_product(of, out, stride, [](T xz, T) { return xz; });
    } else if (kernel.kind == Kind::rbf) {
        // Equal rows have equal sums, so that the difference is 0 and the value 1 to the last bit.
        for_each_product(of, out, stride, [](T xz, T both) { return exp_of_minus(both - 2 * xz); });
    } else if (kernel.kind == Kind::sigmoid) {
        for_each_product(of, out, stride, [=](T xz, T) { return 1 - 2 / (exp_inlined(2 * (gamma * xz + coef0)) + 1); });
    } else if (const auto whole = static_cast<unsigned>(kernel.degree); whole == kernel.degree && whole <= 64) {
        for_each_product(of, out, stride, [=](T xz, T) { return whole_power(gamma * xz + coef0, whole); });
    } else {
        for_each_product(of, out, stride, [=, degree = static_cast<T>(kernel.degree)](T xz, T) {
            return std::pow(gamma * xz + coef0, degree);
        });
    }
}

} // namespace detail

/// out[r * stride + c] = k(row r, column c). Values do not change if a row and a column change places.
MARGIN_SIMD inline void apply_kernel(const Kernel& kernel, const Products<float>& of, float* out, std::size_t stride) {
    detail::apply(kernel, of, out, stride);
}
MARGIN_SIMD inline void apply_kernel(const Kernel& kernel, const Products<double>& of, double* out,
                                     std::size_t stride) {
    detail::apply(kernel, of, out, stride);
}

} // namespace margin::svm
