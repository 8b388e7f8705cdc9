#pragma once
// Columns ranked once for all rounds of boosting.
//
// A round asks every column for its best cut under new weights. Where a column has few codes, its weights are counted
// by code (a histogram in the first cache, rows read as they come). Where it has many, they are counted by bucket of
// neighbouring codes; only in the few buckets in which the best cut can stand are rows read in the order of the column,
// which was found beforehand.
#include "margin/ensemble/forest/coded_table.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace margin::boosting {

/// Up to so many codes are counted: sums of two numbers for each then take 32 KB.
inline constexpr std::size_t most_counted = 2048;

/// Marks the last row of a code in the order of a column.
inline constexpr std::uint32_t ends_code = 1u << 31;

/// Neighbouring codes of a sorted column, about as many rows in each bucket.
struct Buckets {
    static constexpr std::size_t most = 255;
    std::vector<std::uint8_t> of_row;             // rows without a cell: size()
    std::vector<std::uint32_t> begin, first_code; // of each bucket, in the order of the column; and the end
    std::size_t size() const noexcept { return begin.size() - 1; }
};

class RankedTable {
public:
    RankedTable(ensemble::CodedTable&& coded, std::size_t n_threads, Monitor& monitor)
        : coded_(std::move(coded)), order_(coded_.columns.size()), buckets_(coded_.columns.size()),
          absent_(coded_.columns.size()), varying_(coded_.varying()) {
        parallel_for(columns(), 1, n_threads, monitor, [&](std::size_t j, std::size_t, std::size_t) { find_order(j); });
    }

    std::size_t rows() const noexcept { return coded_.n_rows; }
    std::size_t columns() const noexcept { return coded_.columns.size(); }
    const tree::BinnedColumn& column(std::size_t j) const noexcept { return coded_.columns[j]; }
    const ensemble::CodedTable& coded() const noexcept { return coded_; }

    /// The columns that hold more than one code.
    const std::vector<std::uint32_t>& varying() const noexcept { return varying_; }

    /// Whether the column is read in its own order; else it is counted by code.
    bool is_sorted(std::size_t j) const noexcept { return !order_[j].empty(); }

    /// The rows with a known cell by ascending code; the last one of each code has the bit `ends_code`.
    std::span<const std::uint32_t> order(std::size_t j) const noexcept { return order_[j]; }

    const Buckets& buckets(std::size_t j) const noexcept { return buckets_[j]; }

    /// The rows without a cell in a sorted column, ascending.
    std::span<const std::uint32_t> absent(std::size_t j) const noexcept { return absent_[j]; }

private:
    void find_order(std::size_t j) {
        const tree::BinnedColumn& column = coded_.columns[j];
        if (column.nominal || column.n_bins <= most_counted)
            return;
        std::vector<std::uint32_t> start(column.n_bins + 1);
        coded_.with_codes(j, [&](const auto* codes) {
            for (std::size_t i = 0; i < rows(); ++i)
                if (codes[i] < column.n_bins)
                    ++start[codes[i] + 1];
                else
                    absent_[j].push_back(static_cast<std::uint32_t>(i));
            for (std::size_t c = 0; c < column.n_bins; ++c)
                start[c + 1] += start[c];
            order_[j].resize(start.back());
            for (std::size_t i = 0; i < rows(); ++i)
                if (codes[i] < column.n_bins)
                    order_[j][start[codes[i]]++] = static_cast<std::uint32_t>(i);
        });
        for (std::size_t c = 0; c < column.n_bins; ++c) // start[c] is now where code c ends
            if (start[c] > (c == 0 ? 0 : start[c - 1]))
                order_[j][start[c] - 1] |= ends_code;
        fill_buckets(j, start);
    }

    /// Requires end[c], where code c ends in the order.
    void fill_buckets(std::size_t j, std::span<const std::uint32_t> end) {
        const std::size_t n_bins = coded_.columns[j].n_bins;
        const std::size_t enough = (order_[j].size() + Buckets::most - 1) / Buckets::most;
        Buckets& made = buckets_[j];
        made.begin = made.first_code = {0};
        std::vector<std::uint8_t> of_code(n_bins);
        for (std::size_t c = 0; c < n_bins; ++c) {
            of_code[c] = static_cast<std::uint8_t>(made.begin.size() - 1);
            if (c + 1 == n_bins || end[c] - made.begin.back() >= enough) {
                made.begin.push_back(end[c]);
                made.first_code.push_back(static_cast<std::uint32_t>(c + 1));
            }
        }
        const auto none = static_cast<std::uint8_t>(made.size());
        made.of_row.resize(rows());
        coded_.with_codes(j, [&](const auto* codes) {
            for (std::size_t i = 0; i < rows(); ++i)
                made.of_row[i] = codes[i] < n_bins ? of_code[codes[i]] : none;
        });
    }

    ensemble::CodedTable coded_;
    std::vector<std::vector<std::uint32_t>> order_;
    std::vector<Buckets> buckets_;
    std::vector<std::vector<std::uint32_t>> absent_;
    std::vector<std::uint32_t> varying_;
};

} // namespace margin::boosting
