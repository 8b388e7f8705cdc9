#pragma once
// Rows through one linear layer, f(x) = W x + b, and on to what is asked of the scores (answers.hpp), in one pass.
//
// Cells are looked at while they are in the cache. Coefficients are read as they stand, row after row: there is no
// packed copy that could differ from what a user has put there. A row's scores are the same bits in any batch.
#include "answers.hpp"
#include "margin/core/threads.hpp"
#include "margin/data/cells.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::linear {

/// One row of coefficients and one intercept for each score. Where `center` is given, a row is first put on the scale
/// that the coefficients are for: (x - center) / spread.
struct Layer {
    const double* coef = nullptr;
    const double* intercept = nullptr;
    const double* center = nullptr;
    const double* spread = nullptr;
    std::size_t n_scores = 0, columns = 0;
};

namespace detail {

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef float FourFloats __attribute__((vector_size(16), aligned(4), may_alias));
typedef std::int64_t FourBits __attribute__((vector_size(32), aligned(8), may_alias));

MARGIN_INLINED void load(const double* from, Four& to) { to = *reinterpret_cast<const Four*>(from); }
MARGIN_INLINED void load(const float* from, Four& to) {
    to = __builtin_convertvector(*reinterpret_cast<const FourFloats*>(from), Four);
}

/// The last 1 to 3 of n cells, in the last lanes where n >= 4 and in the first ones otherwise; the others are 0.
template <class T>
MARGIN_INLINED void load_rest(const T* row, std::size_t n, std::size_t rest, Four& to) {
    if (n < 4) {
        to = Four{static_cast<double>(row[0]), n > 1 ? static_cast<double>(row[1]) : 0.0,
                  n > 2 ? static_cast<double>(row[2]) : 0.0, 0.0}; // a lane by number would go through memory
        return;
    }
    constexpr std::int64_t keep[] = {0, 0, 0, 0, -1, -1, -1, -1};
    load(row + n - 4, to);
    to = reinterpret_cast<Four>(reinterpret_cast<FourBits>(to) & *reinterpret_cast<const FourBits*>(keep + rest));
}

// Lanes of two vectors by number.
#ifdef __clang__
#define MARGIN_LANES(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define MARGIN_LANES(a, b, ...) __builtin_shuffle(a, b, FourBits{__VA_ARGS__})
#endif

/// out[k] = (s_k[0] + s_k[1]) + (s_k[2] + s_k[3]), for four scores at once where there are as many.
template <std::size_t Scores>
MARGIN_INLINED void join(const Four (&s)[Scores], double* out) {
    if constexpr (Scores == 4) {
        const Four first = MARGIN_LANES(s[0], s[1], 0, 4, 2, 6) + MARGIN_LANES(s[0], s[1], 1, 5, 3, 7);
        const Four second = MARGIN_LANES(s[2], s[3], 0, 4, 2, 6) + MARGIN_LANES(s[2], s[3], 1, 5, 3, 7);
        *reinterpret_cast<Four*>(out) =
            MARGIN_LANES(first, second, 0, 1, 4, 5) + MARGIN_LANES(first, second, 2, 3, 6, 7);
    } else {
#pragma GCC unroll 3
        for (std::size_t k = 0; k < Scores; ++k)
            out[k] = (s[k][0] + s[k][1]) + (s[k][2] + s[k][3]);
    }
}

#undef MARGIN_LANES

/// out[r * stride + k] = x_r . coef_k in four running sums: column j in sum j mod 4, but for the last d mod 4 columns.
template <std::size_t Rows, std::size_t Scores, class T>
MARGIN_INLINED void score_tile(const T* __restrict x, const double* __restrict coef, std::size_t columns,
                               std::size_t stride, double* __restrict out) {
    Four sums[Rows][Scores] = {};
    const auto add = [&](auto&& load_from) __attribute__((always_inline)) {
        // With the twelve sums of three rows and four scores all registers of AVX2. Set to 0, although all is written
        // below: GCC otherwise keeps track of the lanes one by one, and is a quarter slower.
        Four cells[Rows] = {}, weights = {};
#pragma GCC unroll 4
        for (std::size_t r = 0; r < Rows; ++r)
            load_from(x + r * columns, cells[r]);
#pragma GCC unroll 4
        for (std::size_t k = 0; k < Scores; ++k) {
            load_from(coef + k * columns, weights);
#pragma GCC unroll 4
            for (std::size_t r = 0; r < Rows; ++r)
                sums[r][k] += cells[r] * weights;
        }
    };
    std::size_t t = 0;
    for (; t + 4 <= columns; t += 4)
        add([t](const auto* row, Four& to) __attribute__((always_inline)) { load(row + t, to); });
    if (t < columns)
        add([=](const auto* row, Four& to)
                __attribute__((always_inline)) { load_rest(row, columns, columns - t, to); });
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
        join(sums[r], out + r * stride);
}

template <std::size_t Scores, class T>
MARGIN_INLINED void score_rows(const T* x, std::size_t rows, const double* coef, std::size_t columns,
                               std::size_t stride, double* out) {
    constexpr std::size_t tile = Scores == 4 ? 3 : 4;
    std::size_t r = 0;
    for (; r + tile <= rows; r += tile)
        score_tile<tile, Scores>(x + r * columns, coef, columns, stride, out + r * stride);
    for (; r < rows; ++r)
        score_tile<1, Scores>(x + r * columns, coef, columns, stride, out + r * stride);
}

/// scores[i][k] = x_i . coef_k, without the intercepts.
template <class T>
MARGIN_SIMD void products(const T* x, std::size_t rows, const Layer& layer, double* scores) {
    const std::size_t all = layer.n_scores, columns = layer.columns;
    std::size_t k = 0;
    for (; k + 4 <= all; k += 4)
        score_rows<4>(x, rows, layer.coef + k * columns, columns, all, scores + k);
    if (all - k == 3)
        score_rows<3>(x, rows, layer.coef + k * columns, columns, all, scores + k);
    else if (all - k == 2)
        score_rows<2>(x, rows, layer.coef + k * columns, columns, all, scores + k);
    else if (all - k == 1)
        score_rows<1>(x, rows, layer.coef + k * columns, columns, all, scores + k);
}

template <class T>
MARGIN_SIMD_LOOK void scaled(const T* __restrict x, std::size_t rows, const Layer& layer, double* __restrict to) {
    const double* __restrict center = layer.center, * __restrict spread = layer.spread;
    const std::size_t columns = layer.columns;
    for (std::size_t r = 0; r < rows; ++r, x += columns, to += columns)
        for (std::size_t j = 0; j < columns; ++j)
            to[j] = (static_cast<double>(x[j]) - center[j]) / spread[j];
}

inline void add_intercepts(double* scores, std::size_t rows, const Layer& layer) {
    for (std::size_t i = 0; i < rows; ++i, scores += layer.n_scores)
        for (std::size_t k = 0; k < layer.n_scores; ++k)
            scores[k] += layer.intercept[k];
}

inline constexpr double finite = std::numeric_limits<double>::max();

/// Rows that stay in the first cache while all scores pass over them, and rows that make it worth to wake a thread.
constexpr std::size_t rows_in_hand(std::size_t columns) noexcept {
    return std::clamp<std::size_t>(2048 / std::max<std::size_t>(columns, 1), 1, 64) * 4;
}
constexpr std::size_t rows_in_chunk(std::size_t columns) noexcept { return rows_in_hand(columns) * 8; }

/// Room for the rows in hand: their scores, and their cells on the scale of the coefficients.
struct Hand {
    std::vector<double> scores, cells;
    Hand(std::size_t rows, const Layer& layer)
        : scores(rows * layer.n_scores), cells(layer.center ? rows * layer.columns : 0) {}
};

/// False if a cell cannot be used, and then nothing is answered, or if a score is not finite.
template <class Answer, class T>
bool answer_rows(const T* x, std::size_t rows, const Layer& layer, T largest, typename Answer::Out* out, Hand& hand) {
    if (!data::all_within(x, rows * layer.columns, largest))
        return false;
    double* scores = hand.scores.data();
    if (layer.center) {
        scaled(x, rows, layer, hand.cells.data());
        products(hand.cells.data(), rows, layer, scores);
    } else {
        products(x, rows, layer, scores);
    }
    const bool fine = data::all_within(scores, rows * layer.n_scores, finite);
    add_intercepts(scores, rows, layer);
    Answer::answer(scores, rows, layer.n_scores, out);
    return fine;
}

} // namespace detail

