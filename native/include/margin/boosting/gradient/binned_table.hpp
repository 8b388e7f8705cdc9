#pragma once
// The rows of a table in bins, twice: row after row for histograms, column after column for dealing rows out.
#include "margin/tree/binned/bins.hpp"
#include "target_statistics.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace margin::boosting {

using Codes = std::unique_ptr<std::uint8_t[]>;

/// Most bins of a column; missing cells have a code of their own behind them.
inline constexpr std::size_t most_bins = 255;

/// Sparse rows in bins: each lists the cells that are not in the bin of 0, so that memory and histograms cost what stored
/// cells cost. The cells of row i are start[i] ... start[i + 1] - 1, by ascending column.
struct RowLists {
    std::vector<std::size_t> start;
    std::vector<std::uint32_t> columns;
    std::vector<std::uint8_t> codes;
    std::vector<std::uint8_t> usual; // of each column: the code of cells that are not listed

    /// The code of a cell. O(log cells of the row).
    std::uint8_t code(std::size_t i, std::uint32_t j) const noexcept {
        const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(start[i]);
        const auto end = columns.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
        const auto at = std::lower_bound(begin, end, j);
        return at != end && *at == j ? codes[static_cast<std::size_t>(at - columns.begin())] : usual[j];
    }
};

/// Training rows. A histogram has `stride` cells for each column, the same number for all. Sparse rows are lists instead
/// of codes of all columns, and their histograms are those of lists/list_histogram.hpp.
struct BinnedTable {
    std::size_t n_rows = 0, stride = 0;
    std::vector<tree::BinnedColumn> columns;
    Codes rows;                   // n_rows x columns
    Codes by_columns;             // columns x n_rows
    RowLists lists;               // of sparse rows
    std::vector<bool> by_targets; // of each column: whether its bins are levels in the order of their mean target

    std::size_t n_columns() const noexcept { return columns.size(); }
    bool sparse() const noexcept { return !lists.start.empty(); }
    const std::uint8_t* row(std::size_t i) const noexcept { return rows.get() + i * columns.size(); }
    const std::uint8_t* column(std::size_t j) const noexcept { return by_columns.get() + j * n_rows; }
};

namespace detail {

/// Kernels read the codes of a row eight at a time.
inline constexpr std::size_t spare_codes = 8;

inline Codes by_columns(const std::uint8_t* rows, std::size_t n, std::size_t d, std::size_t n_threads,
                        Monitor& monitor) {
    Codes turned = std::make_unique_for_overwrite<std::uint8_t[]>(n * d);
    parallel_for(n, 4096, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        constexpr std::size_t block = 64; // a cache line of each column at a time
        for (; begin < end; begin += block)
            for (std::size_t j = 0, last = std::min(begin + block, end); j < d; ++j)
                for (std::size_t i = begin; i < last; ++i)
                    turned[j * n + i] = rows[i * d + j];
    });
    return turned;
}

} // namespace detail

/// Rows in bins that are known already, row after row.
template <class T>
Codes code_rows(const tree::Table<T>& table, const std::vector<tree::BinnedColumn>& columns, std::size_t n_threads,
                Monitor& monitor) {
    const std::size_t n = table.rows(), d = columns.size();
    Codes codes = std::make_unique_for_overwrite<std::uint8_t[]>(n * d + detail::spare_codes);
    std::fill_n(codes.get() + n * d, detail::spare_codes, std::uint8_t{0});
    tree::code_cells(table, columns, codes.get(), n_threads, monitor);
    return codes;
}

/// A table in at most max_bins bins for each column. Nominal columns of more levels are put in the order of their mean
/// target where there are targets to go by. `weight` is empty where all rows count alike. Requires
/// 2 <= max_bins <= most_bins.
template <class T>
BinnedTable bin_rows(const tree::Table<T>& table, std::size_t max_bins, const Targets* targets,
                     std::span<const double> weight, std::size_t n_threads, Monitor& monitor) {
    BinnedTable made;
    made.n_rows = table.rows();
    made.columns = tree::find_bins(table, max_bins, n_threads, monitor, weight);
    made.rows = code_rows(table, made.columns, n_threads, monitor);
    made.by_targets.assign(made.n_columns(), false);
    const std::size_t n_numbers = table.numbers.columns(), d = made.n_columns();
    std::vector<std::uint8_t> fold;
    for (std::size_t j = n_numbers; targets && j < d; ++j) {
        const auto n_levels = static_cast<std::size_t>(table.n_levels[j - n_numbers]);
        if (!made.columns[j].nominal || n_levels <= max_bins)
            continue;
        if (fold.empty())
            fold = drawn_folds(made.n_rows, targets->seed);
        made.by_targets[j] = true;
        made.columns[j].nominal = false; // bins are in order now
        const std::size_t before = made.columns[j].n_bins;
        bin_by_targets(
            made.columns[j], n_levels, made.n_rows, max_bins, *targets, fold,
            [&](std::size_t i) { return table.codes(i, j - n_numbers); },
            [&](std::size_t i, std::size_t bin) { made.rows[i * d + j] = static_cast<std::uint8_t>(bin); });
        for (std::size_t i = 0; i < made.n_rows && made.columns[j].n_bins != before; ++i)
            if (table.codes(i, j - n_numbers) < 0)
                made.rows[i * d + j] = static_cast<std::uint8_t>(made.columns[j].n_bins);
        monitor.check();
    }
    made.by_columns = detail::by_columns(made.rows.get(), made.n_rows, made.n_columns(), n_threads, monitor);
    for (const auto& column : made.columns)
        made.stride = std::max(made.stride, (column.n_bins + 1 + 7) / 8 * 8);
    return made;
}

} // namespace margin::boosting
