#pragma once
// Distances between rows of numbers. A family: each is one struct, the list stands at the end.
#include "margin/core/one_of.hpp"
#include "margin/core/simd.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

namespace margin::neighbors {

// A distance is a sum (or largest) of terms over the columns, and a last step that does not change the order:
//     distance(a, b) = finish(join over j of term(a_j - b_j)).
// Neighbours are compared before the last step. A distance whose terms may over- or underflow gives the whole at once
// instead: settle(joined terms, columns, p, difference of column j), and has nothing left to finish.
//
// Rows may be float or double; the arithmetic is double, and its order is part of the definition (see joined), so that
// every index finds the same bits and equal distances are equal everywhere.

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
    template <class T, class Difference>
    static T settle(T s, std::size_t columns, double p, Difference difference) {
        const T power = static_cast<T>(1 / p);
        if (s > std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon() && std::isfinite(s))
            return std::pow(s, power);
        // Powers that over- or underflowed are taken again with the largest difference as the unit.
        T top = 0;
        for (std::size_t j = 0; j < columns; ++j)
            top = std::max(top, std::abs(difference(j)));
        if (top == 0)
            return 0;
        T sum = 0;
        for (std::size_t j = 0; j < columns; ++j)
            sum += std::pow(std::abs(difference(j)) / top, static_cast<T>(p));
        return top * std::pow(sum, power);
    }
    static double finish(double s, double) { return s; }
};

using Distances = OneOf<Euclidean, Manhattan, Chebyshev, Minkowski>;

/// Column j goes to running sum j mod 8.
inline constexpr std::size_t n_sums = 8;

/// The running sums joined by halves: 0 with 4, 1 with 5 …, then 0 with 2 …, then 0 with 1. A sum without columns is 0
/// and joins without a trace, because terms are at least 0.
template <class D>
MARGIN_INLINED double halved(double (&sums)[n_sums]) {
    for (std::size_t half = n_sums / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i)
            sums[i] = D::join(sums[i], sums[i + half]);
    return sums[0];
}

/// The terms of two rows joined, which is what neighbours are compared by: the definition that every other way to a
/// distance has to agree with to the last bit.
template <class D, class T>
MARGIN_INLINED double joined(const double* query, const T* row, std::size_t columns, double p) {
    double sums[n_sums] = {};
    std::size_t j = 0;
    for (; j + n_sums <= columns; j += n_sums)
        for (std::size_t i = 0; i < n_sums; ++i)
            sums[i] = D::join(sums[i], D::term(query[j + i] - static_cast<double>(row[j + i]), p));
    for (std::size_t i = 0; j < columns; ++i, ++j)
        sums[i] = D::join(sums[i], D::term(query[j] - static_cast<double>(row[j]), p));
    const double all = halved<D>(sums);
    if constexpr (requires { D::settle(all, columns, p, [](std::size_t) { return 0.0; }); })
        return D::settle(all, columns, p, [=](std::size_t at) { return query[at] - static_cast<double>(row[at]); });
    else
        return all;
}

} // namespace margin::neighbors
