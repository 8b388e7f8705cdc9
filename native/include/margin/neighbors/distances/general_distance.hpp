#pragma once
// Metrics for trees of balls, which ask for nothing but the triangle inequality. A family: each is one struct, the list
// stands at the end.
#include "distance.hpp"
#include <cmath>
#include <cstddef>
#include <string_view>

namespace margin::neighbors {

// A metric gives compare(query, row), which orders the rows and is equal for equally far ones, and finish(compared),
// the distance itself. Sums run in the order of `joined`. Its two errors say how far rounding can take it:
//     |finished - true| <= relative_error true + absolute_error.

/// One unit in the last place of 1.
inline constexpr double ulp = 0x1p-52;

/// A distance of distance.hpp. Columns add up in eight chains, each step wrong by half an ulp at most; what a term and
/// the last step add stays below 16 ulps. The powers of Minkowski lose more: the logarithm of a double is below 710, and
/// so many ulps does a rounded exponent cost. Squares and powers that vanish are those of differences below 1e-160.
template <class D>
struct OfDifferences {
    static constexpr std::string_view name = D::name;
    template <class T>
    MARGIN_INLINED static double compare(const double* query, const T* row, std::size_t columns, double p) {
        return joined<D, T>(query, row, columns, p);
    }
    static double finish(double compared, std::size_t, double p) { return D::finish(compared, p); }
    static double relative_error(std::size_t columns) {
        return (static_cast<double>(columns) / 8 + (D::name == Minkowski::name ? 1024 : 16)) * ulp;
    }
    static double absolute_error(std::size_t columns, double) { return static_cast<double>(columns) * 1e-160; }
};

/// A sum over the columns of terms that need both cells.
template <class Term, class T>
MARGIN_INLINED double summed(const double* query, const T* row, std::size_t columns, Term term) {
    double sums[n_sums] = {};
    std::size_t j = 0;
    for (; j + n_sums <= columns; j += n_sums)
        for (std::size_t i = 0; i < n_sums; ++i)
            sums[i] += term(query[j + i], static_cast<double>(row[j + i]));
    for (std::size_t i = 0; j < columns; ++i, ++j)
        sums[i] += term(query[j], static_cast<double>(row[j]));
    return halved<Manhattan>(sums);
}

/// sum |a_j - b_j| / (|a_j| + |b_j|), where 0 / 0 counts 0. Lance, Williams (1966).
struct Canberra {
    static constexpr std::string_view name = "canberra";
    template <class T>
    MARGIN_INLINED static double compare(const double* query, const T* row, std::size_t columns, double) {
        return summed(query, row, columns, [](double a, double b) {
            const double difference = std::abs(a - b), size = std::abs(a) + std::abs(b);
            return difference / (size > 0 ? size : 1);
        });
    }
    static double finish(double compared, std::size_t, double) { return compared; }
    static double relative_error(std::size_t columns) { return (static_cast<double>(columns) / 8 + 16) * ulp; }
    static double absolute_error(std::size_t, double) { return 0; }
};

/// The share of columns that are not equal. Hamming (1950).
struct Hamming {
    static constexpr std::string_view name = "hamming";
    template <class T>
    MARGIN_INLINED static double compare(const double* query, const T* row, std::size_t columns, double) {
        return summed(query, row, columns, [](double a, double b) { return a == b ? 0.0 : 1.0; });
    }
    static double finish(double compared, std::size_t columns, double) {
        return compared / static_cast<double>(columns);
    }
    static double relative_error(std::size_t) { return 4 * ulp; }
    static double absolute_error(std::size_t, double) { return 0; }
};

/// The angle between two places on a sphere, columns latitude and longitude in radians. With h = sin^2(angle / 2),
///          h = sin^2(d/2) cos^2(l/2) + cos^2(m) sin^2(l/2),
///      1 - h = cos^2(d/2) cos^2(l/2) + sin^2(m) sin^2(l/2),
/// d and l the differences of the latitudes and longitudes, m the mean latitude. Neither side subtracts, so that
/// neighbouring places and opposite ones come out to full precision; places are compared by tan^2(angle / 2) = h / (1 - h).
/// Differences are wrong by half an ulp of the largest coordinate, which is what the absolute error covers.
struct Haversine {
    static constexpr std::string_view name = "haversine";
    template <class T>
    static double compare(const double* query, const T* row, std::size_t, double) {
        const double latitude = static_cast<double>(row[0]), longitude = static_cast<double>(row[1]);
        const double d = (query[0] - latitude) / 2, l = (query[1] - longitude) / 2, m = (query[0] + latitude) / 2;
        const double sin_d = std::sin(d), cos_d = std::cos(d), sin_l = std::sin(l), cos_l = std::cos(l);
        const double sin_m = std::sin(m), cos_m = std::cos(m);
        const double near = sin_d * sin_d * (cos_l * cos_l) + cos_m * cos_m * (sin_l * sin_l);
        const double far = cos_d * cos_d * (cos_l * cos_l) + sin_m * sin_m * (sin_l * sin_l);
        return near / far; // infinite for opposite places; never 0 / 0, since the two add up to 1
    }
    static double finish(double compared, std::size_t, double) { return 2 * std::atan(std::sqrt(compared)); }
    static double relative_error(std::size_t) { return 64 * ulp; }
    static double absolute_error(std::size_t, double largest) { return 64 * (1 + largest) * ulp; }
};

using Metrics = OneOf<OfDifferences<Euclidean>, OfDifferences<Manhattan>, OfDifferences<Chebyshev>,
                      OfDifferences<Minkowski>, Canberra, Hamming, Haversine>;

} // namespace margin::neighbors
