#pragma once
// Columns as a few bins each: a cell takes one byte or two, and a node needs no order of its rows.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include "margin/tree/exact/ranks.hpp"
#include "margin/tree/splits/cuts.hpp"
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace margin::tree {

/// The bins of one column, counted from 0; missing cells have the code `n_bins`.
struct BinnedColumn {
    bool nominal = false, coded = false;
    bool has_missing = false; // among the rows that were binned
    std::size_t n_bins = 0;
    Cuts cuts;                                  // columns of numbers
    std::vector<std::uint32_t> bin_of;          // coded columns: of each level
    std::vector<std::vector<code_t>> levels_of; // coded columns: of each bin those that rows hold, ascending

    /// The threshold between two bins, where all bins in between are empty. Only missing cells lie above infinity.
    double between(std::size_t low, std::size_t high) const noexcept {
        if (high >= n_bins)
            return std::numeric_limits<double>::infinity();
        return coded ? levels_of[low].back() : cuts.between(low, high);
    }
};

/// A table in bins, row after row.
template <class Code>
struct Bins {
    std::size_t n_rows = 0;
    std::vector<BinnedColumn> columns;
    std::unique_ptr<Code[]> codes;

    const Code* row(std::size_t i) const noexcept { return codes.get() + i * columns.size(); }
    Code* row(std::size_t i) noexcept { return codes.get() + i * columns.size(); }
};

namespace detail {

/// Levels that are more than max_bins: nominal ones keep a bin each for the max_bins - 1 that are most frequent (of
/// equally frequent ones the first), and the others share the last bin; neighbouring ordered ones share bins that are
/// about equally full. Up to max_bins levels have a bin each.
inline void assign_levels(BinnedColumn& column, const std::vector<std::size_t>& count, std::size_t max_bins) {
    const std::size_t n_levels = count.size();
    column.coded = true;
    column.bin_of.resize(n_levels);
    column.n_bins = std::min(std::max<std::size_t>(n_levels, 1), max_bins);
    if (n_levels <= max_bins) {
        for (std::uint32_t level = 0; level < n_levels; ++level)
            column.bin_of[level] = level;
    } else if (column.nominal) {
        std::vector<std::uint32_t> order(n_levels);
        for (std::uint32_t level = 0; level < n_levels; ++level)
            order[level] = level;
        std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return count[a] > count[b]; });
        std::ranges::fill(column.bin_of, static_cast<std::uint32_t>(max_bins));
        for (std::size_t k = 0; k + 1 < max_bins; ++k)
            column.bin_of[order[k]] = 0;
        std::uint32_t next = 0;
        for (std::uint32_t& bin : column.bin_of)
            bin = bin == 0 ? next++ : static_cast<std::uint32_t>(max_bins - 1);
    } else {
        std::vector<double> value;
        std::vector<std::size_t> held;
        for (std::size_t level = 0; level < n_levels; ++level)
            if (count[level] > 0) {
                value.push_back(static_cast<double>(level));
                held.push_back(count[level]);
            }
        const Cuts cuts = cuts_between(value, held, max_bins);
        column.n_bins = cuts.at.size() + 1;
        for (std::size_t level = 0; level < n_levels; ++level)
            column.bin_of[level] = static_cast<std::uint32_t>(cuts.bin(static_cast<double>(level)));
    }
    column.levels_of.resize(column.n_bins);
    for (std::uint32_t level = 0; level < n_levels; ++level)
        if (count[level] > 0)
            column.levels_of[column.bin_of[level]].push_back(level);
}

/// Write the codes of one column of numbers for the rows of a block. Says whether cells were missing.
template <class Code, class T>
bool code_numbers(const CutFinder<T>& finder, const T* x, std::size_t x_stride, Code* codes, std::size_t stride,
                  std::size_t n, std::size_t missing) noexcept {
    constexpr std::size_t lanes = 16;
    std::array<T, lanes> number;
    std::array<std::uint32_t, lanes> bin;
    bool any_missing = false;
    for (std::size_t begin = 0; begin < n; begin += lanes) {
        const std::size_t m = std::min(lanes, n - begin);
        for (std::size_t l = 0; l < m; ++l)
            number[l] = x[(begin + l) * x_stride];
        for (std::size_t l = m; l < lanes; ++l)
            number[l] = 0;
        finder.find(number, bin);
        for (std::size_t l = 0; l < m; ++l) {
            const bool absent = std::isnan(number[l]);
            any_missing |= absent;
            codes[(begin + l) * stride] = static_cast<Code>(absent ? missing : bin[l]);
        }
    }
    return any_missing;
}

} // namespace detail

