#pragma once
// What the passes over a sparse matrix share: rows cut into pieces, and one row against a table.
//
// A table has one row of `lanes` numbers for every column of the matrix and one more, the last, for the intercept.
// Lanes are 1 (two classes) or a multiple of 4 (softmax; lanes without a class hold 0), so that a row of the table fills
// vector registers.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include "margin/data/csr.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace margin::linear {

/// Rows that are read into the cache, scored, and then read again from there.
inline constexpr std::size_t strip_rows = 32;

/// Where to cut the rows into pieces of about as many stored cells, so many that clearing and adding up a table is
/// little beside them, and at least 2 where there is work for two. The cuts never depend on the number of threads.
template <class T, class Index>
std::vector<std::size_t> cut_rows(const data::Csr<T, Index>& x, std::size_t lanes) {
    const auto stored = static_cast<std::size_t>(x.start[x.rows]);
    const std::size_t table = std::max<std::size_t>(x.width, 1 << 12);
    const std::size_t most = std::clamp<std::size_t>((std::size_t{1} << 28) / (8 * table * lanes), 2, 64);
    const std::size_t pieces = std::clamp<std::size_t>(stored / (8 * table), stored >= table ? 2 : 1, most);
    std::vector<std::size_t> cuts;
    for (std::size_t p = 0; p < pieces; ++p) {
        const auto least = static_cast<std::int64_t>(stored / pieces * p);
        cuts.push_back(static_cast<std::size_t>(std::lower_bound(x.start, x.start + x.rows, least) - x.start));
    }
    cuts.front() = 0;
    cuts.push_back(x.rows);
    return cuts;
}

namespace detail {

/// sum_c values[c] table[columns[c]], with four sums on their way at a time.
template <class T, class Index>
MARGIN_INLINED double gather(const T* values, const Index* columns, std::size_t n, const double* table) noexcept {
    double a = 0, b = 0, c = 0, d = 0;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a += static_cast<double>(values[i]) * table[columns[i]];
        b += static_cast<double>(values[i + 1]) * table[columns[i + 1]];
        c += static_cast<double>(values[i + 2]) * table[columns[i + 2]];
        d += static_cast<double>(values[i + 3]) * table[columns[i + 3]];
    }
    for (; i < n; ++i)
        a += static_cast<double>(values[i]) * table[columns[i]];
    return (a + b) + (c + d);
}

/// table[columns[c]] += factor power(values[c]).
template <class Power, class T, class Index>
MARGIN_INLINED void scatter(const T* values, const Index* columns, std::size_t n, double factor,
                            double* table) noexcept {
    for (std::size_t i = 0; i < n; ++i)
        table[columns[i]] += factor * Power::of(static_cast<double>(values[i]));
}

/// The same for `Width` lanes beginning with `first`.
template <std::size_t Width, class T, class Index>
MARGIN_INLINED void gather_lanes(const T* values, const Index* columns, std::size_t n, const double* table,
                                 std::size_t lanes, double* sums) noexcept {
    std::array<double, Width> found{};
    for (std::size_t i = 0; i < n; ++i) {
        const double* of_column = table + static_cast<std::size_t>(columns[i]) * lanes;
        const auto value = static_cast<double>(values[i]);
        for (std::size_t k = 0; k < Width; ++k)
            found[k] += value * of_column[k];
    }
    for (std::size_t k = 0; k < Width; ++k)
        sums[k] += found[k];
}

template <std::size_t Width, class Power, class T, class Index>
MARGIN_INLINED void scatter_lanes(const T* values, const Index* columns, std::size_t n, const double* factors,
                                  double* table, std::size_t lanes) noexcept {
    std::array<double, Width> kept;
    for (std::size_t k = 0; k < Width; ++k)
        kept[k] = factors[k];
    for (std::size_t i = 0; i < n; ++i) {
        double* of_column = table + static_cast<std::size_t>(columns[i]) * lanes;
        const double value = Power::of(static_cast<double>(values[i]));
        for (std::size_t k = 0; k < Width; ++k)
            of_column[k] += kept[k] * value;
    }
}

