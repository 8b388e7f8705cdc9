#pragma once
// The rows of a table in bins, twice: row after row for histograms, column after column for dealing rows out.
#include "bundles.hpp"
#include "codes.hpp"
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

/// Sparse rows in bins: each lists the cells that are not in the bin of 0, so that memory and histograms cost what stored
/// cells cost. The cells of row i are start[i] ... start[i + 1] - 1, by ascending column.
struct RowLists {
    std::vector<std::size_t> start;
    std::vector<std::uint32_t> columns;
    std::vector<std::uint16_t> codes;
    std::vector<std::uint16_t> usual; // of each column: the code of cells that are not listed

    /// The code of a cell. O(log cells of the row).
    std::size_t code(std::size_t i, std::uint32_t j) const noexcept {
        const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(start[i]);
        const auto end = columns.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
        const auto at = std::lower_bound(begin, end, j);
        return at != end && *at == j ? codes[static_cast<std::size_t>(at - columns.begin())] : usual[j];
    }
};

/// Training rows. Rows have a code for each column, or for each bundle of columns. A histogram has `stride` cells for each
/// of these while it is made; where columns are bundled their own cells are sorted out of it afterwards. Sparse rows are
/// lists instead, and their histograms are those of lists/list_histogram.hpp.
struct BinnedTable {
    std::size_t n_rows = 0, stride = 0, most = 0; // bins of the column that has most
    std::vector<tree::BinnedColumn> columns;
    Bundles bundles;
    Codes rows;                      // n_rows x width
    Codes by_columns;                // width x n_rows
    RowLists lists;                  // of sparse rows
    std::vector<bool> by_targets;    // of each column: whether its bins are levels in the order of their mean target
    std::vector<std::size_t> places; // of bundled columns: where their cells begin in a histogram; and the end

    std::size_t n_columns() const noexcept { return columns.size(); }
    /// More than any column has, with that of missing cells.
    std::size_t most_codes() const noexcept { return std::max<std::size_t>(most + 1, 8); }
    std::size_t width() const noexcept { return bundles.any() ? bundles.groups.size() : columns.size(); }
    bool sparse() const noexcept { return !lists.start.empty(); }

    /// Where the cells of a column begin in a histogram, and the cells of all columns.
    std::size_t place(std::size_t j) const noexcept { return bundles.any() ? places[j] : j * stride; }
    std::size_t n_cells() const noexcept { return place(n_columns()); }

    std::uint32_t group_of(std::uint32_t j) const noexcept { return bundles.any() ? bundles.group_of[j] : j; }
    /// The code of column j where its group has this one.
    std::size_t of_column(std::uint32_t j, std::size_t code) const noexcept {
        return bundles.any() ? bundles.of_column(j, columns[j].n_bins, code) : code;
    }
    std::size_t code(std::size_t i, std::uint32_t j) const noexcept {
        return sparse() ? lists.code(i, j) : of_column(j, rows[i * width() + group_of(j)]);
    }
};

namespace detail {

inline Codes by_columns(const Codes& rows, std::size_t n, std::size_t d, bool wide, std::size_t n_threads,
                        Monitor& monitor) {
    Codes turned(n * d, wide);
    rows.visit([&](const auto* from) {
        turned.visit([&](auto* to) {
            parallel_for(n, 4096, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
                constexpr std::size_t block = 64; // a cache line of each column at a time
                for (; begin < end; begin += block)
                    for (std::size_t j = 0, last = std::min(begin + block, end); j < d; ++j)
                        for (std::size_t i = begin; i < last; ++i)
                            to[j * n + i] = static_cast<std::remove_reference_t<decltype(*to)>>(from[i * d + j]);
            });
        });
    });
    return turned;
}

