#pragma once
// One dual problem per score, shared out among the threads.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/svm/linear/linear_dual.hpp"

namespace margin::bindings {

/// Weights (scores × columns), intercepts, primal and dual objectives, passes, converged. `target_of(k)` are the
/// targets of the rows in score k.
template <class Rows, class Loss, class TargetOf>
nb::tuple solve_duals(const Rows& rows, const Loss& loss, std::size_t scores, TargetOf&& target_of, In<double> bound,
                      const svm::LinearDualSettings& settings, std::size_t n_threads) {
    std::vector<svm::LinearDualSolution> found(scores);
    with_monitor([&](Monitor& monitor) {
        const auto one = [&](std::size_t k, std::size_t, std::size_t) {
            const std::vector<double> target = target_of(k);
            found[k] = svm::solve_linear_dual(rows, loss, std::span<const double>(target), span(bound), settings,
                                              n_threads, monitor);
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

/// A problem for each class, told from all others.
template <class Rows>
nb::tuple hinge_duals(const Rows& rows, In<std::int32_t> y, In<double> bound, In<std::int32_t> target, bool squared,
                      const svm::LinearDualSettings& settings, std::size_t n_threads) {
    const auto signs = [&](std::size_t k) {
        std::vector<double> sign(y.size());
        for (std::size_t i = 0; i < sign.size(); ++i)
            sign[i] = y.data()[i] == target.data()[k] ? 1.0 : -1.0;
        return sign;
    };
    return solve_duals(rows, svm::HingeDual{squared}, target.size(), signs, bound, settings, n_threads);
}

/// One problem of a quantity.
template <class Rows>
nb::tuple tube_dual(const Rows& rows, In<double> y, In<double> bound, double tube, bool squared,
                    const svm::LinearDualSettings& settings, std::size_t n_threads) {
    const auto targets = [&](std::size_t) { return std::vector<double>(y.data(), y.data() + y.size()); };
    return solve_duals(rows, svm::TubeDual{squared, tube}, 1, targets, bound, settings, n_threads);
}

} // namespace margin::bindings
