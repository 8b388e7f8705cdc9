#pragma once
// Columns as codes, one column after another: made once for all trees of a forest, and read by all of them.
#include "margin/tree/binned/bins.hpp"
#include "margin/tree/exact/ranks.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace margin::ensemble {

/// Codes ascend with the numbers: every different number has one (exact growth), or every bin of them. Missing cells
/// have the code n_bins. A code takes one, two or four bytes, as few as the column needs. Where only random splits are
/// sought, numbers stay numbers (with_cells).
class CodedTable {
public:
    std::size_t n_rows = 0;
    std::vector<tree::BinnedColumn> columns;

    CodedTable(std::size_t n, std::size_t d) : n_rows(n), columns(d), cells_(d) {}
    CodedTable(CodedTable&&) = default;

    /// Call use(codes) with the codes of column j, a pointer to one of three types.
    template <class Use>
    decltype(auto) with_codes(std::size_t j, Use&& use) const {
        const std::byte* const at = cells_[j].bytes.get();
        switch (cells_[j].width) {
        case 1:
            return use(reinterpret_cast<const std::uint8_t*>(at));
        case 2:
            return use(reinterpret_cast<const std::uint16_t*>(at));
        default:
            return use(reinterpret_cast<const std::uint32_t*>(at));
        }
    }

    /// The same where column j may be one of numbers, doubles or floats, NaN for missing cells.
    template <class Use>
    decltype(auto) with_cells(std::size_t j, Use&& use) const {
        const std::byte* const at = cells_[j].bytes.get();
        if (!cells_[j].numbers)
            return with_codes(j, use);
        return cells_[j].width == sizeof(double) ? use(reinterpret_cast<const double*>(at))
                                                 : use(reinterpret_cast<const float*>(at));
    }

    /// The columns that vary: others say nothing, and are not drawn.
    std::vector<std::uint32_t> varying() const {
        std::vector<std::uint32_t> found;
        for (std::uint32_t j = 0; j < columns.size(); ++j)
            with_cells(j, [&](const auto* cells) {
                const auto same = [first = cells[0]]<class Cell>(Cell cell) {
                    if constexpr (std::is_floating_point_v<Cell>) // missing cells are one code too
                        return cell == first || (std::isnan(cell) && std::isnan(first));
                    else
                        return cell == first;
                };
                if (!std::all_of(cells, cells + n_rows, same))
                    found.push_back(j);
            });
        return found;
    }

    /// Whether columns of numbers are kept as these splits read them.
    bool suits(bool random_splits) const noexcept {
        for (std::size_t j = 0; j < columns.size(); ++j)
            if (!columns[j].coded && cells_[j].numbers != random_splits)
                return false;
        return true;
    }

    /// Numbers as they came, row after row; whoever made the table keeps them. Call use(cells), doubles or floats.
    template <class Use>
    decltype(auto) with_rows(Use&& use) const {
        return doubles_.empty() ? use(floats_.data()) : use(doubles_.data());
    }
    std::size_t d_numbers() const noexcept { return std::max(doubles_.columns(), floats_.columns()); }
    void set_rows(MatrixView<const double> numbers) noexcept { doubles_ = numbers; }
    void set_rows(MatrixView<const float> numbers) noexcept { floats_ = numbers; }

    /// Room for the numbers of column j, as they are.
    template <class T>
    void make_room(std::size_t j) {
        cells_[j] = {std::make_unique_for_overwrite<std::byte[]>(n_rows * sizeof(T)), sizeof(T), true};
    }

    /// Those of rows [begin, end).
    template <class T>
    void write_numbers(std::size_t j, MatrixView<const T> numbers, std::size_t begin, std::size_t end) noexcept {
        T* const to = reinterpret_cast<T*>(cells_[j].bytes.get());
        for (std::size_t i = begin; i < end; ++i)
            to[i] = numbers(i, j);
    }

    /// Room for the codes of column j, whose bins are known, filled by fill(codes).
    template <class Fill>
    void write(std::size_t j, Fill&& fill) {
        const std::size_t n_codes = columns[j].n_bins + 1;
        const std::size_t width = n_codes <= 256 ? 1 : n_codes <= 65536 ? 2 : 4;
        cells_[j] = {std::make_unique_for_overwrite<std::byte[]>(n_rows * width), width, false};
        std::byte* const at = cells_[j].bytes.get();
        if (width == 1)
            fill(reinterpret_cast<std::uint8_t*>(at));
        else if (width == 2)
            fill(reinterpret_cast<std::uint16_t*>(at));
        else
            fill(reinterpret_cast<std::uint32_t*>(at));
    }

private:
    struct Cells {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t width = 1;
        bool numbers = false;
    };
    std::vector<Cells> cells_;
    MatrixView<const double> doubles_;
    MatrixView<const float> floats_;
};

