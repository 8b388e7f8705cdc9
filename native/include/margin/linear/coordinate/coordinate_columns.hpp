#pragma once
// Column after column: what coordinate descent reads.
#include "margin/core/threads.hpp"
#include "margin/data/csr.hpp"
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace margin::linear {

/// The cells of one column that count, cell c in row row(c).
template <class T>
struct SparseCells {
    const T* values;
    const std::int32_t* rows;
    std::size_t n;
    double value(std::size_t c) const noexcept { return static_cast<double>(values[c]); }
    std::size_t row(std::size_t c) const noexcept { return static_cast<std::size_t>(rows[c]); }
};

/// The column of the intercept.
struct Ones {
    std::size_t n;
    static double value(std::size_t) noexcept { return 1.0; }
    static std::size_t row(std::size_t c) noexcept { return c; }
};

/// Compressed sparse columns.
template <class T>
struct SparseColumns {
    const T* values;
    const std::int32_t* rows;
    const std::int64_t* start;
    SparseCells<T> column(std::size_t j) const noexcept {
        return {values + start[j], rows + start[j], static_cast<std::size_t>(start[j + 1] - start[j])};
    }
};

/// A canonical matrix column by column, rows ascending in each: values and rows have room for as many cells as are
/// stored, and where the columns begin is given back. Requires fewer than 2^31 rows.
/// Pieces of rows count their cells in every column, and then know where theirs go. O(stored + pieces columns).
template <class T, class Index>
std::vector<std::int64_t> by_columns(const data::Csr<T, Index>& x, T* values, std::int32_t* rows, std::size_t n_threads,
                                     Monitor& monitor) {
    const auto stored = static_cast<std::size_t>(x.start[x.rows]);
    const std::size_t pieces = std::clamp<std::size_t>(stored / std::max<std::size_t>(8 * x.width, 1 << 16), 1, 16);
    const std::size_t step = (x.rows + pieces - 1) / pieces;
    std::vector<std::vector<std::int64_t>> places(pieces);
    const auto for_pieces = [&](auto&& work) {
        parallel_for(pieces, 1, n_threads, monitor, [&](std::size_t p, std::size_t, std::size_t) {
            work(p, std::min(p * step, x.rows), std::min((p + 1) * step, x.rows));
        });
    };
    for_pieces([&](std::size_t p, std::size_t begin, std::size_t end) {
        places[p].resize(x.width);
        for (std::size_t i = begin; i < end; ++i) {
            if (i % 4096 == 0)
                monitor.check();
            for (auto c = static_cast<std::size_t>(x.start[i]); c < static_cast<std::size_t>(x.start[i + 1]); ++c)
                ++places[p][static_cast<std::size_t>(x.columns[c])];
        }
    });
    std::vector<std::int64_t> start(x.width + 1);
    std::int64_t next = 0;
    for (std::size_t j = 0; j < x.width; ++j) {
        start[j] = next;
        for (auto& of_piece : places)
            next += std::exchange(of_piece[j], next);
    }
    start[x.width] = next;
    for_pieces([&](std::size_t p, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (i % 4096 == 0)
                monitor.check();
            for (auto c = static_cast<std::size_t>(x.start[i]); c < static_cast<std::size_t>(x.start[i + 1]); ++c) {
                const auto to = static_cast<std::size_t>(places[p][static_cast<std::size_t>(x.columns[c])]++);
                values[to] = x.values[c];
                rows[to] = static_cast<std::int32_t>(i);
            }
        }
    });
    return start;
}

} // namespace margin::linear
