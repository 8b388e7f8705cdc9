#pragma once
// Distances between rows of numbers. A family: each is one struct, the list stands at the end.
#include "margin/core/one_of.hpp"
#include "margin/core/simd.hpp"
#include <cmath>
#include <string_view>

namespace margin::neighbors {

// A distance is a sum (or largest) of terms over the columns, and a last step that does not change the order:
//     distance(a, b) = finish(join over j of term(a_j - b_j)).
// Neighbours are compared before the last step.

/// sqrt(sum (a_j - b_j)^2)
struct Euclidean {
    static constexpr std::string_view name = "euclidean";
    template <class T>
    MARGIN_INLINED static T term(T d, double) {
        return d * d;
    }
    template <class T>
    MARGIN_INLINED static T join(T s, T t) {
        return s + t;
    }
    static double finish(double s, double) { return std::sqrt(s); }
};

/// sum |a_j - b_j|
struct Manhattan {
    static constexpr std::string_view name = "manhattan";
    template <class T>
    MARGIN_INLINED static T term(T d, double) {
        return std::abs(d);
    }
    template <class T>
    MARGIN_INLINED static T join(T s, T t) {
        return s + t;
    }
    static double finish(double s, double) { return s; }
};

/// max |a_j - b_j|
struct Chebyshev {
    static constexpr std::string_view name = "chebyshev";
    template <class T>
    MARGIN_INLINED static T term(T d, double) {
        return std::abs(d);
    }
    template <class T>
    MARGIN_INLINED static T join(T s, T t) {
        return s < t ? t : s;
    }
    static double finish(double s, double) { return s; }
};

/// (sum |a_j - b_j|^p)^(1/p)
struct Minkowski {
    static constexpr std::string_view name = "minkowski";
    template <class T>
    MARGIN_INLINED static T term(T d, double p) {
        return static_cast<T>(std::pow(std::abs(d), static_cast<T>(p)));
    }
    template <class T>
    MARGIN_INLINED static T join(T s, T t) {
        return s + t;
    }
    static double finish(double s, double p) { return std::pow(s, 1 / p); }
};

using Distances = OneOf<Euclidean, Manhattan, Chebyshev, Minkowski>;

} // namespace margin::neighbors
