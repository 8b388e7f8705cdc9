#pragma once
// Distances between rows of numbers and categories, some of them missing. A family: the list stands at the end.
#include "margin/core/one_of.hpp"
#include "margin/core/simd.hpp"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace margin::neighbors {

// Two cells of column j differ by t_j: |a - b| / range_j for numbers (0 or 1 in a column with a single number), 0 or 1
// for equal or different categories. Numbers are NaN and categories negative where a cell is missing. The order of the
// arithmetic is part of the definition: terms are added up column by column, the numbers for themselves and the
// categories for themselves, and the two sums are added at the end.

/// sqrt(sum w_j t_j^2), t_j = 1 where a cell is missing in either row. Wilson, Martinez (1997).
struct Heom {
    static constexpr std::string_view name = "heom";
    static constexpr bool squared = true;        // terms are squares of differences, else the differences
    static constexpr bool missing_as_far = true; // a missing cell costs what a different one does
    MARGIN_INLINED static double term(double t) { return t * t; }
    MARGIN_INLINED static double joined(double sum, double, double missing) { return sum + missing; }
    static double finish(double joined) { return std::sqrt(joined); }
    static double unfinished(double distance) { return distance * distance; }
    /// What distances are multiplied by if all weights are multiplied by the square of `root`.
    static double times_for_weights(double root) { return root; }
    /// How much the terms of columns that the query has a cell for may come to in a row within `limit`.
    static double allowance(double limit, double, double missing) { return limit > missing ? limit - missing : 0; }
    /// What a cell that is missing in the row takes of it.
    static double cost_of_missing(double, double weight) { return weight; }
};

/// sum w_j t_j / sum w_j over the columns where both rows have a cell; 1 if there is none. Gower (1971).
struct Gower {
    static constexpr std::string_view name = "gower";
    static constexpr bool squared = false;
    static constexpr bool missing_as_far = false;
    MARGIN_INLINED static double term(double t) { return t; }
    MARGIN_INLINED static double joined(double sum, double present, double) { return present > 0 ? sum / present : 1; }
    static double finish(double joined) { return joined; }
    static double unfinished(double distance) { return distance; }
    static double times_for_weights(double) { return 1; }
    // sum w t <= limit sum w over the common columns is
    // sum w t + limit sum w over the columns missing in the row <= limit sum w over the columns of the query.
    static double allowance(double limit, double present, double) { return limit * present; }
    static double cost_of_missing(double limit, double weight) { return limit * weight; }
};

using MixedDistances = OneOf<Heom, Gower>;

/// What an index knows of a column of numbers; a row of eight doubles for Python.
struct NumberColumn {
    double weight;
    double shift;  // cells are multiplied by 2^shift, which keeps the extremes from over- and underflow
    double range;  // of the shifted cells
    double cap;    // t is at most this: 1 in a column with a single number, whose range is the least number there is
    double low;    // coarse step 0 begins here
    double steps;  // coarse steps in a unit of the shifted cells; 0 in a column with a single number
    double reach;  // t from the first to the last coarse step
    double misses; // 1 if a cell is missing, else 0
};

/// What an index knows of a column of categories; a row of two doubles for Python.
struct NominalColumn {
    double weight;
    double misses;
};

/// A row as the distance sees it.
struct MixedRow {
    const double* numbers;
    const std::int32_t* codes;
};

/// The distance of two rows up to its last step, which does not change the order; the definition that all searching
/// has to agree with to the last bit. Never NaN for weights above 0.
template <class M>
double compared(std::span<const NumberColumn> numeric, std::span<const NominalColumn> nominal, MixedRow a, MixedRow b) {
    double sum[2] = {}, present[2] = {}, missing[2] = {};
    // Without branches: which cells are missing is hard to foretell.
    for (std::size_t j = 0; j < numeric.size(); ++j) {
        const NumberColumn& column = numeric[j];
        const double t = std::abs(a.numbers[j] - b.numbers[j]) / column.range;
        const bool both = t == t;
        const double term = column.weight * M::term(t < column.cap ? t : column.cap);
        sum[0] += both ? term : 0;
        present[0] += both ? column.weight : 0;
        missing[0] += both ? 0 : column.weight;
    }
    for (std::size_t j = 0; j < nominal.size(); ++j) {
        const double weight = nominal[j].weight;
        const bool both = (a.codes[j] | b.codes[j]) >= 0;
        sum[1] += weight * (both & (a.codes[j] != b.codes[j]));
        present[1] += weight * both;
        missing[1] += weight * !both;
    }
    return M::joined(sum[0] + sum[1], present[0] + present[1], missing[0] + missing[1]);
}

} // namespace margin::neighbors
