#pragma once
// What the bindings of sub-gradient descent share: settings and scores as they come from Python.
#include "bindings/linear/online.hpp"
#include "margin/svm/pegasos/step.hpp"

namespace margin::bindings {

struct PegasosSettings {
    double lambda, eta;
    std::size_t batch;
    bool intercept;
    double average_from;
    bool rising;

    svm::PegasosPass pass(In<std::int32_t> y, In<double> weight, In<double> squares, Visited order, double late) const {
        return {visits_of(order, y.size()),
                y.data(),
                optional(weight),
                optional(squares),
                lambda,
                eta,
                late,
                batch,
                intercept,
                average_from,
                rising};
    }
};

/// b, contraction, sigma, sum of b, number averaged: one row each.
inline svm::PegasosScores scores_of(const Changed& scalars, double t) {
    const std::size_t n = scalars.shape(1);
    double* first = scalars.data();
    return {n, first, first + n, first + 2 * n, first + 3 * n, first + 4 * n, t};
}

} // namespace margin::bindings
