#pragma once
// One pass over dense rows: the losses of a linear support vector machine, their gradient and their dual variables.
//
// A score k tells class target[k] (sign +1) from the others (-1); m = sign f(x) is a row's margin, c its bound. A row's
// share a in a score is its dual variable in units of c:
//     squared hinge   c max(0, 1 - m)^2     alpha = 2 c a,  a = max(0, 1 - m)
//     hinge           c max(0, 1 - m)       alpha = c a,    a = clip(p + (1 - m) / mu, 0, 1)
// The hinge has a corner, which the quadratic term of an augmented Lagrangian rounds off over margins of about the width
// mu around where a share p was before: with a = argmax_{0 <= a <= 1} a (1 - m) - mu (a - p)^2 / 2 its value is that
// maximum, below the hinge, smooth, and the same as the hinge in its minimum once p is the solution of the dual.
//
// A quantity y with a tube of half width t around it is the same with residuals r = y - f(x) and shares of both signs,
// which push the answer up or down:
//     squared tube    c max(0, |r| - t)^2   alpha = 2 c a,  a = sign(r) max(0, |r| - t)
//     tube            c max(0, |r| - t)     alpha = c a,    a = argmax_{|a| <= 1} a r - t |a| - mu (a - p)^2 / 2
#include "margin/core/threads.hpp"
#include "margin/linear/dense/dense_pass.hpp"
#include <cmath>
#include <cstdint>
#include <vector>

namespace margin::svm {

template <class T>
struct MarginRows {
    const T* x;
    const std::int32_t* y;
    const double* bound; // c of each row, above 0; null: `bound_of_all`
    double bound_of_all;
    std::size_t rows, columns, scores;
    const std::int32_t* target; // the class of each score
    const double* coef;         // one line of columns for each score
    const double* intercept;
    const double* origin;             // scores are coef (x - origin) + intercept; null: 0
    const double* quantity = nullptr; // what one score is to come near to, where rows have a quantity and no class
    double tube = 0;                  // how far from it nothing is lost
};

/// How the hinge is rounded off: the width for each score, and the shares before (rows × scores; null: 1/2 each, of a
/// quantity 0).
struct Rounding {
    const double* width;
    const double* before;
};

/// Sums over the rows for each score: the loss, the loss rounded off, sum alpha - alpha^2 / (4 c) (of the hinge: sum
/// alpha), and the derivatives -sum alpha sign x and -sum alpha sign of the rounded loss. Of a quantity the third is
/// sum alpha y - t |alpha| - alpha^2 / (4 c), of the tube not squared without its last term, and there are no signs.
struct MarginSums {
    std::vector<double> loss, smooth, dual, gradient, intercept_gradient;

    MarginSums(std::size_t scores, std::size_t stride)
        : loss(scores), smooth(scores), dual(scores), gradient(scores * stride), intercept_gradient(scores) {}

    void add(const MarginSums& part) {
        const auto into = [](std::vector<double>& to, const std::vector<double>& from) {
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] += from[i];
        };
        into(loss, part.loss);
        into(smooth, part.smooth);
        into(dual, part.dual);
        into(gradient, part.gradient);
        into(intercept_gradient, part.intercept_gradient);
    }
};

