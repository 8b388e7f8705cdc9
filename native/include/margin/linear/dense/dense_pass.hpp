#pragma once
// One pass over dense rows: the cross-entropy of linear scores and its gradient. X is read once.
#include "dense_losses.hpp"
#include "dense_tiles.hpp"
#include "margin/core/threads.hpp"
#include <cstdint>
#include <vector>

namespace margin::linear {

/// What the pass is over: rows x with classes y and weights w (null: all 1), and one line of `columns` coefficients and
/// an intercept for each score. Scores are coef (x - origin) + intercept (origin null: 0). One score is the log-odds of class 1, several are those of a softmax.
template <class T>
struct DenseProblem {
    const T* x;
    const std::int32_t* y;
    const double* w;
    std::size_t rows, columns, scores;
    const double* coef;
    const double* intercept;
    const double* origin = nullptr;
};

/// Sums over rows of weight times loss, and their derivatives; gradient has one line of columns for each score.
struct DenseSums {
    double loss = 0;
    std::vector<double> gradient, intercept_gradient;
};

namespace detail {

/// A score that no other is compared with: its exponential is 0.
inline constexpr double no_score = -1e300;

/// Sums and room for a block of rows. Scores and columns are padded to multiples of four; one score stays one.
template <class T>
class DenseBlock {
public:
    DenseBlock(const DenseProblem<T>& problem, const double* coef, const double* intercept)
        : problem_(problem), coef_(coef), intercept_(intercept), stride_(padded_to_four(problem.columns)),
          scores_(problem.scores == 1 ? 1 : padded_to_four(problem.scores)), tile_rows_(rows_in_tile(problem.columns)),
          tile_(tile_rows_ * stride_), f_(tile_rows_ * scores_), p_(tile_rows_ * scores_),
          residual_(tile_rows_ * scores_), room_(2 * tile_rows_) {}

    /// Add rows begin … end - 1 to loss, gradient (scores × stride) and intercept gradient.
    void add(std::size_t begin, std::size_t end, double* kept, DenseSums& to) {
        for (std::size_t i = begin; i < end; i += tile_rows_)
            add_tile(i, std::min(tile_rows_, end - i), kept, to);
    }

private:
    void add_tile(std::size_t first, std::size_t rows, double* kept, DenseSums& to) {
        const double* x =
            tile_of(problem_.x + first * problem_.columns, rows, problem_.columns, problem_.origin, tile_.data());
        const std::int32_t* y = problem_.y + first;
        const double* w = problem_.w ? problem_.w + first : nullptr;
        if (scores_ == 1)
            score_tile(x, rows, stride_, coef_, f_.data());
        else
            score_tile(x, rows, stride_, coef_, f_.data(), scores_);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t k = 0; k < scores_; ++k)
                f_[r * scores_ + k] += intercept_[k];
        if (scores_ == 1)
            to.loss += two_class_losses(f_.data(), y, w, rows, residual_.data(), room_.data());
        else
            to.loss += softmax_losses(f_.data(), y, w, rows, scores_, p_.data(), residual_.data(), room_.data());
        add_gradient(x, rows, stride_, residual_.data(), to.gradient.data(), scores_);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t k = 0; k < scores_; ++k)
                to.intercept_gradient[k] += residual_[r * scores_ + k];
        if (kept)
            keep(scores_ == 1 ? f_.data() : p_.data(), rows, kept + first * problem_.scores);
    }

    void keep(const double* p, std::size_t rows, double* to) const {
        for (std::size_t r = 0; r < rows; ++r)
            std::copy_n(p + r * scores_, problem_.scores, to + r * problem_.scores);
    }

    const DenseProblem<T>& problem_;
    const double *coef_, *intercept_;
    std::size_t stride_, scores_, tile_rows_;
    std::vector<double> tile_, f_, p_, residual_, room_;
};

/// Coefficients as the kernels want them: one padded line, or panels of twelve scores with a line for each column.
inline std::vector<double> arranged(const double* coef, std::size_t scores, std::size_t columns) {
    const std::size_t stride = padded_to_four(columns);
    std::vector<double> to(scores == 1 ? stride : panels_for(padded_to_four(scores)) * panel_width * stride);
    for (std::size_t k = 0; k < scores; ++k)
        for (std::size_t j = 0; j < columns; ++j)
            to[scores == 1 ? j : (k / panel_width * stride + j) * panel_width + k % panel_width] =
                coef[k * columns + j];
    return to;
}

} // namespace detail

/// Loss and gradient. Requires y[i] in {0, 1} for one score, else in [0, scores); finite scores.
/// `kept`, if not null, receives the probabilities (rows × scores). O(rows columns scores) time; each thread needs room
/// for one gradient. The sums do not depend on the number of threads.
template <class T>
DenseSums dense_sums(const DenseProblem<T>& problem, double* kept, std::size_t n_threads, Monitor& monitor) {
    const std::size_t stride = padded_to_four(problem.columns),
                      scores = problem.scores == 1 ? 1 : padded_to_four(problem.scores);
    const auto coef = detail::arranged(problem.coef, problem.scores, problem.columns);
    std::vector<double> intercept(scores, detail::no_score);
    std::copy_n(problem.intercept, problem.scores, intercept.begin());
    // Large enough that clearing and adding up a gradient is little beside it, small enough for a share of the work.
    const std::size_t block =
        std::clamp<std::size_t>((1 << 16) / std::max<std::size_t>(stride, 1) / 64 * 64, 256, 2048);
    DenseSums total = reduce_in_order(
        problem.rows, block, n_threads, monitor,
        [=] { return DenseSums{0, std::vector<double>(scores * stride), std::vector<double>(scores)}; },
        [&](DenseSums& part, std::size_t begin, std::size_t end) {
            detail::DenseBlock<T>(problem, coef.data(), intercept.data()).add(begin, end, kept, part);
        },
        [](DenseSums& to, const DenseSums& part) {
            to.loss += part.loss;
            for (std::size_t c = 0; c < to.gradient.size(); ++c)
                to.gradient[c] += part.gradient[c];
            for (std::size_t k = 0; k < to.intercept_gradient.size(); ++k)
                to.intercept_gradient[k] += part.intercept_gradient[k];
        });
    for (std::size_t k = 0; k < problem.scores; ++k) // without the padding
        std::copy_n(total.gradient.begin() + k * stride, problem.columns, total.gradient.begin() + k * problem.columns);
    total.gradient.resize(problem.scores * problem.columns);
    total.intercept_gradient.resize(problem.scores);
    return total;
}

} // namespace margin::linear
