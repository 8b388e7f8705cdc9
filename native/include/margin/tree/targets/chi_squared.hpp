#pragma once
// Whether a split says anything about the target that chance would not: tests of independence.
#include "margin/tree/exact/divide.hpp"
#include "margin/tree/exact/node.hpp"
#include "margin/tree/splits/candidate.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

namespace margin::tree {

namespace detail {

constexpr double tiny = 1e-300; // stands for a 0 that must not be divided by

/// The value of a continued fraction b0 + a1/(b1 + a2/(b2 + ...)) by Lentz's method; term(m, a, b) gives a_m and b_m.
template <class Term>
double continued_fraction(double b0, Term&& term) noexcept {
    double f = std::abs(b0) < tiny ? tiny : b0, c = f, d = 0;
    for (int m = 1; m < 100'000; ++m) {
        double a = 0, b = 0;
        term(m, a, b);
        d = b + a * d;
        c = b + a / c;
        d = 1 / (std::abs(d) < tiny ? tiny : d);
        c = std::abs(c) < tiny ? tiny : c;
        const double change = c * d;
        f *= change;
        if (std::abs(change - 1) < 1e-15)
            break;
    }
    return f;
}

} // namespace detail

/// log Gamma(x) for x > 0 by Stirling's series, from 15 on. std::lgamma writes to a variable that all threads share.
inline double log_gamma(double x) noexcept {
    double shift = 1;
    for (; x < 15; ++x)
        shift *= x;
    const double r = 1 / (x * x);
    const double series = (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / x;
    return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi) + series - std::log(shift);
}

/// Q(a, x) = integral from x to infinity of t^(a-1) e^-t dt / Gamma(a), for a > 0 and x >= 0. A series below the mean,
/// a continued fraction above (Abramowitz and Stegun 6.5.29 and 6.5.31).
inline double upper_gamma(double a, double x) noexcept {
    if (!(x > 0))
        return 1;
    if (x == std::numeric_limits<double>::infinity())
        return 0;
    const double front = std::exp(a * std::log(x) - x - log_gamma(a));
    if (x < a + 1) {
        double term = 1 / a, total = term;
        for (double n = a + 1; term > total * 1e-17; ++n) {
            term *= x / n;
            total += term;
        }
        return std::clamp(1 - front * total, 0.0, 1.0);
    }
    const double fraction = detail::continued_fraction(x + 1 - a, [&](int m, double& up, double& down) {
        up = -m * (m - a);
        down = x + 2 * m + 1 - a;
    });
    return std::clamp(front / fraction, 0.0, 1.0);
}

/// How likely a chi-squared variable of so many degrees of freedom is above `statistic`.
inline double chi_squared_tail(double statistic, double degrees) noexcept {
    return degrees > 0 ? upper_gamma(degrees / 2, statistic / 2) : 1.0;
}

/// I_x(a, b), the regularised incomplete beta function (Abramowitz and Stegun 26.5.8), for a, b > 0 and 0 <= x <= 1.
inline double incomplete_beta(double a, double b, double x) noexcept {
    if (x <= 0 || x >= 1)
        return x >= 1 ? 1.0 : 0.0;
    if (x > (a + 1) / (a + b + 2)) // where the fraction converges quickly for the other tail
        return 1 - incomplete_beta(b, a, 1 - x);
    const double front =
        std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
    const double fraction = detail::continued_fraction(1, [&](int step, double& up, double& down) {
        const double m = step / 2; // whole
        up = step % 2 == 1 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                           : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        down = 1;
    });
    return std::clamp(front / (a * fraction), 0.0, 1.0);
}

/// How likely an F variable is above `statistic`.
inline double f_tail(double statistic, double above, double below) noexcept {
    return incomplete_beta(below / 2, above / 2, below / (below + above * statistic));
}

/// The branch of every case that is known to go down one, and of missing cells where they all go one way.
template <class Target, class Visit>
void for_each_branch(const Node<Target>& node, std::size_t k, const Candidate& split, Visit&& visit) {
    for (const Entry& e : node.cases.column(k))
        if (e.code != missing_code)
            visit(e.place, branch_of(split, e.code));
        else if (node.settings.missing == MissingSplit::direction)
            visit(e.place, static_cast<std::uint32_t>(split.missing));
}

/// The p-value of Pearson's test of branches against classes: how often independent ones would look as dependent as
/// this. Weights count as repeated rows. O(n + branches K).
inline double chance(const Node<Classes>& node, std::size_t k, const Candidate& split) {
    const std::size_t K = node.width, n_branches = split.n_branches;
    std::vector<double> table(n_branches * K), of_branch(n_branches), of_class(K);
    double all = 0;
    for_each_branch(node, k, split, [&](std::uint32_t place, std::uint32_t branch) {
        table[branch * K + node.cases.target[place]] += node.cases.weight_of(place);
    });
    for (std::size_t b = 0; b < n_branches; ++b)
        for (std::size_t c = 0; c < K; ++c) {
            of_branch[b] += table[b * K + c];
            of_class[c] += table[b * K + c];
            all += table[b * K + c];
        }
    double statistic = 0;
    for (std::size_t b = 0; b < n_branches; ++b)
        for (std::size_t c = 0; c < K; ++c) {
            const double expected = of_branch[b] * of_class[c] / all, off = table[b * K + c] - expected;
            if (expected > 0)
                statistic += off * off / expected;
        }
    const auto present = [](const std::vector<double>& weights) {
        return static_cast<double>(std::ranges::count_if(weights, [](double w) { return w > 0; }));
    };
    return chi_squared_tail(statistic, (present(of_branch) - 1) * (present(of_class) - 1));
}

/// The p-value of the analysis of variance: how often branches of equal means would differ as much (Fisher's F).
/// Weights count as repeated rows. O(n + branches).
inline double chance(const Node<Values>& node, std::size_t k, const Candidate& split) {
    struct Branch {
        double weight = 0, mean = 0;
    };
    std::vector<Branch> branches(split.n_branches);
    double weight = 0, mean = 0, between = 0, within = 0;
    for_each_branch(node, k, split, [&](std::uint32_t place, std::uint32_t b) {
        branches[b].weight += node.cases.weight_of(place);
        branches[b].mean += node.cases.weight_of(place) * node.cases.target[place].y;
    });
    for (Branch& branch : branches) {
        weight += branch.weight;
        mean += branch.mean;
        branch.mean = branch.weight > 0 ? branch.mean / branch.weight : 0.0;
    }
    mean /= weight;
    double n_branches = 0;
    for (const Branch& branch : branches) {
        n_branches += branch.weight > 0;
        between += branch.weight * (branch.mean - mean) * (branch.mean - mean);
    }
    for_each_branch(node, k, split, [&](std::uint32_t place, std::uint32_t b) {
        const double off = node.cases.target[place].y - branches[b].mean;
        within += node.cases.weight_of(place) * off * off;
    });
    const double above = n_branches - 1, below = weight - n_branches;
    if (above <= 0 || below <= 0)
        return 1;
    return within > 0 ? f_tail(between / above / (within / below), above, below) : 0.0;
}

} // namespace margin::tree
