#pragma once
// Numbers by which rows are dealt out to parts: they depend on what stands in a row and on nothing else.
//
// Each column is mixed in by the rank of a cell among the different numbers of its column, missing cells last; a column
// of one number says nothing. Neither the order of the rows nor the unit of a column changes which rows go together.
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include "margin/data/csr.hpp"
#include "margin/tree/exact/ranks.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::tree {

namespace detail {

inline constexpr std::size_t marks_at_once = 4096;

/// An odd multiplier spreads every bit of a word upwards, the shift brings it down again.
inline std::uint64_t mixed(std::uint64_t mark, std::uint64_t rank) noexcept {
    mark = (mark ^ rank) * 0xBF58476D1CE4E5B9;
    return mark ^ mark >> 32;
}

/// The ranks of a column of numbers; false if all of them are the same.
inline bool ranks_of(std::span<const double> x, std::span<Entry> entries, SortRoom& room, std::uint32_t* rank) {
    room.entries.resize(x.size());
    const std::size_t n_known = sort_rows(x, entries, room.entries.data());
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < n_known; ++i) {
        last += i > 0 && x[entries[i].place] != x[entries[i - 1].place];
        rank[entries[i].place] = last;
    }
    last += n_known > 0 && n_known < x.size();
    for (std::size_t i = n_known; i < x.size(); ++i)
        rank[entries[i].place] = last;
    return last > 0;
}

/// Stored cells column after column, as ranks among the numbers of their columns.
struct RankedStored {
    std::vector<std::uint32_t> rank;  // of each stored cell
    std::vector<std::uint32_t> usual; // of each column: of the cells that are not stored
    std::vector<std::uint8_t> says;   // of each column: whether it has two different numbers
};

template <class T>
RankedStored rank_stored(const data::Csr<T, std::int32_t>& columns, std::size_t n_threads, Monitor& monitor) {
    RankedStored made{std::vector<std::uint32_t>(static_cast<std::size_t>(columns.start[columns.rows])),
                      std::vector<std::uint32_t>(columns.rows), std::vector<std::uint8_t>(columns.rows)};
    parallel_for(columns.rows, 256, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<T> different;
        for (std::size_t j = begin; j < end; ++j) {
            const auto first = static_cast<std::size_t>(columns.start[j]);
            const auto last = static_cast<std::size_t>(columns.start[j + 1]);
            different.clear();
            for (std::size_t k = first; k < last; ++k)
                if (!std::isnan(columns.values[k]))
                    different.push_back(columns.values[k]);
            const bool missing = different.size() < last - first;
            if (last - first < columns.width)
                different.push_back(0);
            std::ranges::sort(different);
            different.erase(std::unique(different.begin(), different.end()), different.end());
            const auto rank_of = [&](T x) {
                return static_cast<std::uint32_t>(std::ranges::lower_bound(different, x) - different.begin());
            };
            for (std::size_t k = first; k < last; ++k)
                made.rank[k] = std::isnan(columns.values[k]) ? static_cast<std::uint32_t>(different.size())
                                                             : rank_of(columns.values[k]);
            made.usual[j] = rank_of(0);
            made.says[j] = different.size() + missing > 1;
        }
    });
    return made;
}

} // namespace detail

/// Mix the columns of a matrix into the marks of its rows. O(n d) time but for odd distributions.
template <class T>
void mark_rows(MatrixView<const T> numbers, std::span<std::uint64_t> mark, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = numbers.rows(), d = numbers.columns();
    if (n == 0)
        return;
    const std::size_t group = detail::columns_at_once(n, n_workers(d, 1, n_threads));
    std::vector<double> copies(n * std::min(group, d));
    std::vector<std::uint32_t> rank(copies.size());
    std::vector<std::uint8_t> says(group);
    std::vector<detail::SortRoom> rooms(n_workers(group, 1, n_threads));
    std::vector<std::vector<Entry>> entries(rooms.size());
    for (std::size_t first = 0; first < d; first += group) {
        const std::size_t n_columns = std::min(group, d - first);
        detail::copy_columns(numbers, first, n_columns, copies.data(), n_threads, monitor);
        parallel_for(n_columns, 1, n_threads, monitor, [&](std::size_t j, std::size_t, std::size_t worker) {
            entries[worker].resize(n);
            says[j] = detail::ranks_of({copies.data() + j * n, n}, entries[worker], rooms[worker], rank.data() + j * n);
        });
        parallel_for(n, detail::marks_at_once, n_threads, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                         for (std::size_t j = 0; j < n_columns; ++j)
                             for (std::size_t i = begin; says[j] && i < end; ++i)
                                 mark[i] = detail::mixed(mark[i], rank[j * n + i]);
                     });
    }
}

/// The same of a sparse matrix, given column after column: `columns` has a row for each, of ascending places, each once.
template <class T>
void mark_rows(const data::Csr<T, std::int32_t>& columns, std::span<std::uint64_t> mark, std::size_t n_threads,
               Monitor& monitor) {
    const detail::RankedStored ranked = detail::rank_stored(columns, n_threads, monitor);
    parallel_for(
        mark.size(), detail::marks_at_once, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t j = 0; j < columns.rows; ++j) {
                if (!ranked.says[j])
                    continue;
                const std::uint64_t usual = ranked.usual[j];
                const std::int32_t* const last = columns.columns + columns.start[j + 1];
                const std::int32_t* at =
                    std::lower_bound(columns.columns + columns.start[j], last, static_cast<std::int32_t>(begin));
                for (; at != last && static_cast<std::size_t>(*at) < end; ++at)
                    mark[static_cast<std::size_t>(*at)] ^= usual ^ ranked.rank[at - columns.columns];
                for (std::size_t i = begin; i < end; ++i)
                    mark[i] = detail::mixed(mark[i], usual);
                if (j % 1024 == 0)
                    monitor.check();
            }
        });
}

} // namespace margin::tree
