#pragma once
// What a leaf adds for a column of numbers, and the numbers themselves.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace margin::boosting {

struct LinearTerm {
    std::uint32_t column;
    double slope, center, low, high;

    double at(double x) const noexcept { return std::isnan(x) ? 0 : slope * (std::clamp(x, low, high) - center); }
};

/// The columns of numbers of some rows, of either precision; kept by whoever asks for them.
struct RawNumbers {
    const double* doubles = nullptr;
    const float* floats = nullptr;
    std::size_t width = 0;

    double at(std::size_t i, std::size_t j) const noexcept {
        return doubles ? doubles[i * width + j] : static_cast<double>(floats[i * width + j]);
    }
};

} // namespace margin::boosting
