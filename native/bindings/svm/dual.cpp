// margin._core.svm: the dual problem.
#include "margin/svm/dual/dual.hpp"
#include "bindings/interrupt.hpp"
#include "source.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

namespace {

svm::Sum sum_named(std::string_view name) {
    if (name == "zero")
        return svm::Sum::zero;
    return name == "kept" ? svm::Sum::kept : svm::Sum::kept_apart;
}

/// Problem p has the rows from bounds[p] to bounds[p + 1]; `start` is empty or as long as the rows. The tube, what sums
/// come to and the unit are those of all problems.
nb::tuple solve_all(const KernelSource& source, In<std::uint32_t> rows, In<double> target, In<double> lower,
                    In<double> upper, In<double> start, In<std::int64_t> bounds, double tube, std::string_view sum,
                    double unit, double tol, double gap_tol, std::size_t max_steps, std::size_t cache_bytes,
                    std::size_t n_threads) {
    std::vector<svm::DualProblem> problems;
    for (std::size_t p = 0; p + 1 < bounds.size(); ++p) {
        const auto first = static_cast<std::size_t>(bounds.data()[p]);
        const std::size_t n = static_cast<std::size_t>(bounds.data()[p + 1]) - first;
        problems.push_back({span(rows).subspan(first, n), span(target).subspan(first, n), span(lower).subspan(first, n),
                            span(upper).subspan(first, n),
                            start.size() == 0 ? span(start) : span(start).subspan(first, n), tube, sum_named(sum),
                            unit});
    }
    const svm::DualSettings settings{tol, gap_tol, max_steps, cache_bytes, n_threads};
    const auto found = source.with([&]<class T>(const svm::Source<T>& kernel) {
        return with_monitor([&](Monitor& monitor) { return svm::solve_all<T>(kernel, problems, settings, monitor); });
    });
    std::vector<double> b, residual, numbers;
    for (const auto& one : found) {
        b.insert(b.end(), one.b.begin(), one.b.end());
        residual.insert(residual.end(), one.residual.begin(), one.residual.end());
        numbers.insert(numbers.end(), {one.bias[0], one.bias[1], one.objective, one.violation, one.primal, one.gap,
                                       static_cast<double>(one.steps), one.unbounded ? 1.0 : 0.0});
    }
    return nb::make_tuple(give(std::move(b)), give(std::move(residual)), give(std::move(numbers), found.size(), 8));
}

} // namespace

MARGIN_BINDINGS(svm) {
    svm.def("solve_all", &solve_all, "source"_a, "rows"_a.noconvert(), "target"_a.noconvert(), "lower"_a.noconvert(),
            "upper"_a.noconvert(), "start"_a.noconvert(), "bounds"_a.noconvert(), "tube"_a, "sum"_a, "unit"_a, "tol"_a,
            "gap_tol"_a, "max_steps"_a, "cache_bytes"_a, "n_threads"_a,
            "b and residuals of all problems, one after another; two biases, objective, violation, primal, gap, steps "
            "and whether it has no end, a row for each problem.");
}
