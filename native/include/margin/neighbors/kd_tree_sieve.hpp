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
#include "margin/neighbors/distance.hpp"
#include "margin/neighbors/kd_tree.hpp"
#include <algorithm>

namespace margin::neighbors::kd {

// The norms that are computed in float32. Each distance uses one that is never larger than itself.

struct SumOfSquares {
    static double join_errors(double s, double e) { return s + e * e; }
    static double norm(double s) { return std::sqrt(s); }
    static double before_root(double norm) { return norm * norm; }
};

struct SumOfSizes {
    static double join_errors(double s, double e) { return s + e; }
    static double norm(double s) { return s; }
    static double before_root(double norm) { return norm; }
};

struct LargestSize {
    static double join_errors(double s, double e) { return std::max(s, e); }
    static double norm(double s) { return s; }
    static double before_root(double norm) { return norm; }
};

/// How a limit in terms of a distance becomes one in terms of the norm of the sketch.
struct Sieve {
    bool squared;    // the distance is compared before its root is taken
    double smallest; // what may have been lost below the smallest numbers
    double unit;     // scale of the tree, over how many times the norm the distance is at least
    double room;     // 1 + relative error of the norm in float32 and of the distance in double
};

/// The sieve of distance D, for the norm N. Roots amplify: with p small, relative errors of sums count 1/p times.
/// A Minkowski distance is at least the sum of sizes for p <= 1, the Euclidean one for 1 <= p <= 2, columns^(1/p - 1/2)
/// times it for p >= 2, and always the largest size.
template <class D, class N>
Sieve sieve_for(const Tree& tree, double p) {
    constexpr double u = 0x1p-24, eps = std::numeric_limits<double>::epsilon();
    const double columns = static_cast<double>(tree.columns);
    Sieve sieve{std::is_same_v<D, Euclidean>, columns * std::numeric_limits<double>::min(), tree.scale,
                1 + (columns + 16) * u};
    if constexpr (std::is_same_v<D, Minkowski>) {
        if (std::is_same_v<N, SumOfSquares> && p > 2)
            sieve.unit /= std::pow(columns, 1 / p - 0.5) * (1 - 8 * eps);
        sieve.room += (columns + 2000) / p * 2 * eps;
    }
    return sieve;
}

/// f.operator()<N>() for the norm N that suits distance D best.
template <class D, class F>
decltype(auto) with_norm_for(double p, F&& f) {
    if constexpr (std::is_same_v<D, Euclidean>)
        return f.template operator()<SumOfSquares>();
    else if constexpr (std::is_same_v<D, Manhattan>)
        return f.template operator()<SumOfSizes>();
    else if constexpr (std::is_same_v<D, Chebyshev>)
        return f.template operator()<LargestSize>();
    else if (p <= 1)
        return f.template operator()<SumOfSizes>();
    else if (p <= 4)
        return f.template operator()<SumOfSquares>();
    else
        return f.template operator()<LargestSize>();
}

/// One query as the tree sees it: its sketch, and the norm of the errors e_j.
class Sketched {
public:
    explicit Sketched(std::size_t columns) : cells_(columns) {}

    template <class N>
    void draw(const Tree& tree, const Sieve& sieve, const double* query) {
        constexpr double huge = std::numeric_limits<double>::infinity();
        sieve_ = sieve;
        double errors = 0;
        for (std::size_t j = 0; j < cells_.size(); ++j) {
            const double exact = (query[j] - tree.shift[j]) * tree.scale;
            cells_[j] = static_cast<float>(exact);
            double e = std::abs(exact - static_cast<double>(cells_[j])) + 0x1p-50 * std::abs(exact) + 0x1p-140;
            if (tree.rows)
                e += 0x1p-24 * std::abs(exact);
            errors = N::join_errors(errors, e < huge ? e : huge); // beyond it even e may be no number
        }
        error_ = N::norm(errors);
    }

    /// The largest joined sketch that a row may have and still be as near as `limit` (a distance before its last step).
    template <class N>
    float threshold(double limit) const {
        const double apart = (sieve_.squared ? std::sqrt(limit + sieve_.smallest) : limit + sieve_.smallest);
        const double most = N::before_root((apart * sieve_.unit + error_) * sieve_.room) * sieve_.room;
        const double rounded_up = most * (1 + 0x1p-20) + std::numeric_limits<float>::min();
        return rounded_up < std::numeric_limits<float>::max() ? static_cast<float>(rounded_up)
                                                              : std::numeric_limits<float>::infinity();
    }

    const float* cells() const { return cells_.data(); }

private:
    std::vector<float> cells_;
    Sieve sieve_{};
    double error_ = 0;
};

} // namespace margin::neighbors::kd