/// The levels of a nominal column in as many bins as a set of codes can tell apart.
template <class T>
void regroup_levels(tree::BinnedColumn& column, const tree::Table<T>& table, std::size_t c,
                    std::span<const double> weight) {
    const auto whole = tree::whole_weights(weight);
    std::vector<std::size_t> count(static_cast<std::size_t>(table.n_levels[c]));
    for (std::size_t i = 0; i < table.rows(); ++i)
        if (const std::int32_t code = table.codes(i, c); code >= 0)
            count[static_cast<std::size_t>(code)] += whole.empty() ? 1 : whole[i];
    column = tree::BinnedColumn{};
    column.nominal = true;
    tree::detail::assign_levels(column, count, most_byte_bins);
}

} // namespace detail

/// Rows in bins that are known already, row after row.
template <class T>
Codes code_rows(const tree::Table<T>& table, const std::vector<tree::BinnedColumn>& columns, std::size_t n_threads,
                Monitor& monitor) {
    const bool wide = std::ranges::any_of(columns, [](const auto& each) { return each.n_bins > most_byte_bins; });
    Codes codes(table.rows() * columns.size(), wide);
    codes.visit([&](auto* to) { tree::code_cells(table, columns, to, n_threads, monitor); });
    return codes;
}

/// A table in at most max_bins bins for each column. Nominal columns of more levels are put in the order of their mean
/// target where there are targets to go by. `weight` is empty where all rows count alike. Requires
/// 2 <= max_bins <= most_bins; nominal columns never have more bins than bytes can tell apart.
template <class T>
BinnedTable bin_rows(const tree::Table<T>& table, std::size_t max_bins, const Targets* targets,
                     std::span<const double> weight, std::size_t n_threads, Monitor& monitor) {
    BinnedTable made;
    made.n_rows = table.rows();
    made.columns = tree::find_bins(table, max_bins, n_threads, monitor, weight);
    const std::size_t n_numbers = table.numbers.columns(), d = made.n_columns();
    for (std::size_t j = n_numbers; j < d; ++j)
        if (made.columns[j].nominal && made.columns[j].n_bins > most_byte_bins)
            detail::regroup_levels(made.columns[j], table, j - n_numbers, weight);
    made.rows = code_rows(table, made.columns, n_threads, monitor);
    made.by_targets.assign(d, false);
    std::vector<std::uint8_t> fold;
    for (std::size_t j = n_numbers; targets && j < d; ++j) {
        const auto n_levels = static_cast<std::size_t>(table.n_levels[j - n_numbers]);
        const std::size_t most = std::min(max_bins, most_byte_bins);
        if (!made.columns[j].nominal || n_levels <= most)
            continue;
        if (fold.empty())
            fold = drawn_folds(made.n_rows, targets->seed);
        made.by_targets[j] = true;
        made.columns[j].nominal = false; // bins are in order now
        const std::size_t before = made.columns[j].n_bins;
        bin_by_targets(
            made.columns[j], n_levels, made.n_rows, most, *targets, fold,
            [&](std::size_t i) { return table.codes(i, j - n_numbers); },
            [&](std::size_t i, std::size_t bin) { made.rows.set(i * d + j, bin); });
        for (std::size_t i = 0; i < made.n_rows && made.columns[j].n_bins != before; ++i)
            if (table.codes(i, j - n_numbers) < 0)
                made.rows.set(i * d + j, made.columns[j].n_bins);
        monitor.check();
    }
    for (const auto& column : made.columns)
        made.most = std::max(made.most, column.n_bins);
    const bool wide = made.most > most_byte_bins;
    if (!wide)
        made.bundles = find_bundles(made.rows, made.n_rows, made.columns, n_threads, monitor);
    if (made.bundles.any()) {
        made.rows = bundled(made.rows, made.n_rows, d, made.bundles, n_threads, monitor);
        made.places.assign(1, 0);
        for (const auto& column : made.columns)
            made.places.push_back(made.places.back() + column.n_bins + 1);
    }
    made.stride = ((made.bundles.any() ? most_byte_bins : made.most) + 1 + 7) / 8 * 8;
    made.by_columns = detail::by_columns(made.rows, made.n_rows, made.width(), wide, n_threads, monitor);
    return made;
}

} // namespace margin::boosting
