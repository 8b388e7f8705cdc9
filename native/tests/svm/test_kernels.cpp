// margin/svm/kernel/kernel.hpp: every kernel of the family, and one more, from rows to a solved machine.
#include "check.hpp"
#include "margin/svm/dual/dual.hpp"
#include "margin/svm/kernel/csr_source.hpp"
#include "margin/svm/kernel/dense_source.hpp"
#include "margin/svm/kernel/matrix_source.hpp"
#include "svm/rows.hpp"

using namespace margin;
using namespace tests;

namespace {

constexpr std::size_t n = 80, d = 3;

/// What the solver makes of a source, with signs that no plane tells apart.
template <class T>
svm::DualSolution solved(const svm::Source<T>& source) {
    const auto rows = every(n);
    std::vector<double> sign(n), lower(n), upper(n);
    for (std::size_t i = 0; i < n; ++i) {
        sign[i] = i % 3 == 0 || i % 7 == 1 ? 1 : -1;
        (sign[i] > 0 ? upper : lower)[i] = 2 * sign[i];
    }
    Monitor monitor;
    return svm::solve<T>(source, {rows, sign, lower, upper, {}}, {1e-6, svm::infinity, 1'000'000, 1 << 20, 1}, monitor);
}

template <class K>
void check_traits() {
    static_assert(svm::KernelFamilyMember<K>);
    const svm::KernelParameters parameters{0.2, 1, 2};
    const auto x = some_rows(40, d);
    const KernelCase kernel(K::name, parameters);
    const auto source = svm::DenseSource<double>(rows_of(x), kernel.made);
    std::vector<double> diagonal(40);
    source.diagonal(diagonal.data());
    CHECK(kernel.made.of_distance() == K::of_distance);
    CHECK(K::of_distance || kernel.made.row_scale() == 1);
    for (std::size_t i = 0; i < 40; ++i)
        CHECK(std::isfinite(diagonal[i]) && (!K::of_distance || diagonal[i] == diagonal[0]));
    if (K::single_up_to >= 0) { // rows in a ball of so large a radius
        auto near = some_rows(40, d);
        for (std::size_t i = 0; i < near.size(); ++i)
            near.data()[i] = (near.data()[i] - 3) * std::sqrt(K::single_up_to / d / 0.2);
        const auto single = block(svm::DenseSource<float>(rows_of(near), kernel.made), every(40), every(40));
        for (std::size_t i = 0; i < 40 * 40; ++i)
            CHECK_NEAR(static_cast<double>(single[i]), definition(near, i / 40, i % 40, kernel), 2e-6);
    }
}

} // namespace

TEST("what a kernel says of itself is so") {
    for (const auto name : OneMore::names())
        OneMore::visit(name, []<class K>() { check_traits<K>(); });
}

TEST("the solver ends at the same machine for rows, stored rows and a matrix of values by definition") {
    const auto x = some_rows(n, d);
    for (const KernelCase& kernel : kernels()) {
        if (!OneMore::visit(kernel.name, []<class K>() { return K::positive_definite; }) ||
            (kernel.name == "poly" && kernel.parameters.coef0 < 0))
            continue; // a problem that is not convex has several ends
        Matrix<double> values(n, n);
        for (std::size_t i = 0; i < n * n; ++i)
            values.data()[i] = definition(x, i / n, i % n, kernel);
        const auto truth = solved<double>(svm::MatrixSource<double>(rows_of(values)));
        CHECK(truth.violation <= 1e-6);
        for (const auto& found : {solved<double>(svm::DenseSource<double>(rows_of(x), kernel.made)),
                                  solved<double>(svm::CsrSource<double>(Stored(x).view(), kernel.made))}) {
            CHECK(found.violation <= 1e-6);
            CHECK_NEAR(found.objective, truth.objective, 1e-6 * std::abs(truth.objective));
            CHECK_NEAR(found.bias[0], truth.bias[0], 1e-4);
        }
    }
}

TEST("a name that the family does not have is refused with the names that it has") {
    std::string message;
    try {
        svm::Kernel::named("inverse_multiquadric");
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    CHECK(message == "'inverse_multiquadric' is not one of 'linear', 'poly', 'rbf', 'sigmoid'");
}
