#pragma once
// Sums of the gradients of a node for each bin of each column.
//
// Rows are brought in one after another, all of their columns at a time: a row is one or two cache lines, asked for some
// rows ahead. Large nodes are shared out by rows, each thread into a histogram of its own; whole numbers add up to
// the same however they are shared out.
#include "binned_table.hpp"
#include "gradients.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace margin::boosting {

/// Many rows: a row with its coarse gradients beside it, and bins of one word.
struct CoarseRows {
    struct Item {
        std::uint32_t row;
        Coarse coarse;
    };
    using Cell = std::int64_t;
    static Cell cell(const Item& item, const Sums*) noexcept { return item.coarse.word(); }
};

/// Few rows: bins on the fine grid, read from where they are kept.
struct FineRows {
    struct Item {
        std::uint32_t row;
    };
    using Cell = Sums;
    static Cell cell(const Item& item, const Sums* fine) noexcept { return fine[item.row]; }
};

template <class Cell>
using Cells = std::unique_ptr<Cell[]>;

inline void take_away(std::int64_t& a, std::int64_t b) noexcept { a -= b; }
inline void take_away(Sums& a, Sums b) noexcept { a = a - b; }

namespace detail {

inline constexpr std::size_t rows_ahead = 12;

/// Bring in the rows of some items, all columns. Eight codes are read as one word.
template <class Rows>
void add_rows(const BinnedTable& table, std::span<const typename Rows::Item> items, const Sums* fine,
              typename Rows::Cell* cells) noexcept {
    const std::size_t d = table.n_columns(), stride = table.stride;
    const std::uint8_t* const codes = table.rows.get();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i + rows_ahead < items.size()) {
            const std::uint8_t* const ahead = codes + items[i + rows_ahead].row * d;
            __builtin_prefetch(ahead);
            if (d > 32)
                __builtin_prefetch(ahead + 64);
        }
        const auto value = Rows::cell(items[i], fine);
        const std::uint8_t* const row = codes + items[i].row * d;
        auto* to = cells;
        std::size_t j = 0;
        for (; j + 8 <= d; j += 8, to += 8 * stride) {
            std::uint64_t eight;
            std::memcpy(&eight, row + j, 8);
#pragma GCC unroll 8
            for (std::size_t k = 0; k < 8; ++k)
                to[k * stride + (eight >> (8 * k) & 255)] += value;
        }
        for (; j < d; ++j, to += stride)
            to[row[j]] += value;
    }
}

/// The same for some columns alone.
template <class Rows>
void add_columns(const BinnedTable& table, std::span<const std::uint32_t> columns,
                 std::span<const typename Rows::Item> items, const Sums* fine, typename Rows::Cell* cells) noexcept {
    const std::size_t width = table.n_columns(), stride = table.stride;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i + rows_ahead < items.size()) {
            const std::uint8_t* const ahead = table.row(items[i + rows_ahead].row);
            for (std::size_t j = 0; j < std::min<std::size_t>(width, 256); j += 64)
                __builtin_prefetch(ahead + j);
        }
        const auto value = Rows::cell(items[i], fine);
        const std::uint8_t* const row = table.row(items[i].row);
        for (const std::uint32_t j : columns)
            cells[j * stride + row[j]] += value;
    }
}

} // namespace detail

/// Makes histograms; has one for each further thread to add up in.
template <class Rows>
class HistogramMaker {
public:
    using Item = typename Rows::Item;
    using Cell = typename Rows::Cell;

    HistogramMaker(const BinnedTable& table, std::size_t n_threads)
        : table_(table), n_threads_(n_threads), others_(n_workers(std::size_t{1} << 40, 1, n_threads)) {}

    std::size_t size() const noexcept { return table_.n_columns() * table_.stride; }

    /// Columns that are looked at; all if none are named.
    void look_at(std::vector<std::uint32_t> columns) { columns_ = std::move(columns); }
    std::span<const std::uint32_t> columns() const noexcept { return columns_; }

    /// The histogram of some items.
    void make(std::span<const Item> items, const Sums* fine, Cell* cells, Monitor& monitor) {
        std::fill_n(cells, size(), Cell{});
        const std::size_t width = columns_.empty() ? table_.n_columns() : columns_.size();
        if (items.size() * width < 2 * least_shared || n_threads_ == 1)
            return add_in_turns(items, fine, cells, monitor);
        std::vector<char> used(others_.size());
        const std::size_t grain = std::max<std::size_t>(least_shared / width, 256);
        parallel_for(items.size(), grain, n_threads_, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t worker) {
                         Cell* to = cells;
                         if (worker > 0) {
                             if (!others_[worker])
                                 others_[worker] = std::make_unique_for_overwrite<Cell[]>(size());
                             to = others_[worker].get();
                             if (!used[worker])
                                 std::fill_n(to, size(), Cell{});
                             used[worker] = 1;
                         }
                         add(items.subspan(begin, end - begin), fine, to);
                     });
        for (std::size_t worker = 1; worker < used.size(); ++worker)
            if (used[worker])
                for (std::size_t k = 0; k < size(); ++k)
                    cells[k] += others_[worker][k];
    }

private:
    static constexpr std::size_t least_shared = std::size_t{1} << 16; // additions: about 40 microseconds

    void add(std::span<const Item> items, const Sums* fine, Cell* cells) const noexcept {
        if (columns_.empty())
            detail::add_rows<Rows>(table_, items, fine, cells);
        else
            detail::add_columns<Rows>(table_, columns_, items, fine, cells);
    }

    void add_in_turns(std::span<const Item> items, const Sums* fine, Cell* cells, Monitor& monitor) const {
        const std::size_t at_once = std::max<std::size_t>((std::size_t{1} << 22) / table_.n_columns(), 1);
        for (std::size_t begin = 0; begin < items.size(); begin += at_once) {
            monitor.check();
            add(items.subspan(begin, std::min(at_once, items.size() - begin)), fine, cells);
        }
    }

    const BinnedTable& table_;
    std::size_t n_threads_;
    std::vector<Cells<Cell>> others_;
    std::vector<std::uint32_t> columns_;
};

} // namespace margin::boosting
