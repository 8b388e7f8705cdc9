// margin._core.svm: Crammer and Singer's machine for several classes.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/svm/linear/crammer_singer.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

/// Weights (classes × columns), intercepts, primal and dual objective, passes, converged.
template <class Rows>
nb::tuple solve(const Rows& rows, In<std::int32_t> y, In<double> bound, std::size_t classes,
                const svm::CrammerSingerSettings& settings) {
    auto found = with_monitor([&](Monitor& monitor) {
        return svm::solve_crammer_singer(rows, span(y), span(bound), classes, settings, monitor);
    });
    return nb::make_tuple(give(std::move(found.w), classes, rows.width()), give(std::move(found.intercept)),
                          found.primal, found.dual, found.passes, found.converged);
}

} // namespace

MARGIN_BINDINGS(svm) {
    const auto y = "y"_a.noconvert(), bound = "bound"_a.noconvert();
    for_each_type<double, float>([&]<class T> {
        svm.def(
            "crammer_singer_csr",
            [](In<T> a, const Places& b, const Places& c, std::size_t d, In<std::int32_t> labels, In<double> upper,
               std::size_t classes, bool intercept, double tol, std::size_t passes, std::uint64_t seed) {
                return solve(svm::StoredRows<T, std::int32_t>{csr(a, b, c, d)}, labels, upper, classes,
                             {intercept, tol, passes, seed});
            },
            "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_columns"_a, y, bound, "classes"_a,
            "intercept"_a, "tol"_a, "max_passes"_a, "seed"_a);
    });
    for_each_type<double, float>([&]<class T> {
        svm.def(
            "crammer_singer",
            [](InMatrix<T> x, In<std::int32_t> labels, In<double> upper, std::size_t classes, bool intercept,
               double tol, std::size_t passes, std::uint64_t seed) {
                return solve(svm::WholeRows<T>(x.data(), x.shape(0), x.shape(1)), labels, upper, classes,
                             {intercept, tol, passes, seed});
            },
            "x"_a.noconvert(), y, bound, "classes"_a, "intercept"_a, "tol"_a, "max_passes"_a, "seed"_a);
    });
}
