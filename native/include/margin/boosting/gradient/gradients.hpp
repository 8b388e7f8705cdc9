#pragma once
// Gradients as whole numbers, so that sums of them do not depend on the order of the rows or the number of threads.
//
// Each derivative is rounded to a grid so fine that nothing of it is seen (52 bits hold the sum of all rows): leaves
// are worked out from these. Histograms of many rows take a coarser copy, 16 bits for each derivative, rounded up or
// down by chance so that sums keep their mean: both sums of a bin are then halves of one 64-bit word, and one addition
// brings a row in. Shi et al. (2022), "Quantized training of gradient boosting decision trees".
#include "margin/core/random.hpp"
#include "margin/core/simd.hpp"
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::boosting {

/// Sums of both derivatives, in units of a grid.
struct Sums {
    std::int64_t g = 0, h = 0;

    Sums& operator+=(Sums other) noexcept {
        g += other.g;
        h += other.h;
        return *this;
    }
    friend Sums operator-(Sums a, Sums b) noexcept { return {a.g - b.g, a.h - b.h}; }
    friend bool operator==(Sums, Sums) = default;
};

/// Both derivatives of a row: first in the upper half, second in the lower.
struct Coarse {
    std::int16_t g = 0;
    std::uint16_t h = 0;

    /// What the row adds to a bin: sums of h stay below 2^32 and never reach the upper half.
    MARGIN_INLINED std::int64_t word() const noexcept {
        return static_cast<std::int64_t>(g) * (std::int64_t{1} << 32) + h;
    }
};

MARGIN_INLINED Sums sums_of(std::int64_t word) noexcept {
    return {word >> 32, static_cast<std::int64_t>(static_cast<std::uint32_t>(word))};
}
MARGIN_INLINED Sums sums_of(Sums sums) noexcept { return sums; }

/// How large derivatives can be, and what weights add up to.
struct Bounds {
    double g = 1, h = 1;           // of one row, before weights
    double total = 0, largest = 1; // weights: their sum, the largest
    std::size_t n_rows = 0;
};

/// The units of both grids; powers of two, so that whole numbers stay what they are.
struct Grid {
    double g = 1, h = 1;               // derivative = whole number / g
    double coarse_g = 1, coarse_h = 1; // coarse whole number = whole number * coarse_g

    explicit Grid(const Bounds& bounds) {
        const double total = std::max(bounds.total, 1e-300), rows = static_cast<double>(bounds.n_rows);
        // Of the sum of all weights alone: a row of weight w stands on the grid of w rows.
        g = power_below(0x1p52 / (bounds.g * total));
        h = power_below(0x1p52 / (bounds.h * total));
        // Rounding up adds at most 1 for each row.
        const auto coarse = [&](double most, double all, double one) {
            return power_below(std::min((all - rows - 1) / (most * total), one / (most * bounds.largest)));
        };
        coarse_g = coarse(bounds.g, 0x1p31, 32766) / g;
        coarse_h = coarse(bounds.h, 0x1p32, 65534) / h;
    }

private:
    static double power_below(double x) noexcept { return std::ldexp(1.0, std::clamp(std::ilogb(x), -900, 900)); }
};

/// Chances to round by: drawn once, read from another place for each tree.
class Chances {
public:
    static constexpr std::size_t n = std::size_t{1} << 16;

    explicit Chances(std::uint64_t seed) : drawn_(n) {
        Stream stream(seed, 0);
        for (std::uint32_t& word : drawn_)
            word = static_cast<std::uint32_t>(stream.next() >> 32);
    }

    std::uint32_t at(std::size_t i) const noexcept { return drawn_[i % n]; }

private:
    std::vector<std::uint32_t> drawn_;
};

/// The derivatives of a row on the fine grid. A row of weight w is w rows of weight 1, to the last bit.
MARGIN_INLINED Sums on_grid(const Grid& grid, double g, double h, const double* weight) noexcept {
    const Sums sums{std::llrint(g * grid.g), std::llrint(h * grid.h)};
    if (!weight)
        return sums;
    return {std::llrint(static_cast<double>(sums.g) * *weight), std::llrint(static_cast<double>(sums.h) * *weight)};
}

/// The same on the coarse grid, up or down by chance.
MARGIN_INLINED Coarse on_coarse_grid(const Grid& grid, Sums sums, std::uint32_t chance) noexcept {
    // Cut off above 0, which is rounding down: floor would be a call where the machine is taken for an old one.
    constexpr double lift = 0x1p16;
    const double up_g = static_cast<double>(chance & 0xffff) * 0x1p-16;
    const double up_h = static_cast<double>(chance >> 16) * 0x1p-16;
    const double g = static_cast<double>(sums.g) * grid.coarse_g + (lift + up_g);
    const double h = static_cast<double>(sums.h) * grid.coarse_h + up_h;
    return {static_cast<std::int16_t>(static_cast<std::int32_t>(g) - static_cast<std::int32_t>(lift)),
            static_cast<std::uint16_t>(static_cast<std::int32_t>(h))};
}

} // namespace margin::boosting