namespace detail {

/// Number the different values of a column of numbers, and write the number of each row.
inline void code_values(std::span<const double> x, std::size_t j, CodedTable& coded, tree::Buffer<tree::Entry>& entries,
                        tree::detail::SortRoom& room) {
    entries.resize(x.size());
    tree::Column ranked;
    tree::detail::rank_numbers(x, ranked, entries, room);
    tree::BinnedColumn& column = coded.columns[j];
    column.n_bins = std::max<std::size_t>(ranked.value.size(), 1);
    column.cuts.value = std::move(ranked.value);
    coded.write(j, [&]<class Code>(Code* codes) {
        for (const tree::Entry& e : entries) {
            const bool absent = e.code == tree::missing_code;
            column.has_missing |= absent;
            codes[e.place] = static_cast<Code>(absent ? column.n_bins : e.code);
        }
    });
}

/// Levels as they are, up to max_bins of them; tree::detail::assign_levels says what becomes of more.
template <class T>
void code_levels(const tree::Table<T>& table, std::size_t c, std::size_t max_bins, CodedTable& coded) {
    const std::size_t j = table.numbers.columns() + c;
    tree::BinnedColumn& column = coded.columns[j];
    column.nominal = table.nominal[c] != 0;
    std::vector<std::size_t> count(static_cast<std::size_t>(table.n_levels[c]));
    for (std::size_t i = 0; i < table.rows(); ++i)
        if (const std::int32_t code = table.codes(i, c); code >= 0)
            ++count[static_cast<std::size_t>(code)];
    tree::detail::assign_levels(column, count, max_bins);
    coded.write(j, [&]<class Code>(Code* codes) {
        for (std::size_t i = 0; i < table.rows(); ++i) {
            const std::int32_t level = table.codes(i, c);
            column.has_missing |= level < 0;
            codes[i] = static_cast<Code>(level < 0 ? column.n_bins : column.bin_of[static_cast<std::size_t>(level)]);
        }
    });
}

} // namespace detail

/// Every different number with a code of its own, numbers in groups of columns so that rows are read once for each
/// group. O(n d) time but for odd distributions; four bytes a cell at most, and O(n) for each thread beside them.
template <class T>
CodedTable code_exactly(const tree::Table<T>& table, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = table.rows(), d_numbers = table.numbers.columns();
    CodedTable coded(n, table.columns());
    const std::size_t group = tree::detail::columns_at_once(n, n_workers(d_numbers, 1, n_threads));
    tree::Buffer<double> copies(n * std::min(group, d_numbers));
    const std::size_t workers = std::max<std::size_t>(n_workers(group, 1, n_threads), 1);
    std::vector<tree::detail::SortRoom> rooms(workers);
    std::vector<tree::Buffer<tree::Entry>> entries(workers);
    for (std::size_t first = 0; first < d_numbers; first += group) {
        const std::size_t m = std::min(group, d_numbers - first);
        tree::detail::copy_columns(table.numbers, first, m, copies.data(), n_threads, monitor);
        parallel_for(m, 1, n_threads, monitor, [&](std::size_t j, std::size_t, std::size_t worker) {
            detail::code_values({copies.data() + j * n, n}, first + j, coded, entries[worker], rooms[worker]);
        });
    }
    parallel_for(table.codes.columns(), 1, n_threads, monitor, [&](std::size_t c, std::size_t, std::size_t) {
        detail::code_levels(table, c, std::size_t{1} << 30, coded);
    });
    return coded;
}

/// Numbers as they are, one column after another, and levels in codes: all that random splits need. The table must
/// not outlive the numbers. O(n d) time.
template <class T>
CodedTable keep_numbers(const tree::Table<T>& table, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = table.rows(), d_numbers = table.numbers.columns();
    CodedTable coded(n, table.columns());
    coded.set_rows(table.numbers);
    for (std::size_t j = 0; j < d_numbers; ++j)
        coded.make_room<T>(j);
    constexpr std::size_t group = 16; // columns whose rows are read at a time
    parallel_for(d_numbers, group, n_threads, monitor, [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t begin = 0; begin < n; begin += 64)
            for (std::size_t j = first; j < last; ++j)
                coded.write_numbers(j, table.numbers, begin, std::min(begin + 64, n));
    });
    parallel_for(table.codes.columns(), 1, n_threads, monitor, [&](std::size_t c, std::size_t, std::size_t) {
        detail::code_levels(table, c, std::size_t{1} << 30, coded);
    });
    return coded;
}

/// Numbers in at most max_bins bins. Requires 2 <= max_bins <= 65535. O(n d log max_bins) time.
template <class T>
CodedTable code_bins(const tree::Table<T>& table, std::size_t max_bins, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = table.rows(), d_numbers = table.numbers.columns();
    CodedTable coded(n, table.columns());
    coded.columns = tree::find_bins(table, max_bins, n_threads, monitor);
    constexpr std::size_t group = 8;
    for (std::size_t first = 0; first < d_numbers; first += group) {
        const std::size_t m = std::min(group, d_numbers - first);
        parallel_for(m, 1, n_threads, monitor, [&](std::size_t k, std::size_t, std::size_t) {
            const std::size_t j = first + k;
            tree::BinnedColumn& column = coded.columns[j];
            const tree::CutFinder<T> finder(column.cuts);
            coded.write(j, [&]<class Code>(Code* codes) {
                column.has_missing = tree::detail::code_numbers(finder, table.numbers.data() + j, d_numbers, codes,
                                                                std::size_t{1}, n, column.n_bins);
            });
        });
    }
    parallel_for(table.codes.columns(), 1, n_threads, monitor,
                 [&](std::size_t c, std::size_t, std::size_t) { detail::code_levels(table, c, max_bins, coded); });
    return coded;
}

} // namespace margin::ensemble
