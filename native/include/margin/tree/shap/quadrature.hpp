#pragma once
// Where a polynomial on [0, 1] has to be known for its integral: Gauss and Legendre.
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace margin::tree {

/// sum weight[q] p(at[q]) is the integral of p over [0, 1] for every polynomial of degree 2n - 1 and less. All weights
/// are above 0 and all places lie inside, so that nothing cancels and nothing is divided by 0.
struct Quadrature {
    std::vector<double> at, left, weight; // left[q] = 1 - at[q]
};

/// Newton's method on the Legendre polynomial, from guesses that lie near one root each. Filled up to a multiple of
/// `lanes` with places that weigh nothing. Requires n > 0. O(n^2) time.
inline Quadrature quadrature(std::size_t n, std::size_t lanes) {
    const std::size_t padded = (n + lanes - 1) / lanes * lanes;
    Quadrature found{std::vector<double>(padded, 0.5), std::vector<double>(padded, 0.5), std::vector<double>(padded)};
    const auto order = static_cast<double>(n);
    for (std::size_t q = 0; q < (n + 1) / 2; ++q) {
        double x = std::cos(std::numbers::pi * (static_cast<double>(q) + 0.75) / (order + 0.5)), slope = 1;
        for (int step = 0; step < 20; ++step) {
            double before = 1, here = x; // P_0 and P_1
            for (std::size_t k = 2; k <= n; ++k) {
                const auto degree = static_cast<double>(k);
                const double next = ((2 * degree - 1) * x * here - (degree - 1) * before) / degree;
                before = here;
                here = next;
            }
            slope = order * (before - x * here) / (1 - x * x);
            const double move = here / slope;
            x -= move;
            if (std::abs(move) < 1e-16)
                break;
        }
        const double weight = 1 / ((1 - x * x) * slope * slope), low = (1 - x) / 2, high = (1 + x) / 2;
        found.at[q] = found.left[n - 1 - q] = low;
        found.left[q] = found.at[n - 1 - q] = high;
        found.weight[q] = found.weight[n - 1 - q] = weight;
    }
    return found;
}

} // namespace margin::tree
