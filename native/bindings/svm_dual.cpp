// margin._core.svm: the dual problem.
#include "interrupt.hpp"
#include "margin/svm/dual.hpp"
#include "svm_source.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

nb::tuple solve(const KernelSource& source, In<std::uint32_t> rows, In<double> sign, In<double> upper, In<double> start,
                double tol, std::size_t max_steps, std::size_t cache_bytes, std::size_t n_threads) {
    auto found = source.with([&]<class T>(const svm::Source<T>& kernel) {
        return with_monitor([&](Monitor& monitor) {
            return svm::solve<T>(kernel, {span(rows), span(sign), span(upper), span(start)},
                                 {tol, max_steps, cache_bytes, n_threads}, monitor);
        });
    });
    return nb::make_tuple(give(std::move(found.alpha)), give(std::move(found.slope)), found.bias, found.objective,
                          found.violation, found.steps);
}

} // namespace

MARGIN_BINDINGS(svm) {
    svm.def("solve", &solve, "source"_a, "rows"_a.noconvert(), "sign"_a.noconvert(), "upper"_a.noconvert(),
            "start"_a.noconvert(), "tol"_a, "max_steps"_a, "cache_bytes"_a, "n_threads"_a,
            "alpha, slope, bias, objective, largest violation, steps.");
}
