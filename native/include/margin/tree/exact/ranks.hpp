#pragma once
// Columns as ranks: after this no arithmetic depends on the width of a float or the unit of a column.
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include "segment.hpp"
#include "sort_column.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::tree {

/// A table as it comes: numbers (NaN for missing cells) and, behind them, coded columns (-1 for missing cells).
template <class T>
struct Table {
    MatrixView<const T> numbers;
    MatrixView<const std::int32_t> codes;
    std::span<const std::int64_t> n_levels; // of each coded column
    std::span<const std::uint8_t> nominal;  // whether its codes have no order

    std::size_t rows() const noexcept { return numbers.rows(); }
    std::size_t columns() const noexcept { return numbers.columns() + codes.columns(); }
};

struct Ranked {
    std::vector<Column> columns;
    Buffer<Entry> entries; // as many for each column as there are rows: ascending code, then row; missing last
};

namespace detail {

/// Room to sort a column in; one for each worker.
struct SortRoom {
    Buffer<Entry> entries;
    Buffer<double> value;
};

/// Sort the rows of a column of numbers, and number its distinct values.
inline void rank_numbers(std::span<const double> x, Column& column, std::span<Entry> entries, SortRoom& room) {
    room.entries.resize(x.size());
    room.value.resize(x.size());
    const std::size_t n_known = sort_rows(x, entries, room.entries.data());
    column.value.clear();
    if (n_known == 0)
        return;
    double* const value = room.value.data();
    code_t code = 0;
    double last = x[entries[0].place];
    for (std::size_t i = 0; i < n_known; ++i) {
        const double v = x[entries[i].place];
        code += v != last;
        value[code] = v + 0.0; // 0 for -0
        entries[i].code = code;
        last = v;
    }
    column.n_codes = code + 1;
    column.value.assign(value, value + column.n_codes);
}

/// Sort the rows of a coded column by counting.
inline void rank_codes(MatrixView<const std::int32_t> codes, std::size_t c, const Column& column,
                       std::span<Entry> entries) {
    std::vector<std::uint32_t> start(column.n_codes + 2); // level l starts at start[l], missing cells come last
    const auto level = [&](std::size_t i) {
        const std::int32_t code = codes(i, c);
        return code < 0 ? column.n_codes : static_cast<std::size_t>(code);
    };
    for (std::size_t i = 0; i < entries.size(); ++i)
        ++start[level(i) + 1];
    for (std::size_t l = 0; l <= column.n_codes; ++l)
        start[l + 1] += start[l];
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t l = level(i);
        entries[start[l]++] = {l == column.n_codes ? missing_code : static_cast<code_t>(l),
                               static_cast<std::uint32_t>(i)};
    }
}

/// How many columns are copied at a time: as many as share a line of the cache, fewer where their copies would be large.
inline std::size_t columns_at_once(std::size_t n_rows, std::size_t n_workers) noexcept {
    constexpr std::size_t room = std::size_t{1} << 21; // numbers
    return std::max(n_workers, std::clamp<std::size_t>(room / n_rows, 1, 8));
}

/// Columns first ... first + n_columns - 1 of a matrix, one after another. The rows are read once for all of them,
/// since a cell brings its neighbours along.
template <class T>
void copy_columns(MatrixView<const T> matrix, std::size_t first, std::size_t n_columns, double* to,
                  std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = matrix.rows();
    parallel_for(n, 8192, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t row = begin; row < end; row += 64) // 64 rows and their copies stay in the first cache
            for (std::size_t j = 0; j < n_columns; ++j)
                for (std::size_t i = row; i < std::min(row + 64, end); ++i)
                    to[j * n + i] = matrix(i, first + j);
    });
}

} // namespace detail

/// Sort every column and number its distinct values. Requires at least one row, and fewer than 2^31.
/// O(n d) time but for odd distributions, O(n d) memory for the result and O(n) beside it.
template <class T>
Ranked rank_columns(const Table<T>& table, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = table.rows(), d_numbers = table.numbers.columns(), d = table.columns();
    Ranked ranked{std::vector<Column>(d), Buffer<Entry>(n * d)};
    const auto entries = [&](std::size_t j) { return std::span(ranked.entries.data() + j * n, n); };
    const std::size_t group = detail::columns_at_once(n, n_workers(d, 1, n_threads));
    Buffer<double> copies(n * std::min(group, d_numbers));
    std::vector<detail::SortRoom> rooms(n_workers(d, 1, n_threads));
    for (std::size_t first = 0; first < d_numbers; first += group) {
        const std::size_t n_columns = std::min(group, d_numbers - first);
        detail::copy_columns(table.numbers, first, n_columns, copies.data(), n_threads, monitor);
        parallel_for(n_columns, 1, n_threads, monitor, [&](std::size_t j, std::size_t, std::size_t worker) {
            detail::rank_numbers({copies.data() + j * n, n}, ranked.columns[first + j], entries(first + j),
                                 rooms[worker]);
        });
    }
    parallel_for(d - d_numbers, 1, n_threads, monitor, [&](std::size_t c, std::size_t, std::size_t) {
        Column& column = ranked.columns[d_numbers + c];
        column.nominal = table.nominal[c] != 0;
        column.n_codes = static_cast<std::size_t>(table.n_levels[c]);
        detail::rank_codes(table.codes, c, column, entries(d_numbers + c));
    });
    return ranked;
}

} // namespace margin::tree
