#pragma once
// Which rows float32 can rule out, with certainty.
//
// Let Q and X be a query and a row after shift and scale, in exact arithmetic, and q and x what float32 keeps of them.
// With u = 2^-24, up to terms that the factors below swallow,
//     |x_j - X_j| <= u |X_j| <= u (|Q_j| + |Q_j - X_j|),
//     |q_j - x_j| <= |Q_j - X_j| (1 + u) + e_j   with   e_j = u |Q_j| + |q_j - Q_j|.
// A norm of the differences that is computed in float32, in any order, is then at most
//     (norm of Q - X  +  norm of e) (1 + (columns + 8) u).
// The same holds for the distance to a box of sketches, because it is at most the distance to each sketch in the box.
// So whatever exceeds this bound, with the limit in place of the norm of Q - X, is further away than the limit. Where
// float32 overflows, the bound does too, and rules nothing out.
#include "margin/core/simd.hpp"
#include "margin/neighbors/distances/distance.hpp"
#include "kd_tree.hpp"
#include <algorithm>

namespace margin::neighbors::kd {

// The norms that are computed in float32: each joins differences, and most_joined() gives the largest that may come out
// in exact arithmetic where the distance is `apart` and the errors e_j are joined to `errors`. Each distance uses one
// that is never larger than itself, up to `room`.

struct SumOfSquares {
    double join_errors(double s, double e) const { return s + e * e; }
    double most_joined(double apart, double errors) const {
        const double norm = apart + std::sqrt(errors);
        return norm * norm;
    }
};

struct SumOfSizes {
    double join_errors(double s, double e) const { return s + e; }
    double most_joined(double apart, double errors) const { return apart + errors; }
};

struct LargestSize {
    double join_errors(double s, double e) const { return std::max(s, e); }
    double most_joined(double apart, double errors) const { return apart + errors; }
};

/// Powers 0 < p <= 4 from the bits of a float: exponent and fraction, read as one whole number, are a logarithm that is
/// nowhere too large, and the way back is too large by at most 1.0615 (and by 0.0003 for rounding on the way).
struct SumOfPowers {
    static constexpr double too_large = 1.0625;
    double p;
    double join_errors(double s, double e) const { return s + std::pow(e, p); }
    double most_joined(double apart, double errors) const {
        return too_large * (p <= 1 ? std::pow(apart, p) + errors : std::pow(apart + std::pow(errors, 1 / p), p));
    }
};

/// How a limit in terms of a distance becomes one in terms of the norm of the sketch.
template <class N>
struct Sieve {
    N norm;
    bool squared;    // the distance is compared before its root is taken
    double smallest; // what may have been lost below the smallest numbers
    double unit;     // scale of the tree
    double room;     // 1 + relative error of the norm in float32 and of the distance in double
};

/// The sieve of distance D, for the norm N. Roots amplify: with p small, relative errors of sums count 1/p times.
template <class D, class N>
Sieve<N> sieve_for(const Tree& tree, N norm, double p) {
    constexpr double u = 0x1p-24, eps = std::numeric_limits<double>::epsilon();
    const double columns = static_cast<double>(tree.columns);
    const double of_roots = std::is_same_v<D, Minkowski> ? (columns + 2000) / p * 2 * eps : 0;
    return {norm, std::is_same_v<D, Euclidean>, columns * std::numeric_limits<double>::min(), tree.scale,
            1 + (columns + 16) * u + of_roots};
}

/// f(norm) with the norm that suits distance D best. No Minkowski distance is below the largest size, and few are above
/// it by much if p is large.
template <class D, class F>
decltype(auto) with_norm_for(double p, F&& f) {
    if constexpr (std::is_same_v<D, Euclidean>)
        return f(SumOfSquares{});
    else if constexpr (std::is_same_v<D, Manhattan>)
        return f(SumOfSizes{});
    else if constexpr (std::is_same_v<D, Chebyshev>)
        return f(LargestSize{});
    else if (p <= 4)
        return f(SumOfPowers{p});
    else
        return f(LargestSize{});
}

/// One query as the tree sees it: its sketch, and the errors e_j joined.
template <class N>
class Sketched {
public:
    Sketched(const Tree& tree, const Sieve<N>& sieve) : tree_(tree), sieve_(sieve), cells_(tree.columns) {}

    void draw(const double* query) {
        constexpr double huge = std::numeric_limits<double>::infinity();
        errors_ = 0;
        for (std::size_t j = 0; j < cells_.size(); ++j) {
            const double exact = (query[j] - tree_.shift[j]) * tree_.scale;
            cells_[j] = static_cast<float>(exact);
            double e = std::abs(exact - static_cast<double>(cells_[j])) + 0x1p-50 * std::abs(exact) + 0x1p-140;
            if (tree_.rows)
                e += 0x1p-24 * std::abs(exact);
            errors_ = sieve_.norm.join_errors(errors_, e < huge ? e : huge); // beyond it even e may be no number
        }
    }

    /// The largest joined sketch that a row may have and still be as near as `limit` (a distance before its last step).
    float threshold(double limit) const {
        const double apart = sieve_.squared ? std::sqrt(limit + sieve_.smallest) : limit + sieve_.smallest;
        const double most = sieve_.norm.most_joined(apart * sieve_.unit * sieve_.room, errors_ * sieve_.room);
        const double rounded_up = most * sieve_.room * sieve_.room * (1 + 0x1p-20) + std::numeric_limits<float>::min();
        return rounded_up < 0x1p126 ? static_cast<float>(rounded_up) : std::numeric_limits<float>::infinity();
    }

    const N& norm() const { return sieve_.norm; }
    const float* cells() const { return cells_.data(); }

private:
    const Tree& tree_;
    const Sieve<N>& sieve_;
    std::vector<float> cells_;
    double errors_ = 0;
};

} // namespace margin::neighbors::kd
