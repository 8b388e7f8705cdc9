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
// Rows are ruled out only for one that states them and says by is_metric(p) that the triangle inequality holds; for
// any other every row is looked at. One that takes a certain number of columns states n_columns, and in `columns` what
// they are.

/// A distance of distance.hpp. A term may vanish below the smallest number.
template <class D>
struct OfDifferences {
    using Differences = D;
    static constexpr std::string_view name = D::name;
    template <class T>
    MARGIN_INLINED static double compare(const double* query, const T* row, std::size_t columns, double p) {
        return joined<D, T>(query, row, columns, p);
    }
    static double finish(double compared, std::size_t, double p) { return D::finish(compared, p); }
    static bool is_metric(double p) { return neighbors::is_metric<D>(p); }
    static double relative_error(std::size_t columns, double p) { return neighbors::relative_error<D>(columns, p); }
    static double absolute_error(std::size_t columns, double, double p) {
        return D::finish(static_cast<double>(columns) * std::numeric_limits<double>::min(), p);
    }
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
    static bool is_metric(double) { return true; }
    static double relative_error(std::size_t columns, double) { return error_of_sums(columns, 16); }
    static double absolute_error(std::size_t, double, double) { return 0; }
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
    static bool is_metric(double) { return true; }
    static double relative_error(std::size_t, double) { return 4 * ulp; }
    static double absolute_error(std::size_t, double, double) { return 0; }
};

/// The angle between two places on a sphere, columns latitude and longitude in radians. With h = sin^2(angle / 2),
///          h = sin^2(d/2) cos^2(l/2) + cos^2(m) sin^2(l/2),
///      1 - h = cos^2(d/2) cos^2(l/2) + sin^2(m) sin^2(l/2),
/// d and l the differences of the latitudes and longitudes, m the mean latitude. Neither side subtracts, so that
/// neighbouring places and opposite ones come out to full precision; places are compared by tan^2(angle / 2) = h / (1 - h).
/// Differences are wrong by half an ulp of the largest coordinate, which is what the absolute error covers.
struct Haversine {
    static constexpr std::string_view name = "haversine", columns = "two columns, latitude and longitude in radians";
    static constexpr std::size_t n_columns = 2;
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
    static bool is_metric(double) { return true; }
    static double relative_error(std::size_t, double) { return 64 * ulp; }
    static double absolute_error(std::size_t, double largest, double) { return 64 * (1 + largest) * ulp; }
};

using Metrics = Distances::wrapped<OfDifferences, Canberra, Hamming, Haversine>;

} // namespace margin::neighbors
