#pragma once
// Leaves that answer by a straight line: what a leaf says, and beside it a slope for each column of numbers asked about on
// the way to it. Shi et al. (2019), "Gradient boosting with piece-wise linear regression trees".
//
// With z the columns of a leaf, centred and in units of their deviation (both by second derivatives), the slopes b solve
// (Z'HZ + lambda) b = -Z'(g + h v), v being what the leaf says without them. Cells beyond those of the leaf's rows count
// as the last of these, and missing ones as their mean: a line is not prolonged to where nothing is known.
#include "margin/boosting/gradient/grown_tree.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::boosting {

/// The derivatives of a row at a leaf.
struct RowSlopes {
    std::size_t row;
    double g, h;
};

namespace detail {

/// Solve a b = c for a symmetric positive definite matrix of k rows, in place; false where it is none.
inline bool solve_in_place(std::vector<double>& a, std::vector<double>& c, std::size_t k) {
    for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t m = 0; m < j; ++m)
            for (std::size_t i = j; i < k; ++i)
                a[i * k + j] -= a[i * k + m] * a[j * k + m];
        if (!(a[j * k + j] > 0))
            return false;
        const double root = std::sqrt(a[j * k + j]);
        for (std::size_t i = j; i < k; ++i)
            a[i * k + j] /= root;
    }
    for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t m = 0; m < j; ++m)
            c[j] -= a[j * k + m] * c[m];
        c[j] /= a[j * k + j];
    }
    for (std::size_t j = k; j-- > 0;) {
        for (std::size_t m = j + 1; m < k; ++m)
            c[j] -= a[m * k + j] * c[m];
        c[j] /= a[j * k + j];
    }
    return true;
}

/// A column at the rows of a leaf: where they lie, without a slope yet. No deviation: it says nothing there.
inline LinearTerm described(std::uint32_t column, const std::vector<RowSlopes>& rows, const RawNumbers& raw,
                            double& deviation) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    LinearTerm term{column, 0, 0, infinity, -infinity};
    double weight = 0, squares = 0;
    for (const auto& [row, g, h] : rows)
        if (const double x = raw.at(row, column); !std::isnan(x)) {
            weight += h;
            term.center += h * x;
            term.low = std::min(term.low, x);
            term.high = std::max(term.high, x);
        }
    deviation = 0;
    if (!(weight > 0) || !(term.high > term.low))
        return term;
    term.center /= weight;
    for (const auto& [row, g, h] : rows)
        if (const double x = raw.at(row, column); !std::isnan(x))
            squares += h * (x - term.center) * (x - term.center);
    deviation = std::sqrt(squares / weight);
    return term;
}

} // namespace detail

/// Slopes of some columns at a leaf that says `value` without them.
inline std::vector<LinearTerm> linear_terms(const std::vector<std::uint32_t>& columns,
                                            const std::vector<RowSlopes>& rows, const RawNumbers& raw, double value,
                                            double l2) {
    std::vector<LinearTerm> terms;
    std::vector<double> deviation;
    for (const std::uint32_t j : columns) {
        double d;
        const LinearTerm term = detail::described(j, rows, raw, d);
        if (d > 1e-12 * std::max(std::abs(term.low), std::abs(term.high)) && std::isfinite(d)) {
            terms.push_back(term);
            deviation.push_back(d);
        }
    }
    const std::size_t k = terms.size();
    if (k == 0 || rows.size() < 2 * (k + 1))
        return {};
    std::vector<double> a(k * k), c(k), z(k);
    double total = 0;
    for (const auto& [row, g, h] : rows) {
        total += h;
        for (std::size_t j = 0; j < k; ++j) {
            const double x = raw.at(row, terms[j].column);
            z[j] = std::isnan(x) ? 0 : (x - terms[j].center) / deviation[j];
            c[j] -= z[j] * (g + h * value);
            for (std::size_t m = 0; m <= j; ++m)
                a[j * k + m] += h * z[j] * z[m];
        }
    }
    for (std::size_t j = 0; j < k; ++j)
        a[j * k + j] += l2 + 1e-6 * total; // columns that say the same share what they say
    if (!detail::solve_in_place(a, c, k))
        return {};
    for (std::size_t j = 0; j < k; ++j)
        terms[j].slope = c[j] / deviation[j];
    return terms;
}

/// The columns of numbers asked about on the way to a node, the last ones first, each once.
inline std::vector<std::uint32_t> asked_before(const GrownTree& tree, const std::vector<std::uint32_t>& parent,
                                               std::uint32_t at, std::size_t n_numbers, std::size_t most) {
    std::vector<std::uint32_t> found;
    while (at > 0 && found.size() < most) {
        at = parent[at];
        const std::uint32_t j = tree[at].split.column;
        if (j < n_numbers && std::ranges::find(found, j) == found.end())
            found.push_back(j);
    }
    return found;
}

} // namespace margin::boosting
