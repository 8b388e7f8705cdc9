#pragma once
// Columns as ranks: after this no arithmetic depends on the width of a float or the unit of a column.
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include "segment.hpp"
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
    std::vector<std::vector<Entry>> entries; // of each column, ascending code, then row; missing last
};

/// Sort every column and number its distinct values. O(n d log n) time, O(n d) memory.
template <class T>
Ranked rank_columns(const Table<T>& table, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = table.rows(), d_numbers = table.numbers.columns();
    Ranked ranked{std::vector<Column>(table.columns()), std::vector<std::vector<Entry>>(table.columns())};
    parallel_for(table.columns(), 1, n_threads, monitor, [&](std::size_t j, std::size_t, std::size_t) {
        Column& column = ranked.columns[j];
        std::vector<Entry>& entries = ranked.entries[j];
        entries.resize(n);
        if (j >= d_numbers) {
            const std::size_t c = j - d_numbers;
            column.nominal = table.nominal[c] != 0;
            column.n_codes = static_cast<std::size_t>(table.n_levels[c]);
            for (std::size_t i = 0; i < n; ++i) {
                const std::int32_t code = table.codes(i, c);
                entries[i] = {code < 0 ? missing_code : static_cast<code_t>(code), static_cast<std::uint32_t>(i)};
            }
            std::stable_sort(entries.begin(), entries.end(), [](Entry a, Entry b) { return a.code < b.code; });
            return;
        }
        std::vector<std::uint32_t> order;
        order.reserve(n);
        for (std::uint32_t i = 0; i < n; ++i)
            if (!std::isnan(table.numbers(i, j)))
                order.push_back(i);
        const std::size_t n_known = order.size();
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return table.numbers(a, j) < table.numbers(b, j); });
        for (std::size_t i = 0; i < n_known; ++i) {
            const double value = table.numbers(order[i], j);
            if (column.value.empty() || column.value.back() != value)
                column.value.push_back(value);
            entries[i] = {static_cast<code_t>(column.value.size() - 1), order[i]};
        }
        std::size_t at = n_known;
        for (std::uint32_t i = 0; i < n; ++i)
            if (std::isnan(table.numbers(i, j)))
                entries[at++] = {missing_code, i};
        column.n_codes = column.value.size();
    });
    return ranked;
}

} // namespace margin::tree
