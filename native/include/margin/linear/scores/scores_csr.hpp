#pragma once
// Rows of stored cells through one linear layer, as in scores.hpp: looked at, scored and answered in one pass.
#include "margin/data/csr.hpp"
#include "scores.hpp"
#include <type_traits>

namespace margin::linear {

namespace detail {

/// Whether all columns are below `width`; a negative one is beyond every width.
template <class Index>
MARGIN_SIMD_LOOK bool all_inside(const Index* columns, std::size_t n, std::size_t width) {
    using Unsigned = std::make_unsigned_t<Index>;
    const std::size_t most = static_cast<std::size_t>(std::numeric_limits<Index>::max()) + 1;
    const auto beyond = static_cast<Unsigned>(std::min(width, most));
    Index outside = 0; // as wide as an index, so that both fill vectors alike
    for (std::size_t c = 0; c < n; ++c)
        outside |= static_cast<Unsigned>(columns[c]) >= beyond;
    return outside == 0;
}

/// Whether rows [begin, end) lie within the stored cells and hold nothing that cannot be used. Columns need not ascend,
/// and one that stands twice counts twice: sums do not mind.
template <class T, class Index>
bool can_be_scored(const data::Csr<T, Index>& x, std::size_t stored, std::size_t begin, std::size_t end, T largest) {
    for (std::size_t i = begin; i < end; ++i)
        if (x.start[i] < 0 || x.start[i] > x.start[i + 1])
            return false;
    const auto first = static_cast<std::size_t>(x.start[begin]), last = static_cast<std::size_t>(x.start[end]);
    return last <= stored && all_inside(x.columns + first, last - first, x.width) &&
           data::all_within(x.values + first, last - first, largest);
}

inline constexpr std::size_t across = 12; // scores whose coefficients of a column stand side by side: three vectors

/// out = x . w for one row of n stored cells, in four running sums: cell c in sum c mod 4.
template <class T, class Index>
MARGIN_INLINED double score_cells(const T* values, const Index* columns, std::size_t n, const double* w) {
    double sums[4] = {};
    std::size_t c = 0;
    for (; c + 4 <= n; c += 4)
        for (std::size_t j = 0; j < 4; ++j)
            sums[j] += static_cast<double>(values[c + j]) * w[columns[c + j]];
    for (std::size_t j = 0; c < n; ++c, ++j)
        sums[j] += static_cast<double>(values[c]) * w[columns[c]];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

template <class T, class Index>
MARGIN_SIMD_LOOK void score_each(const data::Csr<T, Index>& x, std::size_t begin, std::size_t end, const Layer& layer,
                                 double* scores) {
    for (std::size_t i = begin; i < end; ++i)
        for (std::size_t k = 0; k < layer.n_scores; ++k) {
            const auto first = static_cast<std::size_t>(x.start[i]), last = static_cast<std::size_t>(x.start[i + 1]);
            *scores++ = score_cells(x.values + first, x.columns + first, last - first, layer.coef + k * layer.columns);
        }
}

/// The same sums for up to twelve scores at once. Requires panel[j * across + k] = coef[k][j].
template <class T, class Index>
MARGIN_INLINED void score_panel(const T* values, const Index* columns, std::size_t n, const double* panel,
                                std::size_t n_scores, double* scores) {
    Four sums[4][3] = {};
    const auto add = [&](std::size_t c, Four(&to)[3]) __attribute__((always_inline)) {
        const Four* line = reinterpret_cast<const Four*>(panel + static_cast<std::size_t>(columns[c]) * across);
        const double value = values[c];
#pragma GCC unroll 3
        for (std::size_t v = 0; v < 3; ++v)
            to[v] += value * line[v];
    };
    std::size_t c = 0;
    for (; c + 4 <= n; c += 4) {
#pragma GCC unroll 4
        for (std::size_t j = 0; j < 4; ++j)
            add(c + j, sums[j]);
    }
#pragma GCC unroll 3
    for (std::size_t j = 0; j < 3; ++j)
        if (c + j < n)
            add(c + j, sums[j]);
    for (std::size_t k = 0; k < n_scores; ++k)
        scores[k] = (sums[0][k / 4][k % 4] + sums[2][k / 4][k % 4]) + (sums[1][k / 4][k % 4] + sums[3][k / 4][k % 4]);
}

template <class T, class Index>
MARGIN_SIMD_LOOK void score_panels(const data::Csr<T, Index>& x, std::size_t begin, std::size_t end, const Layer& layer,
                                   const double* panels, double* scores) {
    for (std::size_t k = 0; k < layer.n_scores; k += across, panels += layer.columns * across)
        for (std::size_t i = begin; i < end; ++i) {
            const auto first = static_cast<std::size_t>(x.start[i]), last = static_cast<std::size_t>(x.start[i + 1]);
            score_panel(x.values + first, x.columns + first, last - first, panels, std::min(across, layer.n_scores - k),
                        scores + (i - begin) * layer.n_scores + k);
        }
}

/// The coefficients of twelve scores side by side, a line per column, filled up with zeros.
inline std::vector<double> coefficient_panels(const Layer& layer, std::size_t n_threads, Monitor& monitor) {
    const std::size_t columns = layer.columns, n_panels = (layer.n_scores + across - 1) / across;
    std::vector<double> panels(n_panels * columns * across);
    parallel_for(columns, 1024, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t k = 0; k < layer.n_scores; ++k) {
            double* panel = panels.data() + k / across * columns * across + k % across;
            for (std::size_t j = begin; j < end; ++j)
                panel[j * across] = layer.coef[k * columns + j];
        }
    });
    return panels;
}

inline constexpr std::size_t stored_rows_in_hand = 32; // their cells stay in the first cache from look to score

/// Rows [begin, end), at most those in hand; as answer_rows.
template <class Answer, class T, class Index>
bool answer_stored(const data::Csr<T, Index>& x, std::size_t stored, std::size_t begin, std::size_t end,
                   const Layer& layer, const std::vector<double>& panels, T largest, double* scores,
                   typename Answer::Out* out) {
    if (!can_be_scored(x, stored, begin, end, largest))
        return false;
    const std::size_t rows = end - begin;
    if (panels.empty())
        score_each(x, begin, end, layer, scores);
    else
        score_panels(x, begin, end, layer, panels.data(), scores);
    const bool all_finite = data::all_within(scores, rows * layer.n_scores, finite);
    add_intercepts(scores, rows, layer);
    Answer::answer(scores, rows, layer.n_scores, out + begin * Answer::width(layer.n_scores));
    return all_finite;
}

} // namespace detail

