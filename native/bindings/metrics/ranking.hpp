#pragma once
// Scores, sides and weights as they come from Python.
#include "bindings/cells.hpp"
#include "labels.hpp"
#include "margin/metrics/sides.hpp"

namespace margin::bindings {

using InColumn = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>; // may be a column of a matrix

inline metrics::Scored scored(const InColumn& score, const In<std::uint8_t>& positive, const In<double>& weight) {
    return {score.data(), static_cast<std::ptrdiff_t>(score.stride(0)), positive.data(), optional(weight),
            score.size()};
}

} // namespace margin::bindings