struct AsItIs {
    static double of(double value) noexcept { return value; }
};
struct Squared {
    static double of(double value) noexcept { return value * value; }
};

/// scores[i - begin] = intercept + x_i . table for rows [begin, end).
template <class T, class Index>
MARGIN_SIMD_LOOK void score_rows(const data::Csr<T, Index>& x, std::size_t begin, std::size_t end, const double* table,
                                 std::size_t lanes, double* scores) {
    const double* intercept = table + x.width * lanes;
    for (std::size_t i = begin; i < end; ++i) {
        const auto first = static_cast<std::size_t>(x.start[i]);
        const std::size_t n = static_cast<std::size_t>(x.start[i + 1]) - first;
        double* to = scores + (i - begin) * lanes;
        if (lanes == 1) {
            to[0] = intercept[0] + gather(x.values + first, x.columns + first, n, table);
            continue;
        }
        std::copy_n(intercept, lanes, to);
        std::size_t k = 0;
        for (; k + 8 <= lanes; k += 8)
            gather_lanes<8>(x.values + first, x.columns + first, n, table + k, lanes, to + k);
        if (k < lanes)
            gather_lanes<4>(x.values + first, x.columns + first, n, table + k, lanes, to + k);
    }
}

/// table += x_i^T factors[i - begin] for rows [begin, end), with cells as they are or squared; the last row of the table
/// takes the factors themselves.
template <class Power, class T, class Index>
MARGIN_SIMD_LOOK void spread_rows(const data::Csr<T, Index>& x, std::size_t begin, std::size_t end,
                                  const double* factors, std::size_t lanes, double* table) {
    double* intercept = table + x.width * lanes;
    for (std::size_t i = begin; i < end; ++i) {
        const auto first = static_cast<std::size_t>(x.start[i]);
        const std::size_t n = static_cast<std::size_t>(x.start[i + 1]) - first;
        const double* from = factors + (i - begin) * lanes;
        for (std::size_t k = 0; k < lanes; ++k)
            intercept[k] += from[k];
        if (lanes == 1) {
            scatter<Power>(x.values + first, x.columns + first, n, from[0], table);
            continue;
        }
        std::size_t k = 0;
        for (; k + 8 <= lanes; k += 8)
            scatter_lanes<8, Power>(x.values + first, x.columns + first, n, from + k, table + k, lanes);
        if (k < lanes)
            scatter_lanes<4, Power>(x.values + first, x.columns + first, n, from + k, table + k, lanes);
    }
}

} // namespace detail

/// A table of sums over all rows, and a number beside it.
struct TableSum {
    std::vector<double> table;
    double value = 0;
};

/// For each strip of rows [begin, end) call work(begin, end, table, value), which adds to the table and the value of its
/// piece; then add up the pieces in order.
template <class T, class Index, class Work>
TableSum sum_over_strips(const data::Csr<T, Index>& x, std::size_t lanes, std::size_t n_threads, Monitor& monitor,
                         Work&& work) {
    const std::vector<std::size_t> cuts = cut_rows(x, lanes);
    TableSum found = reduce_in_order(
        cuts.size() - 1, 1, n_threads, monitor, [] { return TableSum{}; },
        [&](TableSum& part, std::size_t piece, std::size_t) {
            part.table.resize((x.width + 1) * lanes);
            for (std::size_t begin = cuts[piece]; begin < cuts[piece + 1]; begin += strip_rows) {
                if ((begin - cuts[piece]) % (32 * strip_rows) == 0)
                    monitor.check();
                work(begin, std::min(begin + strip_rows, cuts[piece + 1]), part.table.data(), part.value);
            }
        },
        [](TableSum& total, TableSum part) {
            total.value += part.value;
            if (total.table.empty())
                return total.table.swap(part.table);
            for (std::size_t c = 0; c < total.table.size(); ++c)
                total.table[c] += part.table[c];
        });
    found.table.resize((x.width + 1) * lanes);
    return found;
}

} // namespace margin::linear
