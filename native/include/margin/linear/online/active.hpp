#pragma once
// Half-spaces through the origin from few labels. Dasgupta, Kalai, Monteleoni (2005), "Analysis of perceptron-based
// active learning".
//
// Rows are put on the unit sphere. A label is asked for only where the row is near the boundary, |v . x| <= s; a
// mistake y (v . x) < 0 is answered by the reflection v <- v - 2 (v . x) x, which keeps v a unit vector; as many right
// answers in a row as patience asks for halve s. With more than two classes each has such a v and s of its own, class
// against the rest, and one label answers all that ask.
#include "margin/core/monitor.hpp"
#include "margin/linear/rows.hpp"
#include <cmath>
#include <vector>

namespace margin::linear {

/// What a stream reads and changes; one entry per score (one for two classes).
struct ActiveState {
    double* v = nullptr;            // n_scores × width, padded
    double* constant = nullptr;     // the component of v along a constant 1 after each row
    double* threshold = nullptr;    // s; infinite before the first label
    std::int64_t* streak = nullptr; // right answers since the last mistake or halving
    std::size_t n_scores = 1;
    std::size_t width = 0;
    std::size_t labels = 0; // rows whose label was looked at
};

struct ActiveStream {
    Visits visits;
    const std::int32_t* y = nullptr; // 0 … n_classes - 1
    std::uint8_t* asked = nullptr;   // per row: whether its label is known
    bool intercept = false;          // whether a constant 1 comes after each row
    bool volunteered = false;        // labels are given without being asked for
    std::int64_t patience = 1;
    double first_threshold = 1;
    std::size_t most_labels = 0; // no further ones are asked for
};

namespace detail {

/// 1 / length of row i (with its constant); 0 for a row of zeros. Works in units of the largest cell, so that squares
/// neither overflow nor vanish. `scratch` is padded and 0, and left so.
template <class Rows>
MARGIN_INLINED double inverse_length(const Rows& rows, std::size_t i, bool intercept, double* scratch) noexcept {
    rows.add(i, 1.0, scratch);
    double largest = intercept ? 1.0 : 0.0;
    rows.for_each_column(i, [&](std::size_t j) { largest = std::max(largest, std::abs(scratch[j])); });
    double sums[lanes] = {};
    const double shrink = largest > 0 ? 1 / largest : 0;
    rows.for_each_column(i, [&](std::size_t j) {
        const double cell = scratch[j] * shrink;
        sums[j % lanes] += cell * cell;
        scratch[j] = 0;
    });
    const double constant = intercept ? shrink : 0;
    return largest > 0 ? shrink / std::sqrt(joined(sums) + constant * constant) : 0;
}

/// Score k meets a labelled row: product is v . x, sign the label.
template <class Rows>
MARGIN_INLINED void meet(const Rows& rows, std::size_t i, double sign, double product, double inverse,
                         const ActiveStream& stream, std::size_t k, ActiveState& state) noexcept {
    double* v = state.v + k * state.width;
    if (std::isinf(state.threshold[k])) { // the first of all
        rows.add(i, sign * inverse, v);
        state.constant[k] = stream.intercept ? sign * inverse : 0.0;
        state.threshold[k] = stream.first_threshold;
    } else if (sign * product < 0) {
        rows.add(i, -2 * product * inverse, v);
        if (stream.intercept)
            state.constant[k] -= 2 * product * inverse;
        state.streak[k] = 0;
    } else if (std::abs(product) <= state.threshold[k] && ++state.streak[k] >= stream.patience) {
        state.threshold[k] /= 2;
        state.streak[k] = 0;
    }
}

/// Row i of the stream; products has room for one number per score.
template <class Rows>
MARGIN_INLINED void see(const Rows& rows, std::size_t i, const ActiveStream& stream, ActiveState& state,
                        double* products, double* scratch) noexcept {
    const double inverse = inverse_length(rows, i, stream.intercept, scratch);
    if (!(inverse > 0) || std::isinf(inverse) || (!stream.asked[i] && state.labels >= stream.most_labels))
        return;
    bool wanted = stream.volunteered;
    for (std::size_t k = 0; k < state.n_scores; ++k) {
        products[k] = (rows.dot(i, state.v + k * state.width) + state.constant[k]) * inverse;
        wanted = wanted || std::abs(products[k]) <= state.threshold[k];
    }
    if (!wanted)
        return;
    state.labels += !stream.asked[i];
    stream.asked[i] = 1;
    for (std::size_t k = 0; k < state.n_scores; ++k) {
        if (!stream.volunteered && std::abs(products[k]) > state.threshold[k])
            continue;
        const bool own = state.n_scores == 1 ? stream.y[i] == 1 : stream.y[i] == static_cast<std::int32_t>(k);
        meet(rows, i, own ? 1.0 : -1.0, products[k], inverse, stream, k, state);
    }
}

} // namespace detail

/// Rows of the stream from visit `begin` until the state knows `enough` labels or the stream ends; the visit to go on
/// with. Requires rows as wide as the state, y[i] below 2 (n_scores 1) or n_scores. O(visits × n_scores × width), or the
/// stored cells instead of the width.
template <class Rows>
std::size_t active_stream(const Rows& rows, const ActiveStream& stream, std::size_t begin, std::size_t enough,
                          ActiveState& state, Monitor& monitor) {
    const std::size_t chunk = rows_per_chunk(state.width, state.n_scores);
    std::vector<double> products(state.n_scores), scratch(state.width);
    std::size_t v = begin;
    for (; v < stream.visits.n && state.labels < enough; ++v) {
        if ((v - begin) % chunk == 0)
            monitor.check();
        detail::see(rows, stream.visits[v], stream, state, products.data(), scratch.data());
    }
    return v;
}

} // namespace margin::linear
