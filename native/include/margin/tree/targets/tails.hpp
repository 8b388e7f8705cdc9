#pragma once
// How likely a statistic is as large as one that was seen, if chance alone made it: tails of distributions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

/// How likely at least x of n cases, drawn from `all` without putting back, are among `marked` ones. Whole numbers.
/// O(terms that matter).
inline double hypergeometric_tail(double x, double n, double marked, double all) noexcept {
    const double first = std::max(0.0, n + marked - all), last = std::min(n, marked);
    if (x <= first || x > last)
        return x > last ? 0.0 : 1.0;
    const auto log_choose = [](double m, double r) {
        return log_gamma(m + 1) - log_gamma(r + 1) - log_gamma(m - r + 1);
    };
    double term = std::exp(log_choose(marked, x) + log_choose(all - marked, n - x) - log_choose(all, n)), total = term;
    for (double i = x; i < last && term > total * 1e-17; ++i) {
        term *= (marked - i) * (n - i) / ((i + 1) * (all - marked - n + i + 1));
        total += term;
    }
    return std::min(total, 1.0);
}

/// Fisher's exact test, twice the smaller tail: how likely a draw of n has as few or as many of the marked ones as x.
inline double fisher_p(double x, double n, double marked, double all) noexcept {
    const double more = hypergeometric_tail(x, n, marked, all),
                 fewer = hypergeometric_tail(n - x, n, all - marked, all);
    return std::min(1.0, 2 * std::min(more, fewer));
}

} // namespace margin::tree