/// What the bins of a table are: cuts of its numbers, and groups of levels; by weights where rows have some. O(n d) time
/// at most.
template <class T>
std::vector<BinnedColumn> find_bins(const Table<T>& table, std::size_t max_bins, std::size_t n_threads,
                                    Monitor& monitor, std::span<const double> weight = {}) {
    const std::vector<std::size_t> whole = whole_weights(weight);
    const std::size_t n_numbers = table.numbers.columns();
    std::vector<BinnedColumn> columns(table.columns());
    const Sample<T> sample(table.numbers, n_threads, monitor);
    const std::vector<std::size_t> sampled = weights_of(whole, sample.rows());
    parallel_for(columns.size(), 1, n_threads, monitor, [&](std::size_t j, std::size_t, std::size_t) {
        BinnedColumn& column = columns[j];
        if (j < n_numbers) {
            column.cuts = find_cuts(sample, j, max_bins, sampled);
            column.n_bins = column.cuts.at.size() + 1;
            return;
        }
        const std::size_t c = j - n_numbers;
        column.nominal = table.nominal[c] != 0;
        std::vector<std::size_t> count(static_cast<std::size_t>(table.n_levels[c]));
        for (std::size_t i = 0; i < table.rows(); ++i)
            if (const std::int32_t code = table.codes(i, c); code >= 0)
                count[static_cast<std::size_t>(code)] += whole.empty() ? 1 : whole[i];
        detail::assign_levels(column, count, max_bins);
    });
    return columns;
}

/// Write the codes of all cells, row after row. Says which columns have missing cells. O(n d log bins) time.
template <class Code, class T>
std::vector<bool> code_cells(const Table<T>& table, const std::vector<BinnedColumn>& columns, Code* codes,
                             std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = table.rows(), d = table.columns(), n_numbers = table.numbers.columns();
    std::vector<CutFinder<T>> finders;
    for (std::size_t j = 0; j < n_numbers; ++j)
        finders.emplace_back(columns[j].cuts);
    std::vector<std::atomic<bool>> has_missing(d);
    parallel_for(n, 2048, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        constexpr std::size_t block = 128; // its numbers and codes stay in the first cache while columns take turns
        for (; begin < end; begin += block) {
            const std::size_t m = std::min(block, end - begin);
            for (std::size_t j = 0; j < d; ++j) {
                const BinnedColumn& column = columns[j];
                bool absent = false;
                if (j < n_numbers)
                    absent = detail::code_numbers(finders[j], table.numbers.data() + begin * n_numbers + j, n_numbers,
                                                  codes + begin * d + j, d, m, column.n_bins);
                else
                    for (std::size_t i = begin; i < begin + m; ++i) {
                        const std::int32_t level = table.codes(i, j - n_numbers);
                        absent |= level < 0;
                        codes[i * d + j] = static_cast<Code>(
                            level < 0 ? column.n_bins : column.bin_of[static_cast<std::size_t>(level)]);
                    }
                if (absent)
                    has_missing[j].store(true, std::memory_order_relaxed);
            }
        }
    });
    return {has_missing.begin(), has_missing.end()};
}

/// A table in bins. Requires 2 <= max_bins <= the largest Code.
template <class Code, class T>
Bins<Code> bin_table(const Table<T>& table, std::size_t max_bins, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = table.rows(), d = table.columns();
    Bins<Code> bins{n, find_bins(table, max_bins, n_threads, monitor), std::make_unique_for_overwrite<Code[]>(n * d)};
    const std::vector<bool> has_missing = code_cells(table, bins.columns, bins.codes.get(), n_threads, monitor);
    for (std::size_t j = 0; j < d; ++j)
        bins.columns[j].has_missing = has_missing[j];
    return bins;
}

} // namespace margin::tree
