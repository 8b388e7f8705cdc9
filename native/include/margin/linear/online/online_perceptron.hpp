#pragma once
// Rosenblatt's perceptron (1958): weights that are moved by mistakes only.
//
// Two classes: with y = +1 or -1 a mistake is y (w . x + b) <= 0, and is answered by w += s y x, b += s y. More classes
// have weights w_k each: a mistake is w_y . x + b_y <= max over the others, and x is added to the weights of its class
// and taken from those of the best other (Crammer, Singer 2003). With two classes that is the same rule.
#include "margin/core/monitor.hpp"
#include "margin/linear/rows.hpp"
#include <algorithm>
#include <vector>

namespace margin::linear {

/// The vectors of a voted perceptron, each with the number of visits it survived. Freund, Schapire (1999).
/// Where there are more than `capacity`, the oldest, from when little was learnt, make room.
struct Voters {
    double* vectors = nullptr; // capacity × (n_scores * (width + 1)): padded weights, then intercepts
    double* survived = nullptr;
    std::size_t capacity = 0;
    std::size_t made = 0; // of all times
};

/// What a pass reads and changes. Sums are those from which averages follow: the mean of the weights after each of
/// `age` visits is w - late_w / age, where late_w is the sum of (visits before it) × (change) over all changes.
struct PerceptronState {
    double* w = nullptr;      // n_scores × width
    double* b = nullptr;      // n_scores
    double* late_w = nullptr; // null where no average is wanted
    double* late_b = nullptr;
    Voters voters;
    std::size_t n_scores = 1; // 1 for two classes
    std::size_t width = 0;    // padded
    double age = 0;
};

/// How a pass is made: the step for every mistake times that of its row (null: 1).
struct PerceptronPass {
    Visits visits;
    const std::int32_t* y = nullptr; // 0 … n_classes - 1
    const double* step = nullptr;
    double eta = 1;
    bool intercept = true;
    std::size_t log_room = 0; // mistakes to be listed; further ones are counted only
};

struct Mistakes {
    std::vector<std::int64_t> rows;
    std::size_t n = 0;
};

namespace detail {

/// Weights k += factor x_i, and whatever averages need to know of it.
template <class Rows>
MARGIN_INLINED void correct(const Rows& rows, std::size_t i, double factor, std::size_t k, bool intercept,
                            PerceptronState& state) {
    rows.add(i, factor, state.w + k * state.width);
    if (intercept)
        state.b[k] += factor;
    if (state.late_w) {
        rows.add(i, factor * state.age, state.late_w + k * state.width);
        if (intercept)
            state.late_b[k] += factor * state.age;
    }
}

/// A new voter: the weights as they are now.
inline void enlist(PerceptronState& state) {
    Voters& voters = state.voters;
    const std::size_t place = voters.made % voters.capacity, cells = state.n_scores * state.width;
    double* vector = voters.vectors + place * (cells + state.n_scores);
    std::copy_n(state.w, cells, vector);
    std::copy_n(state.b, state.n_scores, vector + cells);
    voters.survived[place] = 0;
    ++voters.made;
}

inline void note(Mistakes& found, std::size_t row, const PerceptronPass& pass) {
    ++found.n;
    if (found.rows.size() < pass.log_room)
        found.rows.push_back(static_cast<std::int64_t>(row));
}

template <class Rows>
[[gnu::noinline]] void after_mistake(const Rows&, std::size_t i, const PerceptronPass& pass, PerceptronState& state,
                                     Mistakes& found) {
    note(found, i, pass);
    if (state.voters.capacity)
        enlist(state);
}

MARGIN_INLINED void survive(PerceptronState& state) noexcept {
    state.age += 1;
    if (state.voters.capacity && state.voters.made)
        state.voters.survived[(state.voters.made - 1) % state.voters.capacity] += 1;
}

/// Visits [begin, end) with two classes.
template <class Rows>
MARGIN_SIMD_LOOK void visit_two(const Rows& rows, const PerceptronPass& pass, std::size_t begin, std::size_t end,
                                PerceptronState& state, Mistakes& found) {
    for (std::size_t v = begin; v < end; ++v) {
        fetch_later(rows, pass.y, pass.visits, v);
        const std::size_t i = pass.visits[v];
        const double sign = pass.y[i] ? 1 : -1;
        if (!(sign * (rows.dot(i, state.w) + state.b[0]) > 0)) {
            correct(rows, i, sign * pass.eta * (pass.step ? pass.step[i] : 1), 0, pass.intercept, state);
            after_mistake(rows, i, pass, state, found);
        }
        survive(state);
    }
}

/// The same with more classes; of several best others the first counts.
template <class Rows>
MARGIN_SIMD_LOOK void visit_many(const Rows& rows, const PerceptronPass& pass, std::size_t begin, std::size_t end,
                                 PerceptronState& state, Mistakes& found) {
    for (std::size_t v = begin; v < end; ++v) {
        fetch_later(rows, pass.y, pass.visits, v);
        const std::size_t i = pass.visits[v];
        const auto own = static_cast<std::size_t>(pass.y[i]);
        double mine = 0, most = 0;
        std::size_t best = state.n_scores;
        for (std::size_t k = 0; k < state.n_scores; ++k) {
            const double score = rows.dot(i, state.w + k * state.width) + state.b[k];
            if (k == own)
                mine = score;
            else if (best == state.n_scores || score > most)
                most = score, best = k;
        }
        if (!(mine > most)) {
            const double step = pass.eta * (pass.step ? pass.step[i] : 1);
            correct(rows, i, step, own, pass.intercept, state);
            correct(rows, i, -step, best, pass.intercept, state);
            after_mistake(rows, i, pass, state, found);
        }
        survive(state);
    }
}

} // namespace detail

/// One pass over the visits. Requires rows as wide as the state, visited rows that are there, y[i] below 2 (n_scores 1)
/// or below n_scores (at least 3). O(visits × n_scores × width), or the stored cells instead of the width.
template <class Rows>
Mistakes perceptron_pass(const Rows& rows, const PerceptronPass& pass, PerceptronState& state, Monitor& monitor) {
    const std::size_t chunk = rows_per_chunk(state.width, state.n_scores);
    Mistakes found;
    for (std::size_t begin = 0; begin < pass.visits.n; begin += chunk) {
        monitor.check();
        const std::size_t end = std::min(begin + chunk, pass.visits.n);
        if (state.n_scores == 1)
            detail::visit_two(rows, pass, begin, end, state, found);
        else
            detail::visit_many(rows, pass, begin, end, state, found);
    }
    return found;
}

} // namespace margin::linear
