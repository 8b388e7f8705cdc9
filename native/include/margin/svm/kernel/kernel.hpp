#pragma once
// The kernels: functions of the product of two rows and of their squared lengths.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace margin::svm {

enum class Kind : std::uint8_t { linear, polynomial, rbf, sigmoid };

struct Kernel {
    Kind kind = Kind::rbf;
    double gamma = 1;  // all but linear
    double coef0 = 0;  // polynomial and sigmoid
    double degree = 3; // polynomial

    /// k(x, z) out of x'z, x'x and z'z.
    double operator()(double xz, double xx, double zz) const noexcept {
        switch (kind) {
        case Kind::linear:
            return xz;
        case Kind::polynomial:
            return std::pow(gamma * xz + coef0, degree);
        case Kind::rbf:
            return std::exp(-gamma * std::max(0.0, xx + zz - 2 * xz));
        default:
            return std::tanh(gamma * xz + coef0);
        }
    }
};

/// The kind of a name as users write it.
inline Kind kind_of(std::string_view name) {
    if (name == "linear")
        return Kind::linear;
    if (name == "poly")
        return Kind::polynomial;
    if (name == "rbf")
        return Kind::rbf;
    if (name == "sigmoid")
        return Kind::sigmoid;
    throw std::invalid_argument("no kernel is called " + std::string(name));
}

} // namespace margin::svm
