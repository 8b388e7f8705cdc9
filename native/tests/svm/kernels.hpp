#pragma once
// The family of kernels with one more member, and a slow definition of each.
#include "margin/svm/kernel/kernel_apply.hpp"
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests {

/// 1 / sqrt(c + |x - z|^2): a kernel that someone might add. The tests of sources, solver and expansions show that a
/// struct and a place in a list are all that it takes.
struct InverseMultiquadric {
    static constexpr std::string_view name = "inverse_multiquadric";
    static constexpr std::string_view formula = "(coef0 + |x - z|²)^-½";
    static constexpr std::string_view parameters[] = {"coef0"};
    static constexpr bool of_distance = true;
    static constexpr bool positive_definite = true;
    static constexpr double single_up_to = margin::svm::never;

    static double row_scale(const margin::svm::KernelParameters&) noexcept { return 1; }

    template <class T, class Run>
    MARGIN_INLINED static void with_function(const margin::svm::KernelParameters& p, Run&& run) {
        const T offset = static_cast<T>(std::abs(p.coef0)); // whatever the tests set others to
        run([=](T xz, T squares) { return 1 / std::sqrt(offset + std::max(T(0), squares - 2 * xz)); });
    }
};

template <class... Ts, class More>
margin::OneOf<Ts..., More> with(margin::OneOf<Ts...>, More);

using OneMore = decltype(with(margin::svm::Kernels{}, InverseMultiquadric{}));

struct KernelCase {
    std::string_view name;
    margin::svm::KernelParameters parameters;
    margin::svm::Kernel made;

    KernelCase(std::string_view name_, const margin::svm::KernelParameters& parameters_)
        : name(name_), parameters(parameters_), made(margin::svm::Kernel::named<OneMore>(name_, parameters_)) {}
};

/// Every kernel with several settings.
inline std::vector<KernelCase> kernels() {
    std::vector<KernelCase> all;
    for (const auto name : OneMore::names())
        for (const margin::svm::KernelParameters& parameters :
             {margin::svm::KernelParameters{0.1, 1, 3}, {0.3, 0.5, 1.5}, {0.01, -0.2, 2}})
            all.emplace_back(name, parameters);
    return all;
}

/// k(x, z) out of x'z and |x - z|^2, as it is written down. A kernel that is added needs a line here.
inline double definition(const KernelCase& kernel, double xz, double distance) {
    const auto& [gamma, coef0, degree] = kernel.parameters;
    if (kernel.name == "linear")
        return xz;
    if (kernel.name == "poly")
        return std::pow(gamma * xz + coef0, degree);
    if (kernel.name == "rbf")
        return std::exp(-gamma * distance);
    if (kernel.name == "sigmoid")
        return std::tanh(gamma * xz + coef0);
    if (kernel.name == "inverse_multiquadric")
        return 1 / std::sqrt(std::abs(coef0) + distance);
    throw std::logic_error("no test knows what the kernel " + std::string(kernel.name) + " is");
}

} // namespace tests