/// As answer_dense for a matrix with `stored` cells. False also, with `out` in part unwritten, if rows or columns lie
/// outside of the matrix; nothing is read there. Requires a layer without center and spread.
/// O(rows + stored n_scores) time, and O(columns n_scores) where many cells make it worth to turn the coefficients.
template <class Answer, class T, class Index>
bool answer_csr(const data::Csr<T, Index>& x, std::size_t stored, const Layer& layer, T largest,
                typename Answer::Out* out, std::size_t n_threads, Monitor& monitor) {
    if (static_cast<std::size_t>(x.start[0]) != 0 || static_cast<std::size_t>(x.start[x.rows]) != stored)
        return false;
    std::vector<double> panels;
    if (layer.n_scores > 1 && stored >= layer.columns / 4)
        panels = detail::coefficient_panels(layer, n_threads, monitor);
    std::atomic<bool> fine = true;
    parallel_for(x.rows, 512, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<double> scores(detail::stored_rows_in_hand * layer.n_scores);
        for (std::size_t i = begin; i < end; i += detail::stored_rows_in_hand)
            if (!detail::answer_stored<Answer>(x, stored, i, std::min(i + detail::stored_rows_in_hand, end), layer,
                                               panels, largest, scores.data(), out))
                fine = false;
    });
    return fine;
}

} // namespace margin::linear
