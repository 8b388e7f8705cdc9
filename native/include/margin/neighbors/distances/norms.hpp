#pragma once
// Norms of the differences between two rows that an index computes cheaply, in bytes or float32, to rule rows out.
#include <algorithm>
#include <cmath>

namespace margin::neighbors {

// Each joins differences: join_errors(s, e) joins how far they may be off, and most_joined(apart, errors) gives the
// largest that may come out in exact arithmetic where the norm is `apart` and the errors are joined to `errors`.

/// sum d^2, whose root is the norm
struct SumOfSquares {
    static constexpr bool unrolled = true; // searches are compiled for some numbers of columns
    double join_errors(double s, double e) const { return s + e * e; }
    double most_joined(double apart, double errors) const {
        const double norm = apart + std::sqrt(errors);
        return norm * norm;
    }
};

/// sum |d|
struct SumOfSizes {
    static constexpr bool unrolled = false;
    double join_errors(double s, double e) const { return s + e; }
    double most_joined(double apart, double errors) const { return apart + errors; }
};

/// max |d|
struct LargestSize {
    static constexpr bool unrolled = false;
    double join_errors(double s, double e) const { return std::max(s, e); }
    double most_joined(double apart, double errors) const { return apart + errors; }
};

/// sum |d|^p, 0 < p <= 4, whose p-th root is the norm. Powers from the bits of a float: exponent and fraction, read as
/// one whole number, are a logarithm that is nowhere too large, and the way back is too large by at most 1.0615 (and by
/// 0.0003 for rounding on the way).
struct SumOfPowers {
    static constexpr bool unrolled = false;
    static constexpr double too_large = 1.0625;
    double p;
    double join_errors(double s, double e) const { return s + std::pow(e, p); }
    double most_joined(double apart, double errors) const {
        return too_large * (p <= 1 ? std::pow(apart, p) + errors : std::pow(apart + std::pow(errors, 1 / p), p));
    }
};

/// 0, which no distance is below: for those that state no bound. Rules nothing out.
struct NoNorm {
    static constexpr bool unrolled = false;
    double join_errors(double, double) const { return 0; }
    double most_joined(double, double) const { return 0; }
};

} // namespace margin::neighbors
