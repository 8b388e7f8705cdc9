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
#include "kd_tree.hpp"
#include "margin/core/simd.hpp"
#include "margin/neighbors/distances/distance.hpp"
#include <algorithm>

namespace margin::neighbors::kd {

/// A norm as float32 computes it for distance D: that of two rows is at most `factor` times their distance.
template <class D, class N>
struct NormFor : N {
    using Distance = D;
    double p_of_distance, factor;
    double most_apart(double compared) const { return D::finish(compared, p_of_distance) * factor; }
};

/// How a limit in terms of a distance becomes one in terms of the norm of the sketch.
template <class N>
struct Sieve {
    N norm;
    double smallest; // what may have been lost below the smallest numbers
    double unit;     // scale of the tree
    double room;     // 1 + relative error of the norm in float32 and of the distance in double
};

template <class N>
Sieve<N> sieve_for(const Tree& tree, const N& norm) {
    const double columns = static_cast<double>(tree.columns);
    return {norm, columns * std::numeric_limits<double>::min(), tree.scale,
            1 + (columns + 16) * 0x1p-24 + 4 * relative_error<typename N::Distance>(tree.columns, norm.p_of_distance)};
}

/// f(norm) with the norm that distance D states.
template <class D, class F>
decltype(auto) with_norm_for(std::size_t columns, double p, F&& f) {
    const auto give = [&]<class N>(const N& norm, double factor) { return f(NormFor<D, N>{norm, p, factor}); };
    if constexpr (requires { D::bound_in_float32(columns, p, give); })
        return D::bound_in_float32(columns, p, give);
    else
        return give(NoNorm{}, 1.0);
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
        const double apart = sieve_.norm.most_apart(limit + sieve_.smallest);
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