/// Whether so little is asked that watching for Ctrl-C and other threads would cost more than the answer.
inline bool is_small(std::size_t rows, const Layer& layer) noexcept {
    return rows <= detail::rows_in_hand(layer.columns) && layer.n_scores * layer.columns <= 1 << 16;
}

/// out[i] = what Answer makes of the scores W x_i + b of each row; Answer::width(n_scores) cells per row.
/// False, with `out` in part unwritten, if a cell is missing, infinite or above `largest` in magnitude; also, with `out`
/// written, if some W x_i is not finite. Requires finite coefficients, n_scores > 0; intercepts may be infinite.
/// O(rows columns n_scores) time.
template <class Answer, class T>
bool answer_dense(const T* x, std::size_t rows, const Layer& layer, T largest, typename Answer::Out* out,
                  std::size_t n_threads, Monitor& monitor) {
    if (rows == 0)
        return true;
    const std::size_t in_hand = detail::rows_in_hand(layer.columns), width = Answer::width(layer.n_scores);
    if (rows <= in_hand) {
        detail::Hand hand(rows, layer);
        return detail::answer_rows<Answer>(x, rows, layer, largest, out, hand);
    }
    std::atomic<bool> fine = true;
    const std::size_t chunk = detail::rows_in_chunk(layer.columns);
    parallel_for(rows, chunk, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        detail::Hand hand(in_hand, layer);
        for (std::size_t i = begin; i < end; i += in_hand)
            if (!detail::answer_rows<Answer>(x + i * layer.columns, std::min(in_hand, end - i), layer, largest,
                                             out + i * width, hand))
                fine = false;
    });
    return fine;
}

} // namespace margin::linear
