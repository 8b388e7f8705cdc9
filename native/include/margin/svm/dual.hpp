#pragma once
// The dual of the support vector machine:
//     minimise D(a) = 1/2 sum_ij a_i a_j s_i s_j k(i, j) - sum_i a_i,  0 <= a_i <= c_i,  sum_i s_i a_i = const
// with signs s_i = +1 or -1; the constant is that of the first a.
#include "source.hpp"
#include <limits>

namespace margin::svm {

struct DualProblem {
    std::span<const std::uint32_t> rows; // those of the source that take part
    std::span<const double> sign, upper; // s and c, one for each of them
    std::span<const double> start;       // a feasible first a, or nothing for zeros
};

struct DualSettings {
    double tol = 1e-3;                  // largest violation of the conditions of optimality that is left
    std::size_t max_steps = 10'000'000; // pairs of variables that are changed
    std::size_t cache_bytes = 200 << 20;
    std::size_t n_threads = 0;
};

struct DualSolution {
    std::vector<double> alpha;
    std::vector<double> slope; // dD/da_i = s_i sum_j a_j s_j k(i, j) - 1
    double bias = 0;           // f(x) = sum_j a_j s_j k(j, x) + bias
    double objective = 0;      // D
    double violation = 0;      // largest violation left
    std::size_t steps = 0;
};

/// Sequential minimal optimisation with second-order pairs, a row of the kernel at a time.
template <class T>
DualSolution solve(const Source<T>& source, const DualProblem& problem, const DualSettings& settings,
                   Monitor& monitor) {
    const std::size_t n = problem.rows.size();
    const double infinity = std::numeric_limits<double>::infinity();
    DualSolution found;
    found.alpha.assign(n, 0);
    found.slope.assign(n, -1);
    std::vector<T> all(source.size()), row_i(n), row_j(n);
    source.diagonal(all.data());
    const auto k = [&](std::size_t i) { return static_cast<double>(all[problem.rows[i]]); };
    const auto read = [&](std::size_t i, std::vector<T>& row) {
        source.block(problem.rows.subspan(i, 1), problem.rows, row.data(), n, 1, monitor);
    };
    const auto s = problem.sign, c = problem.upper;
    auto &a = found.alpha, &g = found.slope;
    const auto add = [&](std::size_t i, double by, const std::vector<T>& row) {
        for (std::size_t t = 0; t < n; ++t)
            g[t] += by * s[i] * s[t] * static_cast<double>(row[t]);
    };
    for (std::size_t i = 0; i < problem.start.size(); ++i)
        if ((a[i] = problem.start[i]) != 0) {
            read(i, row_i);
            add(i, a[i], row_i);
        }
    const auto may_rise = [&](std::size_t t) { return s[t] > 0 ? a[t] < c[t] : a[t] > 0; };
    const auto may_fall = [&](std::size_t t) { return s[t] > 0 ? a[t] > 0 : a[t] < c[t]; };
    for (;; ++found.steps) {
        double high = -infinity, low = infinity;
        std::size_t i = n;
        for (std::size_t t = 0; t < n; ++t) {
            if (may_rise(t) && -s[t] * g[t] > high)
                high = -s[t] * g[t], i = t;
            if (may_fall(t))
                low = std::min(low, -s[t] * g[t]);
        }
        found.violation = std::max(0.0, high - low);
        found.bias = high > -infinity && low < infinity ? (high + low) / 2 : 0;
        if (!(high - low > settings.tol) || found.steps == settings.max_steps)
            break;
        monitor.check();
        read(i, row_i);
        double best = infinity;
        std::size_t j = n;
        for (std::size_t t = 0; t < n; ++t)
            if (const double b = high + s[t] * g[t]; may_fall(t) && b > 0)
                if (const double gain = -b * b / std::max(k(i) + k(t) - 2 * static_cast<double>(row_i[t]), 1e-12);
                    gain < best)
                    best = gain, j = t;
        read(j, row_j);
        // s_i a_i rises and s_j a_j falls by the step.
        double step = (high + s[j] * g[j]) / std::max(1e-12, k(i) + k(j) - 2 * static_cast<double>(row_i[j]));
        step = std::min(step, s[i] > 0 ? c[i] - a[i] : a[i]);
        step = std::min(step, s[j] > 0 ? a[j] : c[j] - a[j]);
        a[i] += s[i] * step;
        a[j] -= s[j] * step;
        add(i, s[i] * step, row_i);
        add(j, -s[j] * step, row_j);
    }
    for (std::size_t t = 0; t < n; ++t)
        found.objective += 0.5 * a[t] * (g[t] - 1);
    return found;
}

} // namespace margin::svm
