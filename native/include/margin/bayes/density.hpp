#pragma once
// Kernel densities: a normal bump at every value that was seen.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::bayes {

/// The values of every column in every class, ascending; column j, class k stands at j * classes + k of the tables.
struct Kernels {
    const double* values;
    const double* log_weight;  // of each value; the weights of a class sum to 1
    const std::int64_t* start; // where the values of a column and class begin; one more for the end
    const double* steep;       // 1 / (2 h^2)
    const double* off;         // -log(h sqrt(2 pi))
};

namespace detail {

/// Terms this far below the largest exponent are left out: even a billion of them would not change the last digit.
inline constexpr double negligible = 60;

/// e^x for -700 <= x <= 0, to two units in the last place. Without branches or calls, so that loops over it work on
/// vectors. x = n log 2 + r with |r| <= log(2) / 2, and e^r by its series.
MARGIN_INLINED double exp_below_0(double x) {
    constexpr double shift = 0x1.8p52; // added, it leaves a whole number in the last bits
    constexpr double log2_high = 0x1.62e42fefa3800p-1, log2_low = 0x1.ef35793c76730p-45;
    const double shifted = x * 0x1.71547652b82fep0 + shift, n = shifted - shift;
    const double r = (x - n * log2_high) - n * log2_low, r2 = r * r, r4 = r2 * r2;
    const double low = (1 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    const double middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    const double high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
    const double power = low + r4 * (middle + r4 * (high + r4 * (1.0 / 479001600)));
    const auto bits = std::bit_cast<std::uint64_t>(power) + (std::bit_cast<std::uint64_t>(shifted) << 52);
    return std::bit_cast<double>(bits);
}

/// The bumps of one column in one class.
struct Bumps {
    const double* values; // ascending
    const double* log_weight;
    std::size_t n;
    double steep, heaviest; // the largest log-weight

    MARGIN_INLINED double exponent(std::size_t i, double x) const {
        const double d = x - values[i];
        return log_weight[i] - steep * d * d;
    }
};

/// sum_i exp(exponent_i - top) over some values. Requires no exponent above `top`. Many running sums, one for each
/// place in a strip, since a single one would make every addition wait for the one before.
MARGIN_SIMD inline double sum_of_bumps(const Bumps& bumps, std::size_t begin, std::size_t end, double x, double top) {
    constexpr std::size_t strip = 64;
    double sums[strip] = {}, exponents[strip];
    const double steep = bumps.steep;
    for (; begin < end; begin += strip) {
        const double *v = bumps.values + begin, *w = bumps.log_weight + begin;
        const std::size_t n = std::min(strip, end - begin);
        for (std::size_t i = 0; i < n; ++i) {
            const double d = x - v[i], below = (w[i] - steep * d * d) - top;
            exponents[i] = below < -700 ? -700 : below; // next to nothing
        }
        for (std::size_t i = 0; i < n; ++i) // in a loop of its own, or GCC branches on the choice above
            sums[i] += exp_below_0(exponents[i]);
    }
    for (std::size_t half = strip / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i)
            sums[i] += sums[i + half];
    return sums[0];
}

/// log sum_i exp(exponent_i). Requires n > 0.
/// The nearest values tell how large the largest exponent is at least; values so far away that they stay negligible
/// beside it whatever their weight are left out.
inline double log_density(double x, const Bumps& bumps) {
    const auto after =
        static_cast<std::size_t>(std::lower_bound(bumps.values, bumps.values + bumps.n, x) - bumps.values);
    const std::size_t nearest =
        after == bumps.n || (after > 0 && x - bumps.values[after - 1] < bumps.values[after] - x) ? after - 1 : after;
    const double least = bumps.exponent(nearest, x), distance = x - bumps.values[nearest];
    const double reach = std::sqrt((bumps.heaviest - least + negligible) / bumps.steep);
    const auto begin = std::lower_bound(bumps.values, bumps.values + nearest, x - reach) - bumps.values;
    const auto end = std::upper_bound(bumps.values + nearest, bumps.values + bumps.n, x + reach) - bumps.values;
    double top = bumps.heaviest - bumps.steep * distance * distance; // no exponent is larger
    if (!(top - least < 600)) { // a nearest value of next to no weight says little: look at them all
        top = -std::numeric_limits<double>::infinity();
        for (auto i = begin; i < end; ++i)
            top = std::max(top, bumps.exponent(static_cast<std::size_t>(i), x));
        if (top == -std::numeric_limits<double>::infinity())
            return top;
    }
    return top + std::log(sum_of_bumps(bumps, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), x, top));
}

} // namespace detail

/// scores[i][k] += sum_j off_jk + log sum_v exp(log_weight_v - steep_jk (x_ij - v)^2) over the values of column j in
/// class k. Missing cells (NaN) and classes without values add nothing. True if some score is minus infinity now.
/// O(log m + values near the cell) time for each cell and class.
inline bool add_kernels(const double* x, const Kernels& kernels, double* scores, std::size_t rows, std::size_t columns,
                        std::size_t classes, std::size_t n_threads, Monitor& monitor) {
    std::vector<double> heaviest(columns * classes);
    for (std::size_t c = 0; c < heaviest.size(); ++c)
        heaviest[c] =
            kernels.start[c] == kernels.start[c + 1]
                ? 0.0
                : *std::max_element(kernels.log_weight + kernels.start[c], kernels.log_weight + kernels.start[c + 1]);
    std::atomic<bool> ruled_out = false;
    parallel_for(rows, 16, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                const double cell = x[i * columns + j];
                for (std::size_t k = 0; cell == cell && k < classes; ++k) {
                    const std::size_t c = j * classes + k;
                    const auto first = static_cast<std::size_t>(kernels.start[c]);
                    const std::size_t n = static_cast<std::size_t>(kernels.start[c + 1]) - first;
                    const detail::Bumps bumps{kernels.values + first, kernels.log_weight + first, n, kernels.steep[c],
                                              heaviest[c]};
                    if (n > 0)
                        scores[i * classes + k] += kernels.off[c] + detail::log_density(cell, bumps);
                }
            }
        for (std::size_t c = begin * classes; c < end * classes; ++c)
            if (scores[c] == -std::numeric_limits<double>::infinity())
                ruled_out = true;
    });
    return ruled_out;
}

} // namespace margin::bayes
