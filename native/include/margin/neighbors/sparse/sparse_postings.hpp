#pragma once
// Sparse rows by column: which rows hold a word, and how much of it.
#include "margin/core/monitor.hpp"
#include "sparse_merge.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace margin::neighbors {

/// Rows are looked through in blocks of so many: their running sums stay in the nearest cache, and what the columns hold
/// of them in the next one while a group of queries passes.
inline constexpr std::size_t sparse_block = 2048;

/// A column held by at least this share of the rows is written out: it is then added without looking rows up.
inline constexpr std::size_t written_out_from = 8; // one row in eight

/// Cells of the smallest magnitude that float products may have without vanishing.
inline constexpr float smallest_cell = 0x1p-60f;

/// What belongs to the rows, and for filters of sums the cells by column as float, in the unit `scale` and, for cosine,
/// divided by the length of their row. The cells of column c stand at [start[c], start[c + 1]), rows ascending; the
/// column has been written out instead if written[c] >= 0, as that row of `table`, whose rows are `stride` long. Cells
/// that are not there are -0, which leaves a running sum as it is, sign included, if the query's cell is positive.
struct SparsePostings {
    std::vector<double> length; // of each row for cosine, else none
    std::vector<double> size;   // each row compared with an empty one
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> row;
    std::vector<float> value;
    std::vector<std::int32_t> written;
    std::vector<float> table;
    std::size_t stride = 0, most_stored = 0;
    double scale = 1;
};

namespace detail {

/// For cosine a cell must not vanish: whether a row has been touched shows in its running sum.
template <class M>
float narrow(double cell) {
    const float rounded = static_cast<float>(cell);
    if (M::unit && std::abs(rounded) < smallest_cell)
        return std::copysign(smallest_cell, rounded);
    return rounded;
}

template <class M, class T>
void measure_rows(const SparseTable<T>& rows, double p, SparsePostings& made, Monitor& monitor) {
    const SparseRow empty;
    made.size.resize(rows.n);
    made.length.resize(M::unit ? rows.n : 0);
    for (std::size_t i = 0; i < rows.n; ++i) {
        if (i % 1024 == 0)
            monitor.check();
        const std::size_t at = rows.begin(i), n = rows.stored(i);
        made.most_stored = std::max(made.most_stored, n);
        if constexpr (M::unit) {
            made.length[i] = length_of(rows.values + at, rows.columns + at, n);
            made.size[i] = n > 0;
        } else {
            made.size[i] = merged<M>(empty, rows.values + at, rows.columns + at, n, 1.0, p);
        }
    }
}

/// Where the cells of each column go.
template <class T>
void lay_out(const SparseTable<T>& rows, SparsePostings& made) {
    std::vector<std::int64_t>& start = made.start;
    start.assign(rows.width + 1, 0);
    for (std::size_t c = rows.begin(0); c < rows.end(rows.n - 1); ++c)
        ++start[static_cast<std::size_t>(rows.columns[c]) + 1];
    made.written.assign(rows.width, -1);
    made.stride = (rows.n + 15) / 16 * 16;
    std::int32_t n_written = 0;
    for (std::size_t c = 0; c < rows.width; ++c) {
        if (static_cast<std::size_t>(start[c + 1]) * written_out_from >= rows.n) {
            made.written[c] = n_written++;
            start[c + 1] = 0;
        }
        start[c + 1] += start[c];
    }
    made.table.assign(static_cast<std::size_t>(n_written) * made.stride, -0.0f);
    made.row.resize(static_cast<std::size_t>(start.back()));
    made.value.resize(made.row.size());
}

} // namespace detail

/// Requires 1 <= rows < 2^31. O(stored + columns) time and memory.
template <class M, class T>
SparsePostings make_postings(const SparseTable<T>& rows, double p, Monitor& monitor) {
    SparsePostings made;
    detail::measure_rows<M>(rows, p, made, monitor);
    if (M::filter == SparseFilter::norm)
        return made;
    const double most = *std::max_element(made.size.begin(), made.size.end());
    if (!M::unit && most > 0) // of an infinite size too, which cells of a doctored file may have
        made.scale =
            std::ldexp(1.0, std::min(std::ilogb(M::filter == SparseFilter::dot ? std::sqrt(most) : most), 1022) + 1);
    detail::lay_out(rows, made);
    std::vector<std::int64_t> next(made.start.begin(), made.start.end() - 1);
    for (std::size_t i = 0; i < rows.n; ++i) {
        if (i % 1024 == 0)
            monitor.check();
        for (std::size_t c = rows.begin(i); c < rows.end(i); ++c) {
            const auto column = static_cast<std::size_t>(rows.columns[c]);
            const double unit = M::unit ? made.length[i] : made.scale;
            const float cell = detail::narrow<M>(static_cast<double>(rows.values[c]) / unit);
            if (made.written[column] >= 0) {
                made.table[static_cast<std::size_t>(made.written[column]) * made.stride + i] = cell;
            } else {
                const auto at = static_cast<std::size_t>(next[column]++);
                made.row[at] = static_cast<std::int32_t>(i);
                made.value[at] = cell;
            }
        }
    }
    return made;
}

} // namespace margin::neighbors
