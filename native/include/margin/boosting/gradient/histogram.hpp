#pragma once
// Sums of the gradients of a node for each bin of each column.
//
// Rows are brought in one after another, all of their columns at a time: a row is one or two cache lines, asked for some
// rows ahead. Large nodes are shared out by rows, each thread into a histogram of its own; whole numbers add up to
// the same however they are shared out.
#include "gradients.hpp"
#include "margin/core/threads.hpp"
#include "table/binned_table.hpp"
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

/// Bring in the rows of some items, all columns; `width` codes a row. Eight bytes are read as one word.
template <class Rows, class Code>
void add_rows(const Code* codes, std::size_t width, std::size_t stride, std::span<const typename Rows::Item> items,
              const Sums* fine, typename Rows::Cell* cells) noexcept {
    constexpr std::size_t in_line = 64 / sizeof(Code);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i + rows_ahead < items.size()) {
            const Code* const ahead = codes + items[i + rows_ahead].row * width;
            __builtin_prefetch(ahead);
            if (2 * width > in_line)
                __builtin_prefetch(ahead + in_line);
        }
        const auto value = Rows::cell(items[i], fine);
        const Code* const row = codes + items[i].row * width;
        auto* to = cells;
        std::size_t j = 0;
        if constexpr (sizeof(Code) == 1)
            for (; j + 8 <= width; j += 8, to += 8 * stride) {
                std::uint64_t eight;
                std::memcpy(&eight, row + j, 8);
#pragma GCC unroll 8
                for (std::size_t k = 0; k < 8; ++k)
                    to[k * stride + (eight >> (8 * k) & 255)] += value;
            }
        for (; j < width; ++j, to += stride)
            to[row[j]] += value;
    }
}

/// The same for some columns alone.
template <class Rows, class Code>
void add_columns(const Code* codes, std::size_t width, std::size_t stride, std::span<const std::uint32_t> columns,
                 std::span<const typename Rows::Item> items, const Sums* fine, typename Rows::Cell* cells) noexcept {
    constexpr std::size_t in_line = 64 / sizeof(Code);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i + rows_ahead < items.size()) {
            const Code* const ahead = codes + items[i + rows_ahead].row * width;
            for (std::size_t j = 0; j < std::min<std::size_t>(width, 4 * in_line); j += in_line)
                __builtin_prefetch(ahead + j);
        }
        const auto value = Rows::cell(items[i], fine);
        const Code* const row = codes + items[i].row * width;
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
        : table_(table), n_threads_(n_threads), others_(n_workers(std::size_t{1} << 40, 1, n_threads)),
          bundled_(table.bundles.any() ? made_size() : 0) {}

    std::size_t size() const noexcept { return table_.n_cells(); }

    /// Columns that are looked at; all if none are named.
    void look_at(std::vector<std::uint32_t> columns) {
        columns_ = std::move(columns);
        added_ = columns_;
        if (!table_.bundles.any())
            return;
        for (std::uint32_t& j : added_)
            j = table_.group_of(j);
        std::ranges::sort(added_);
        added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    }
    std::span<const std::uint32_t> columns() const noexcept { return columns_; }

    /// The histogram of some items.
    void make(std::span<const Item> items, const Sums* fine, Cell* cells, Monitor& monitor) {
        if (!table_.bundles.any())
            return add_all(items, fine, cells, monitor);
        add_all(items, fine, bundled_.data(), monitor);
        sort_out(cells);
    }

private:
    static constexpr std::size_t least_shared = std::size_t{1} << 16; // additions: about 40 microseconds

    /// Cells while a histogram is made: of columns, or of bundles.
    std::size_t made_size() const noexcept { return table_.width() * table_.stride; }

    void add_all(std::span<const Item> items, const Sums* fine, Cell* cells, Monitor& monitor) {
        const std::size_t n_cells = made_size();
        std::fill_n(cells, n_cells, Cell{});
        const std::size_t width = added_.empty() ? table_.width() : added_.size();
        if (items.size() * width < 2 * least_shared || n_threads_ == 1)
            return add_in_turns(items, fine, cells, monitor);
        std::vector<char> used(others_.size());
        const std::size_t grain = std::max<std::size_t>(least_shared / width, 256);
        parallel_for(items.size(), grain, n_threads_, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t worker) {
                         Cell* to = cells;
                         if (worker > 0) {
                             if (!others_[worker])
                                 others_[worker] = std::make_unique_for_overwrite<Cell[]>(n_cells);
                             to = others_[worker].get();
                             if (!used[worker])
                                 std::fill_n(to, n_cells, Cell{});
                             used[worker] = 1;
                         }
                         add(items.subspan(begin, end - begin), fine, to);
                     });
        for (std::size_t worker = 1; worker < used.size(); ++worker)
            if (used[worker])
                for (std::size_t k = 0; k < n_cells; ++k)
                    cells[k] += others_[worker][k];
    }

    /// The cells of columns from those of bundles: what is in no other bin of a column is in its usual one.
    void sort_out(Cell* cells) const {
        const Bundles& bundles = table_.bundles;
        const std::size_t some = added_.empty() ? 0 : added_[0];
        Cell all{};
        for (std::size_t code = 0; code < table_.stride; ++code)
            all += bundled_[some * table_.stride + code];
        const auto sort_column = [&](std::uint32_t j) {
            const Cell* const from = bundled_.data() + bundles.group_of[j] * table_.stride;
            Cell* const to = cells + table_.place(j);
            const std::size_t n_bins = table_.columns[j].n_bins;
            if (bundles.alone(j)) {
                std::copy_n(from, n_bins + 1, to);
                return;
            }
            Cell rest = all;
            for (std::size_t code = 0; code <= n_bins; ++code)
                if (code != bundles.usual[j])
                    take_away(rest, to[code] = from[bundles.to_group(j, code)]);
            to[bundles.usual[j]] = rest;
        };
        if (columns_.empty())
            for (std::uint32_t j = 0; j < table_.n_columns(); ++j)
                sort_column(j);
        else // others are subtracted too
            std::fill_n(cells, size(), Cell{});
        for (const std::uint32_t j : columns_)
            sort_column(j);
    }

    void add(std::span<const Item> items, const Sums* fine, Cell* cells) const noexcept {
        table_.rows.visit([&](const auto* codes) {
            if (added_.empty())
                detail::add_rows<Rows>(codes, table_.width(), table_.stride, items, fine, cells);
            else
                detail::add_columns<Rows>(codes, table_.width(), table_.stride, added_, items, fine, cells);
        });
    }

    void add_in_turns(std::span<const Item> items, const Sums* fine, Cell* cells, Monitor& monitor) const {
        const std::size_t at_once = std::max<std::size_t>((std::size_t{1} << 22) / table_.width(), 1);
        for (std::size_t begin = 0; begin < items.size(); begin += at_once) {
            monitor.check();
            add(items.subspan(begin, std::min(at_once, items.size() - begin)), fine, cells);
        }
    }

    const BinnedTable& table_;
    std::size_t n_threads_;
    std::vector<Cells<Cell>> others_;
    std::vector<Cell> bundled_;
    std::vector<std::uint32_t> columns_, added_; // that are looked at; these or their bundles
};

} // namespace margin::boosting
