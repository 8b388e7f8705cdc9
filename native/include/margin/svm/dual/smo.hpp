#pragma once
// Sequential minimal optimisation: two variables of the dual at a time.
//
// The duals of all support vector machines are
//     minimise 1/2 sum_ij b_i b_j k(i, j) - sum_i p_i b_i + tube sum_i |b_i|,
//     lower_i <= b_i <= upper_i,  lower_i <= 0 <= upper_i,  sum_i b_i = const.
// Its slope is minus the residual e_i = p_i - sum_j b_j k(i, j), less the tube where b rises from 0 or above, and more
// by it where b falls from 0 or below. A pair moves weight from j to i as long as the residual of i, rising, is above
// that of j, falling; nothing is left to do when no such pair is left. Nothing moves across 0 in one step.
#include "margin/core/monitor.hpp"
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace margin::svm {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The curvature of a pair is taken to be at least this share of k(i, i) + k(j, j): kernels that are not positive
/// semi-definite, and rows that are equal but for rounding.
inline constexpr double least_curvature = 1e-12;

/// Passes go over chunks of this many variables, and arrays are filled up to whole chunks.
inline constexpr std::size_t chunk = 64;
constexpr std::size_t whole_chunks(std::size_t n) noexcept { return (n + chunk - 1) / chunk * chunk; }

/// The variables of a problem, or of a part of one, side by side. Those that only fill up a chunk may neither rise nor
/// fall.
template <class T>
struct Variables {
    std::size_t size = 0;
    std::vector<double> b, lower, upper;
    std::vector<double> rising;  // the residual where b may rise, the tube taken off, else -infinity
    std::vector<double> falling; // the residual where b may fall, the tube taken off, else +infinity
    std::vector<T> diagonal;     // k(i, i)
    double tube = 0;
    std::size_t split; // in whole chunks: those before it keep their sum, and those from it on theirs

    explicit Variables(std::size_t n)
        : size(n), b(n), lower(n), upper(n), rising(whole_chunks(n), -infinity), falling(whole_chunks(n), infinity),
          diagonal(whole_chunks(n)), split(whole_chunks(n)) {}

    double tube_rising(std::size_t i) const noexcept { return b[i] >= 0 ? tube : -tube; }
    double tube_falling(std::size_t i) const noexcept { return b[i] > 0 ? tube : -tube; }
    /// Requires lower < upper, so that one of the two arrays holds it.
    double residual(std::size_t i) const noexcept {
        return rising[i] > -infinity ? rising[i] + tube_rising(i) : falling[i] + tube_falling(i);
    }
    void set_residual(std::size_t i, double e) noexcept {
        rising[i] = b[i] < upper[i] ? e - tube_rising(i) : -infinity;
        falling[i] = b[i] > lower[i] ? e - tube_falling(i) : infinity;
    }
    /// How far b may rise or fall in one step: to its bound, or to 0.
    double top(std::size_t i) const noexcept { return b[i] < 0 ? std::min(upper[i], 0.0) : upper[i]; }
    double bottom(std::size_t i) const noexcept { return b[i] > 0 ? std::max(lower[i], 0.0) : lower[i]; }
};

/// The largest residual that may rise and the smallest that may fall, with the places of the first such. (A walk does
/// not ask for the place of the smallest.)
struct Extremes {
    double high = -infinity, low = infinity;
    std::size_t at = 0, low_at = 0;
    double violation() const noexcept { return std::max(0.0, high - low); }
};

namespace detail {

/// The largest of a chunk, by halves: loops that become vectors. Changes the values.
template <class T>
MARGIN_INLINED T largest(T* __restrict values) noexcept {
    for (std::size_t t = 0; t < 32; ++t)
        values[t] = values[t] > values[t + 32] ? values[t] : values[t + 32];
    for (std::size_t t = 0; t < 16; ++t)
        values[t] = values[t] > values[t + 16] ? values[t] : values[t + 16];
    for (std::size_t t = 0; t < 8; ++t)
        values[t] = values[t] > values[t + 8] ? values[t] : values[t + 8];
    for (std::size_t t = 0; t < 4; ++t)
        values[t] = values[t] > values[t + 4] ? values[t] : values[t + 4];
    const T a = values[0] > values[1] ? values[0] : values[1], b = values[2] > values[3] ? values[2] : values[3];
    return a > b ? a : b;
}

/// Take a step of a pair into all residuals, e -= step (k_i - k_j), and find the extremes. n is in whole chunks.
template <class T>
MARGIN_INLINED Extremes step_inlined(double* __restrict rising, double* __restrict falling, const T* __restrict k_i,
                                     const T* __restrict k_j, double step, std::size_t n) {
    Extremes found;
    double low[chunk]; // of minus the residuals that may fall
    std::fill_n(low, chunk, -infinity);
    for (std::size_t begin = 0; begin < n; begin += chunk) {
        double high[chunk];
        for (std::size_t t = 0; t < chunk; ++t) {
            const double by = step * (static_cast<double>(k_i[begin + t]) - static_cast<double>(k_j[begin + t]));
            rising[begin + t] -= by;
            falling[begin + t] -= by;
            high[t] = rising[begin + t];
            low[t] = -falling[begin + t] > low[t] ? -falling[begin + t] : low[t];
        }
        if (const double best = largest(high); best > found.high) {
            found.high = best;
            found.at = begin;
        }
    }
    found.low = -largest(low);
    while (found.at < n && rising[found.at] != found.high)
        ++found.at;
    return found;
}

/// The j that may fall and promises the most in a pair with i, (e_i - e_j)^2 / curvature; the first of equals. In single
/// precision: it only chooses.
template <class T>
MARGIN_INLINED std::size_t partner_inlined(const double* __restrict falling, const T* __restrict k_i,
                                           const T* __restrict diagonal, double high, T k_ii, std::size_t n) {
    float best = 0;
    std::size_t at = 0;
    for (std::size_t begin = 0; begin < n; begin += chunk) {
        float gain[chunk], folded[chunk];
        for (std::size_t t = 0; t < chunk; ++t) {
            const float gap = static_cast<float>(high - falling[begin + t]);
            folded[t] = gap > 0 ? gap : 0;
        }
        // A loop of its own: joined, the comparison above becomes a branch around this one, and there are no vectors.
        for (std::size_t t = 0; t < chunk; ++t) {
            const float bent = static_cast<float>(k_ii + diagonal[begin + t] - 2 * k_i[begin + t]);
            gain[t] = folded[t] * folded[t] / (std::abs(bent) + 1e-30F);
            folded[t] = gain[t];
        }
        if (const float here = largest(folded); here > best) {
            best = here;
            at = begin + static_cast<std::size_t>(std::find(gain, gain + chunk, here) - gain);
        }
    }
    if (best == 0) // all promises were too small for single precision
        at = static_cast<std::size_t>(std::min_element(falling, falling + n) - falling);
    return at;
}

MARGIN_SIMD inline Extremes take_step(double* rising, double* falling, const float* k_i, const float* k_j, double step,
                                      std::size_t n) {
    return step_inlined(rising, falling, k_i, k_j, step, n);
}
MARGIN_SIMD inline Extremes take_step(double* rising, double* falling, const double* k_i, const double* k_j,
                                      double step, std::size_t n) {
    return step_inlined(rising, falling, k_i, k_j, step, n);
}
MARGIN_SIMD inline std::size_t partner(const double* falling, const float* k_i, const float* diagonal, double high,
                                       float k_ii, std::size_t n) {
    return partner_inlined(falling, k_i, diagonal, high, k_ii, n);
}
MARGIN_SIMD inline std::size_t partner(const double* falling, const double* k_i, const double* diagonal, double high,
                                       double k_ii, std::size_t n) {
    return partner_inlined(falling, k_i, diagonal, high, k_ii, n);
}

} // namespace detail

struct Walk {
    std::size_t steps = 0;
    double violation = 0;
};

namespace detail {

/// Extremes among the variables of one side of the split, and where that side is.
struct Side {
    Extremes found;
    std::size_t begin = 0, size = 0;
};

/// A step of a pair on both sides of the split; the side with the larger violation, the first of equals.
template <class T>
Side step_on_sides(Variables<T>& v, const T* k_i, const T* k_j, double step) {
    const auto one = [&](std::size_t begin, std::size_t end) {
        Side side{
            take_step(v.rising.data() + begin, v.falling.data() + begin, k_i + begin, k_j + begin, step, end - begin),
            begin, end - begin};
        side.found.at += begin;
        return side;
    };
    const Side first = one(0, v.split);
    if (v.split == v.rising.size())
        return first;
    const Side second = one(v.split, v.rising.size());
    return second.found.high - second.found.low > first.found.high - first.found.low ? second : first;
}

} // namespace detail

/// Change pairs until no violation above tol is left, for at most max_steps steps.
///
/// The first of a pair has the largest residual that may rise, the second promises the most by the second order (Fan,
/// Chen, Lin 2005, WSS 2). `row(i)` gives k(i, t) for all t in whole chunks; the last two rows that it gave are read.
/// A step costs two passes over the variables, less than a nanosecond each for a variable in the cache. Ends early where
/// a step is too small to change b at all. Throws std::domain_error where the kernel is not finite.
template <class T, class Row>
Walk smo(Variables<T>& v, Row&& row, double tol, std::size_t max_steps, Monitor& monitor) {
    const std::vector<T> nothing(v.rising.size());
    auto now = detail::step_on_sides(v, nothing.data(), nothing.data(), 0);
    Walk walk;
    for (; now.found.high - now.found.low > tol && walk.steps < max_steps; ++walk.steps) {
        if (walk.steps % 64 == 0)
            monitor.check();
        const std::size_t i = now.found.at, at = now.begin;
        const T* k_i = row(i);
        const std::size_t j = at + detail::partner(v.falling.data() + at, k_i + at, v.diagonal.data() + at,
                                                   now.found.high, v.diagonal[i], now.size);
        const T* k_j = row(j);
        const double e_i = now.found.high, e_j = v.falling[j];
        const double k_ii = static_cast<double>(v.diagonal[i]), k_jj = static_cast<double>(v.diagonal[j]);
        const double curvature = k_ii + k_jj - 2 * static_cast<double>(k_i[j]);
        const double least = std::max(least_curvature * (std::abs(k_ii) + std::abs(k_jj)), 1e-100);
        const double room_i = v.top(i) - v.b[i], room_j = v.b[j] - v.bottom(j);
        const double step = std::min({(e_i - e_j) / std::max(curvature, least), room_i, room_j});
        if (!(step > 0) || std::isinf(step))
            throw std::domain_error("the values of the kernel must be finite");
        const double b_i = step == room_i ? v.top(i) : v.b[i] + step;
        const double b_j = step == room_j ? v.bottom(j) : v.b[j] - step;
        if (b_i == v.b[i] && b_j == v.b[j])
            break;
        const double whole_i = e_i + v.tube_rising(i), whole_j = e_j + v.tube_falling(j);
        v.b[i] = b_i;
        v.b[j] = b_j;
        v.set_residual(i, whole_i);
        v.set_residual(j, whole_j);
        now = detail::step_on_sides(v, k_i, k_j, step);
    }
    walk.violation = now.found.violation();
    return walk;
}

} // namespace margin::svm
