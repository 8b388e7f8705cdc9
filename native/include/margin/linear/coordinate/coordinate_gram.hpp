#pragma once
// Coordinate descent where all second derivatives are at hand: min g . D + D H D / 2 + l1 |w + D|_1.
//
// H D is kept up to date, so that a visit costs nothing and a move one row of H (the covariance updates of Friedman,
// Hastie, Tibshirani, 2010).
#include "coordinate.hpp"
#include "margin/core/monitor.hpp"
#include "margin/core/simd.hpp"

namespace margin::linear {

MARGIN_SIMD inline void add_row(double* to, const double* row, double factor, std::size_t n) {
    for (std::size_t c = 0; c < n; ++c)
        to[c] += factor * row[c];
}

/// The step, after passes until the violation met is below `enough` of that of the first, or a number of them.
/// H is symmetric and m × m, l2 already on its diagonal. O(m) a visit, O(m^2) a pass.
inline Descent gram_descend(const double* h, const double* g, const double* w, std::size_t m, double l1, double enough,
                            std::size_t most_passes, Monitor& monitor) {
    Descent found{std::vector<double>(m), 0};
    std::vector<double> slope(g, g + m);
    double first = 0;
    for (std::size_t since = 0; found.passes < most_passes;) {
        double met = 0;
        for (std::size_t j = 0; j < m; ++j) {
            const double now = w[j] + found.step[j], curvature = h[j * m + j];
            met += violation(now, slope[j], l1);
            // A column without curvature tells nothing: it stays.
            const double change = curvature > 0 ? soft_step(now, slope[j], curvature, l1) : 0.0;
            if (change == 0)
                continue;
            found.step[j] = change == -now ? -w[j] : found.step[j] + change;
            add_row(slope.data(), h + j * m, change, m);
            if (since += m; since > (1 << 22)) {
                monitor.check();
                since = 0;
            }
        }
        if (found.passes++ == 0)
            first = met;
        if (met <= enough * first)
            break;
    }
    return found;
}

} // namespace margin::linear
