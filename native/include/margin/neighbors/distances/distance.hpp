#pragma once
// Distances between rows of numbers. A family: each is one struct, the list stands at the end.
#include "margin/core/one_of.hpp"
#include "margin/core/simd.hpp"
#include "norms.hpp"
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>

namespace margin::neighbors {

// A distance is a sum (or largest) of terms over the columns, and a last step that does not change the order:
//     distance(a, b) = finish(join over j of term(a_j - b_j)),      unfinished(finish(s)) = s up to rounding.
// Terms are at least 0, and 0 for equal cells. Neighbours are compared before the last step. A distance whose terms may
// over- or underflow gives the whole at once instead: settle(joined terms, columns, p, difference of column j), and has
// nothing left to finish.
//
// Rows may be float or double; the arithmetic is double, and its order is part of the definition (see joined), so that
// every index finds the same bits and equal distances are equal everywhere.
//
// With that a distance works in every index, which then looks at every row. What else a struct states lets an index
// rule rows out, and nothing is ruled out by what another distance states:
//     relative_error(columns, p)  |finish(joined) - true| is at most this times the true distance, but for terms that
//                                 vanish. All bounds below are of use only together with it
//     is_metric(p)                the triangle inequality holds: ball trees, norms of sparse rows
//     bound_in_bytes(columns, p, f), bound_in_float32(columns, p, f)
//                                 give f(norm, factor), where the norm (norms.hpp) of the differences is at most the
//                                 factor times the distance: brute force, kd-trees
//     sparse_filter               sums over common columns that tell the distance of sparse rows (sparse_merge.hpp)
// or makes it quicker or more useful:
//     vector_step                 term and join as vectors do them (row_distance.hpp)
//     slow_terms                  terms take so long that threads want small shares, and few queries are worth rounding for
//     power(p)                    a column times c has terms times c^power, which is how columns are weighed
//     order(p)                    it is (sum |a_j - b_j|^order)^(1/order), infinite for the largest: grows with its cells
//     same_as(p)                  the name of a quicker distance that is the same

/// Steps that vectors have instructions for: a term joins a running sum.
enum class VectorStep { add_square, add_size, largest_size };

/// Sums over the columns that two sparse rows have in common, from which a distance follows: of products, of the smaller
/// sizes, or none; | |a| - |b| | <= |a - b| remains for metrics.
enum class SparseFilter { dot, overlap, norm };

/// One unit in the last place of 1.
inline constexpr double ulp = 0x1p-52;

/// Columns add up in eight chains, each step wrong by half an ulp at most; what a term and the last step add is
/// `further` ulps at most.
inline double error_of_sums(std::size_t columns, double further) {
    return (static_cast<double>(columns) / 8 + further) * ulp;
}

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
    static double unfinished(double distance, double) { return distance * distance; }

    static constexpr VectorStep vector_step = VectorStep::add_square;
    static constexpr SparseFilter sparse_filter = SparseFilter::dot;
    static double relative_error(std::size_t columns, double) { return error_of_sums(columns, 16); }
    static bool is_metric(double) { return true; }
    static double power(double) { return 2; }
    static double order(double) { return 2; }
    template <class F>
    static auto bound_in_bytes(std::size_t, double, F f) {
        return f(SumOfSquares{}, 1.0);
    }
    template <class F>
    static auto bound_in_float32(std::size_t, double, F f) {
        return f(SumOfSquares{}, 1.0);
    }
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
    static double unfinished(double distance, double) { return distance; }

    static constexpr VectorStep vector_step = VectorStep::add_size;
    static constexpr SparseFilter sparse_filter = SparseFilter::overlap;
    static double relative_error(std::size_t columns, double) { return error_of_sums(columns, 16); }
    static bool is_metric(double) { return true; }
    static double power(double) { return 1; }
    static double order(double) { return 1; }
    template <class F>
    static auto bound_in_bytes(std::size_t, double, F f) {
        return f(SumOfSizes{}, 1.0);
    }
    template <class F>
    static auto bound_in_float32(std::size_t, double, F f) {
        return f(SumOfSizes{}, 1.0);
    }
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
    static double unfinished(double distance, double) { return distance; }