namespace detail {

/// What the scores of one tile are, and where its shares and residuals (-alpha sign) go. `stride` numbers a row in
/// `scores` and `residual`, `count` of them used and `count` in `share` and `before`.
struct MarginTile {
    const double* scores;
    const std::int32_t* y;
    const double* bound;
    double bound_of_all;
    const double* before;
    std::size_t rows, count, stride;
    double *share, *residual;
    const double* quantity;
    double tube;
};

/// The sums of one score over a tile. Loops over rows hold no branch, so that they become vectors.
MARGIN_SIMD inline void squared_hinge_tile(const MarginTile& t, std::size_t k, std::int32_t target, MarginSums& to) {
    double loss = 0, dual = 0, balance = 0;
    for (std::size_t i = 0; i < t.rows; ++i) {
        const double c = t.bound ? t.bound[i] : t.bound_of_all, sign = t.y[i] == target ? 1.0 : -1.0;
        const double left = 1 - sign * t.scores[i * t.stride + k];
        const double a = 0.5 * (left + std::abs(left)); // without a branch, which would be guessed wrong half the time
        t.share[i * t.count + k] = a;
        t.residual[i * t.stride + k] = -2 * c * a * sign;
        loss += c * a * a;
        dual += c * a * (2 - a);
        balance -= 2 * c * a * sign;
    }
    to.loss[k] += loss;
    to.smooth[k] += loss;
    to.dual[k] += dual;
    to.intercept_gradient[k] += balance;
}

MARGIN_SIMD inline void hinge_tile(const MarginTile& t, std::size_t k, std::int32_t target, double width,
                                   MarginSums& to) {
    double loss = 0, smooth = 0, dual = 0, balance = 0;
    const double steep = 1 / width;
    for (std::size_t i = 0; i < t.rows; ++i) {
        const double c = t.bound ? t.bound[i] : t.bound_of_all, sign = t.y[i] == target ? 1.0 : -1.0;
        const double left = 1 - sign * t.scores[i * t.stride + k], p = t.before ? t.before[i * t.count + k] : 0.5;
        double a = p + left * steep;
        a = a > 0 ? a : 0.0;
        a = a < 1 ? a : 1.0;
        t.share[i * t.count + k] = a;
        t.residual[i * t.stride + k] = -c * a * sign;
        loss += c * (left > 0 ? left : 0.0);
        smooth += c * (a * left - 0.5 * width * (a - p) * (a - p));
        dual += c * a;
        balance -= c * a * sign;
    }
    to.loss[k] += loss;
    to.smooth[k] += smooth;
    to.dual[k] += dual;
    to.intercept_gradient[k] += balance;
}

/// The same of the one score that is to come near to a quantity.
MARGIN_SIMD inline void squared_tube_tile(const MarginTile& t, MarginSums& to) {
    double loss = 0, dual = 0, balance = 0;
    for (std::size_t i = 0; i < t.rows; ++i) {
        const double c = t.bound ? t.bound[i] : t.bound_of_all, y = t.quantity[i], r = y - t.scores[i];
        const double a = r - (r > t.tube ? t.tube : r < -t.tube ? -t.tube : r);
        t.share[i] = a;
        t.residual[i] = -2 * c * a;
        loss += c * a * a;
        dual += c * (2 * (a * y - t.tube * std::abs(a)) - a * a);
        balance -= 2 * c * a;
    }
    to.loss[0] += loss;
    to.smooth[0] += loss;
    to.dual[0] += dual;
    to.intercept_gradient[0] += balance;
}

MARGIN_SIMD inline void tube_tile(const MarginTile& t, double width, MarginSums& to) {
    double loss = 0, smooth = 0, dual = 0, balance = 0;
    const double steep = 1 / width, flat = t.tube * steep;
    for (std::size_t i = 0; i < t.rows; ++i) {
        const double c = t.bound ? t.bound[i] : t.bound_of_all, y = t.quantity[i], r = y - t.scores[i];
        const double p = t.before ? t.before[i] : 0.0, left = std::abs(r) - t.tube, wanted = p + r * steep;
        double a = wanted - (wanted > flat ? flat : wanted < -flat ? -flat : wanted);
        a = a > -1 ? a : -1.0;
        a = a < 1 ? a : 1.0;
        t.share[i] = a;
        t.residual[i] = -c * a;
        loss += c * (left > 0 ? left : 0.0);
        smooth += c * (a * r - t.tube * std::abs(a) - 0.5 * width * (a - p) * (a - p));
        dual += c * (a * y - t.tube * std::abs(a));
        balance -= c * a;
    }
    to.loss[0] += loss;
    to.smooth[0] += smooth;
    to.dual[0] += dual;
    to.intercept_gradient[0] += balance;
}

/// Room for the tiles of a block of rows.
template <class T>
class MarginBlock {
public:
    MarginBlock(const MarginRows<T>& of, const Rounding* rounding, const double* coef, double* share)
        : of_(of), rounding_(rounding), coef_(coef), share_(share), stride_(linear::padded_to_four(of.columns)),
          scores_(of.scores == 1 ? 1 : linear::padded_to_four(of.scores)), tile_rows_(linear::rows_in_tile(of.columns)),
          tile_(tile_rows_ * stride_), f_(tile_rows_ * scores_), residual_(tile_rows_ * scores_) {}

