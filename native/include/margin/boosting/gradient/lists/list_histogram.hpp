#pragma once
// Histograms of sparse rows, in two steps. First the sums of the listed cells of every column: one number for each, and
// a branch without the bin of 0 has no more second derivatives than this. Then the bins of those columns alone that
// have enough for a branch: of wide text they are few.
#include "margin/boosting/gradient/histogram.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::boosting {

inline void write_cell(std::int64_t& cell, Sums sums) noexcept { cell = sums.g * (std::int64_t{1} << 32) + sums.h; }
inline void write_cell(Sums& cell, Sums sums) noexcept { cell = sums; }

/// Adds up listed cells; has an array for each further thread.
template <class Rows>
class ListHistogram {
public:
    using Item = typename Rows::Item;
    using Cell = typename Rows::Cell;

    ListHistogram(const BinnedTable& table, std::size_t n_threads)
        : table_(table), n_threads_(n_threads), others_(n_workers(std::size_t{1} << 40, 1, n_threads)),
          place_(table.sparse() ? table.n_columns() : 0, nowhere) {}

    /// The listed cells of each column.
    void add_columns(std::span<const Item> items, const Sums* fine, Cell* cells, Monitor& monitor) {
        add(items, fine, cells, table_.n_columns(), monitor, [&](std::size_t k) { return table_.lists.columns[k]; });
    }

    /// All bins of some columns, one column after another, with the bin of 0; `sums` are those of the listed cells.
    /// Column k begins at starts()[k].
    const Cell* bins(std::span<const std::uint32_t> columns, std::span<const Item> items, const Sums* fine,
                     const Cell* sums, Sums total, Monitor& monitor) {
        starts_.assign(1, 0);
        for (const std::uint32_t j : columns) {
            place_[j] = static_cast<std::uint32_t>(starts_.back());
            starts_.push_back(starts_.back() + table_.columns[j].n_bins + 1);
        }
        const std::size_t size = starts_.back() + 1; // the last cell is for all other columns
        bins_.assign(size, Cell{});
        const auto other = static_cast<std::uint32_t>(size - 1);
        add(items, fine, bins_.data(), size, monitor, [&](std::size_t k) {
            const std::uint32_t place = place_[table_.lists.columns[k]];
            return place == nowhere ? other : place + table_.lists.codes[k];
        });
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const std::uint32_t j = columns[k];
            write_cell(bins_[starts_[k] + table_.lists.usual[j]], total - sums_of(sums[j]));
            place_[j] = nowhere;
        }
        return bins_.data();
    }
    std::span<const std::size_t> starts() const noexcept { return starts_; }

private:
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

    template <class Place>
    void add_some(std::span<const Item> items, const Sums* fine, Cell* cells, Place&& place) const noexcept {
        const std::size_t* const start = table_.lists.start.data();
        for (const Item& item : items) {
            const Cell value = Rows::cell(item, fine);
            for (std::size_t k = start[item.row]; k < start[item.row + 1]; ++k)
                cells[place(k)] += value;
        }
    }

    /// Whole numbers add up to the same however rows are shared out.
    template <class Place>
    void add(std::span<const Item> items, const Sums* fine, Cell* cells, std::size_t size, Monitor& monitor,
             Place&& place) {
        constexpr std::size_t grain = 1024;
        std::vector<char> used(others_.size());
        // Clearing and adding an array for each thread must not cost more than the rows do.
        const std::size_t n_threads = items.size() < 2 * grain || size > 16 * items.size() ? 1 : n_threads_;
        parallel_for(
            items.size(), grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
                if (worker > 0 && !used[worker]) {
                    others_[worker].assign(size, Cell{});
                    used[worker] = 1;
                }
                add_some(items.subspan(begin, end - begin), fine, worker ? others_[worker].data() : cells, place);
            });
        for (std::size_t worker = 1; worker < used.size(); ++worker)
            for (std::size_t k = 0; used[worker] && k < size; ++k)
                cells[k] += others_[worker][k];
    }

    const BinnedTable& table_;
    std::size_t n_threads_;
    std::vector<std::vector<Cell>> others_;
    std::vector<std::uint32_t> place_; // of each column: where its bins begin
    std::vector<std::size_t> starts_;
    std::vector<Cell> bins_;
};

} // namespace margin::boosting