    static constexpr VectorStep vector_step = VectorStep::largest_size;
    static double relative_error(std::size_t columns, double) { return error_of_sums(columns, 16); }
    static bool is_metric(double) { return true; }
    static double power(double) { return 1; }
    static double order(double) { return std::numeric_limits<double>::infinity(); }
    template <class F>
    static auto bound_in_bytes(std::size_t, double, F f) {
        return f(LargestSize{}, 1.0);
    }
    template <class F>
    static auto bound_in_float32(std::size_t, double, F f) {
        return f(LargestSize{}, 1.0);
    }
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
    static double unfinished(double distance, double) { return distance; }

    static constexpr bool slow_terms = true;
    /// The logarithm of a double is below 710, and so many ulps does a rounded exponent cost. Roots amplify: with p
    /// small, relative errors of sums count 1/p times.
    static double relative_error(std::size_t columns, double p) {
        return error_of_sums(columns, 1024) * std::max(1.0, 1 / p);
    }
    static bool is_metric(double p) { return p >= 1; }
    static double power(double p) { return p; }
    static double order(double p) { return p; }
    static std::string_view same_as(double p) { return p == 1 ? Manhattan::name : p == 2 ? Euclidean::name : name; }
    /// By Hölder's inequality, in d dimensions,
    ///     ||x||_2 <= d^(1/2 - 1/p) ||x||_p  for p >= 2,      ||x||_1 <= d^max(0, 1 - 1/p) ||x||_p  for any p.
    template <class F>
    static auto bound_in_bytes(std::size_t columns, double p, F f) {
        const double d = static_cast<double>(columns);
        return p >= 2 ? f(SumOfSquares{}, std::pow(d, 0.5 - 1 / p))
                      : f(SumOfSizes{}, std::pow(d, std::max(0.0, 1 - 1 / p)));
    }
    /// No Minkowski distance is below the largest size, and few are above it by much if p is large.
    template <class F>
    static auto bound_in_float32(std::size_t, double p, F f) {
        return p <= 4 ? f(SumOfPowers{p}, 1.0) : f(LargestSize{}, 1.0);
    }
};

using Distances = OneOf<Euclidean, Manhattan, Chebyshev, Minkowski>;

template <class D>
concept Distance = requires(double x, double p) {
    D::name;
    { D::term(x, p) } -> std::same_as<double>;
    { D::join(x, x) } -> std::same_as<double>;
    { D::finish(x, p) } -> std::same_as<double>;
    { D::unfinished(x, p) } -> std::same_as<double>;
};

/// Whether joined terms are not the last word.
template <class D>
inline constexpr bool settles = requires(double s, double p) { D::settle(s, 0, p, [](std::size_t) { return 0.0; }); };

template <class D>
inline constexpr bool slow_terms = requires { requires D::slow_terms; };

/// How wrong the distances of D may be, relative to themselves: infinite where it does not say, which makes every bound
/// rule out nothing.
template <class D>
double relative_error(std::size_t columns, double p) {
    if constexpr (requires { D::relative_error(columns, p); })
        return D::relative_error(columns, p);
    else
        return std::numeric_limits<double>::infinity();
}

/// Whether the triangle inequality may be relied on.
template <class D>
bool is_metric(double p) {
    if constexpr (requires { D::is_metric(p); })
        return D::is_metric(p);
    else
        return false;
}

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
template <Distance D, class T>
MARGIN_INLINED double joined(const double* query, const T* row, std::size_t columns, double p) {
    double sums[n_sums] = {};
    std::size_t j = 0;
    for (; j + n_sums <= columns; j += n_sums)
        for (std::size_t i = 0; i < n_sums; ++i)
            sums[i] = D::join(sums[i], D::term(query[j + i] - static_cast<double>(row[j + i]), p));
    for (std::size_t i = 0; j < columns; ++i, ++j)
        sums[i] = D::join(sums[i], D::term(query[j] - static_cast<double>(row[j]), p));
    const double all = halved<D>(sums);
    if constexpr (settles<D>)
        return D::settle(all, columns, p, [=](std::size_t at) { return query[at] - static_cast<double>(row[at]); });
    else
        return all;
}

} // namespace margin::neighbors
