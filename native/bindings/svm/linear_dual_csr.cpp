// margin._core.svm: coordinate descent on the dual of linear support vector machines, sparse rows.
#include "linear_dual.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(svm) {
    for_each_type<double, float>([&]<class T> {
        svm.def(
            "linear_dual_csr",
            [](In<T> a, const Places& b, const Places& c, std::size_t d, In<std::int32_t> y, In<double> bound,
               In<std::int32_t> target, bool squared, bool intercept, double tol, std::size_t passes,
               std::uint64_t seed, std::size_t n) {
                return hinge_duals(svm::StoredRows<T, std::int32_t>{csr(a, b, c, d)}, y, bound, target, squared,
                                   {intercept, tol, passes, seed}, n);
            },
            "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_columns"_a, "y"_a.noconvert(),
            "bound"_a.noconvert(), "target"_a.noconvert(), "squared"_a, "intercept"_a, "tol"_a, "max_passes"_a,
            "seed"_a, "n_threads"_a);
        svm.def(
            "tube_dual_csr",
            [](In<T> a, const Places& b, const Places& c, std::size_t d, In<double> y, In<double> bound, double tube,
               bool squared, bool intercept, double tol, std::size_t passes, std::uint64_t seed, std::size_t n) {
                return tube_dual(svm::StoredRows<T, std::int32_t>{csr(a, b, c, d)}, y, bound, tube, squared,
                                 {intercept, tol, passes, seed}, n);
            },
            "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_columns"_a, "y"_a.noconvert(),
            "bound"_a.noconvert(), "tube"_a, "squared"_a, "intercept"_a, "tol"_a, "max_passes"_a, "seed"_a,
            "n_threads"_a);
    });
}
