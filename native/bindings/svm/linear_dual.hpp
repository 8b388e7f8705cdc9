#pragma once
// One dual problem per score, shared out among the threads.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/svm/linear/linear_dual.hpp"

namespace margin::bindings {

/// Weights (scores × columns), intercepts, primal and dual objectives, passes, converged.
template <class Rows>
nb::tuple solve_duals(const Rows& rows, In<std::int32_t> y, In<double> bound, In<std::int32_t> target,
                      const svm::LinearDualSettings& settings, std::size_t n_threads) {
    const std::size_t n = y.size(), scores = target.size();
    std::vector<svm::LinearDualSolution> found(scores);
    with_monitor([&](Monitor& monitor) {
        const auto one = [&](std::size_t k, std::size_t, std::size_t) {
            std::vector<double> sign(n);
            for (std::size_t i = 0; i < n; ++i)
                sign[i] = y.data()[i] == target.data()[k] ? 1.0 : -1.0;
            found[k] =
                svm::solve_linear_dual(rows, std::span<const double>(sign), span(bound), settings, n_threads, monitor);
        };
        if (scores == 1)
            return one(0, 1, 0);
        parallel_for(scores, 1, n_threads, monitor, one);
    });
    std::vector<double> w, intercept, primal, dual;
    std::size_t passes = 0;
    bool converged = true;
    for (const auto& f : found) {
        w.insert(w.end(), f.w.begin(), f.w.end());
        intercept.push_back(f.intercept);
        primal.push_back(f.primal);
        dual.push_back(f.dual);
        passes = std::max(passes, f.passes);
        converged = converged && f.converged;
    }
    return nb::make_tuple(give(std::move(w), scores, rows.width()), give(std::move(intercept)), give(std::move(primal)),
                          give(std::move(dual)), passes, converged);
}

} // namespace margin::bindings