    void add(std::size_t begin, std::size_t end, MarginSums& to) {
        for (std::size_t i = begin; i < end; i += tile_rows_)
            add_tile(i, std::min(tile_rows_, end - i), to);
    }

private:
    void add_tile(std::size_t first, std::size_t rows, MarginSums& to) {
        const double* x = linear::tile_of(of_.x + first * of_.columns, rows, of_.columns, of_.origin, tile_.data());
        if (scores_ == 1)
            linear::score_tile(x, rows, stride_, coef_, f_.data());
        else
            linear::score_tile(x, rows, stride_, coef_, f_.data(), scores_);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t k = 0; k < of_.scores; ++k)
                f_[r * scores_ + k] += of_.intercept[k];
        const bool corner = rounding_ != nullptr;
        const MarginTile tile{f_.data(),
                              of_.y ? of_.y + first : nullptr,
                              of_.bound ? of_.bound + first : nullptr,
                              of_.bound_of_all,
                              corner && rounding_->before ? rounding_->before + first * of_.scores : nullptr,
                              rows,
                              of_.scores,
                              scores_,
                              share_ + first * of_.scores,
                              residual_.data(),
                              of_.quantity ? of_.quantity + first : nullptr,
                              of_.tube};
        if (of_.quantity)
            corner ? tube_tile(tile, rounding_->width[0], to) : squared_tube_tile(tile, to);
        for (std::size_t k = 0; k < of_.scores && !of_.quantity; ++k)
            if (corner)
                hinge_tile(tile, k, of_.target[k], rounding_->width[k], to);
            else
                squared_hinge_tile(tile, k, of_.target[k], to);
        linear::add_gradient(x, rows, stride_, residual_.data(), to.gradient.data(), scores_);
    }

    const MarginRows<T>& of_;
    const Rounding* rounding_;
    const double* coef_;
    double* share_;
    std::size_t stride_, scores_, tile_rows_;
    std::vector<double> tile_, f_, residual_;
};

} // namespace detail

/// The sums, and the share of each row in each score (rows × scores) to `share`. `rounding` null: the squared loss.
/// Requires finite scores, widths above 0, shares before within [0, 1] (of a quantity [-1, 1], and one score). O(rows columns scores) time, x is read once;
/// each thread needs room for one gradient. The sums do not depend on the number of threads.
template <class T>
MarginSums margin_sums(const MarginRows<T>& of, const Rounding* rounding, double* share, std::size_t n_threads,
                       Monitor& monitor) {
    const std::size_t stride = linear::padded_to_four(of.columns),
                      scores = of.scores == 1 ? 1 : linear::padded_to_four(of.scores);
    const auto coef = linear::detail::arranged(of.coef, of.scores, of.columns);
    const std::size_t block =
        std::clamp<std::size_t>((1 << 16) / std::max<std::size_t>(stride, 1) / 64 * 64, 256, 2048);
    MarginSums total = reduce_in_order(
        of.rows, block, n_threads, monitor, [=] { return MarginSums(scores, stride); },
        [&](MarginSums& part, std::size_t begin, std::size_t end) {
            detail::MarginBlock<T>(of, rounding, coef.data(), share).add(begin, end, part);
        },
        [](MarginSums& to, const MarginSums& part) { to.add(part); });
    for (std::size_t k = 0; k < of.scores; ++k) // without the padding
        std::copy_n(total.gradient.begin() + k * stride, of.columns, total.gradient.begin() + k * of.columns);
    total.gradient.resize(of.scores * of.columns);
    for (auto* sums : {&total.loss, &total.smooth, &total.dual, &total.intercept_gradient})
        sums->resize(of.scores);
    return total;
}

} // namespace margin::svm
