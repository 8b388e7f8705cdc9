#pragma once
// What becomes of the scores of a linear model: the scores themselves, the winning class, or probabilities.
//
// Two classes have one score, that of the second against the first; more have one each. A score of `never` or less
// stands for a class that is never answered. What a row gets does not depend on the rows beside it, to the last bit.
#include "margin/core/exponential.hpp"
#include "margin/core/one_of.hpp"
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace margin::linear {

inline constexpr double never = -5e299;

/// The number of scores that tell so many classes apart; a single class needs none.
constexpr std::size_t scores_for(std::size_t n_classes) noexcept { return n_classes <= 2 ? n_classes / 2 : n_classes; }

namespace detail {

/// shares[i] = { 1 / (1 + e^s), 1 / (1 + e^-s) }, both to full precision.
MARGIN_SIMD inline void two_shares(const double* __restrict scores, std::size_t rows, double* __restrict shares) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double e = exp_inlined(-std::abs(scores[i]));
        const double more = 1 / (1 + e), less = e * more;
        const bool second = scores[i] > 0;
        shares[2 * i] = second ? less : more;
        shares[2 * i + 1] = second ? more : less;
    }
}

MARGIN_SIMD inline void exponentials_in_place(double* cells, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        cells[i] = exp_inlined(cells[i]);
}

/// to = 1 / (1 + e^-s).
MARGIN_SIMD inline void sigmoids(const double* __restrict scores, std::size_t n, double* __restrict to) {
    for (std::size_t i = 0; i < n; ++i) {
        const double e = exp_inlined(-std::abs(scores[i]));
        const double more = 1 / (1 + e);
        to[i] = scores[i] > 0 ? more : e * more;
    }
}

/// Divide the cells of a row by their sum; false if that is 0.
inline bool share_out(double* row, std::size_t n) {
    double total = 0;
    for (std::size_t k = 0; k < n; ++k)
        total += row[k];
    if (!(total > 0))
        return false;
    for (std::size_t k = 0; k < n; ++k)
        row[k] /= total;
    return true;
}

} // namespace detail

/// The scores as they are.
struct Scores {
    static constexpr std::string_view name = "scores";
    using Out = double;
    static constexpr std::size_t width(std::size_t n_scores) noexcept { return n_scores; }
    static void answer(const double* scores, std::size_t rows, std::size_t n_scores, double* out) {
        std::copy_n(scores, rows * n_scores, out);
    }
};

/// The class with the largest score; ties go to the first.
struct Winners {
    static constexpr std::string_view name = "winners";
    using Out = std::int64_t;
    static constexpr std::size_t width(std::size_t) noexcept { return 1; }
    static void answer(const double* scores, std::size_t rows, std::size_t n_scores, std::int64_t* out) {
        for (std::size_t i = 0; n_scores == 1 && i < rows; ++i)
            out[i] = scores[i] > 0;
        for (std::size_t i = 0; n_scores > 1 && i < rows; ++i, scores += n_scores) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < n_scores; ++k)
                best = scores[k] > scores[best] ? k : best;
            out[i] = static_cast<std::int64_t>(best);
        }
    }
};

/// p_k = e^{s_k} / sum of e^{s_l}; of two classes 1 / (1 + e^-s).
struct Softmax {
    static constexpr std::string_view name = "softmax";
    using Out = double;
    static constexpr std::size_t width(std::size_t n_scores) noexcept { return n_scores == 1 ? 2 : n_scores; }
    static void answer(const double* scores, std::size_t rows, std::size_t n_scores, double* out) {
        if (n_scores == 1)
            return detail::two_shares(scores, rows, out);
        for (std::size_t i = 0; i < rows; ++i) {
            const double* row = scores + i * n_scores;
            const double most = *std::max_element(row, row + n_scores);
            for (std::size_t k = 0; k < n_scores; ++k)
                out[i * n_scores + k] = row[k] - most;
        }
        detail::exponentials_in_place(out, rows * n_scores);
        for (std::size_t i = 0; i < rows; ++i)
            detail::share_out(out + i * n_scores, n_scores);
    }
};

/// Each class against the rest: p_k in proportion to 1 / (1 + e^{-s_k}).
struct OneVsRest {
    static constexpr std::string_view name = "one_vs_rest";
    using Out = double;
    static constexpr std::size_t width(std::size_t n_scores) noexcept { return Softmax::width(n_scores); }
    static void answer(const double* scores, std::size_t rows, std::size_t n_scores, double* out) {
        if (n_scores == 1)
            return detail::two_shares(scores, rows, out);
        detail::sigmoids(scores, rows * n_scores, out);
        for (std::size_t i = 0; i < rows; ++i)
            if (!detail::share_out(out + i * n_scores, n_scores)) // so far below 0, 1 / (1 + e^-s) is e^s
                Softmax::answer(scores + i * n_scores, 1, n_scores, out + i * n_scores);
    }
};

/// Zhang (2004), of the modified Huber loss: p_k in proportion to (1 + s_k) / 2 between 0 and 1.
struct Clipped {
    static constexpr std::string_view name = "modified_huber";
    using Out = double;
    static constexpr std::size_t width(std::size_t n_scores) noexcept { return Softmax::width(n_scores); }
    static void answer(const double* scores, std::size_t rows, std::size_t n_scores, double* out) {
        for (std::size_t i = 0; i < rows; ++i, scores += n_scores, out += width(n_scores)) {
            if (n_scores == 1) {
                out[1] = share(scores[0]);
                out[0] = 1 - out[1];
                continue;
            }
            for (std::size_t k = 0; k < n_scores; ++k)
                out[k] = share(scores[k]);
            if (detail::share_out(out, n_scores))
                continue;
            for (std::size_t k = 0; k < n_scores; ++k) // nobody claims the row: all that can be answered are alike
                out[k] = scores[k] > never;
            detail::share_out(out, n_scores);
        }
    }

private:
    static double share(double score) noexcept { return (std::clamp(score, -1.0, 1.0) + 1) / 2; }
};

using Answers = OneOf<Scores, Winners, Softmax, OneVsRest, Clipped>;

} // namespace margin::linear
