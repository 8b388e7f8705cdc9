// margin._core.svm: coordinate descent on the dual of linear support vector machines, dense rows.
#include "linear_dual.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(svm) {
    for_each_type<double, float>([&]<class T> {
        svm.def(
            "linear_dual",
            [](InMatrix<T> x, In<std::int32_t> y, In<double> bound, In<std::int32_t> target, bool squared,
               bool intercept, double tol, std::size_t passes, std::uint64_t seed, std::size_t n) {
                return hinge_duals(svm::WholeRows<T>(x.data(), x.shape(0), x.shape(1)), y, bound, target, squared,
                                   {intercept, tol, passes, seed}, n);
            },
            "x"_a.noconvert(), "y"_a.noconvert(), "bound"_a.noconvert(), "target"_a.noconvert(), "squared"_a,
            "intercept"_a, "tol"_a, "max_passes"_a, "seed"_a, "n_threads"_a);
        svm.def(
            "tube_dual",
            [](InMatrix<T> x, In<double> y, In<double> bound, double tube, bool squared, bool intercept, double tol,
               std::size_t passes, std::uint64_t seed, std::size_t n) {
                return tube_dual(svm::WholeRows<T>(x.data(), x.shape(0), x.shape(1)), y, bound, tube, squared,
                                 {intercept, tol, passes, seed}, n);
            },
            "x"_a.noconvert(), "y"_a.noconvert(), "bound"_a.noconvert(), "tube"_a, "squared"_a, "intercept"_a, "tol"_a,
            "max_passes"_a, "seed"_a, "n_threads"_a);
    });
}
