#pragma once
// An index of mixed rows: coarse cells in blocks, boxes around blocks, boxes around groups of blocks, and the rows.
#include "mixed_order.hpp"

namespace margin::neighbors {

/// Rows, boxes and groups of boxes stand side by side, as many as this, column by column.
inline constexpr std::size_t lanes = 32;
/// Which categories are in a box: a bit for each remainder of their codes, and one for missing cells.
using set_t = std::uint16_t;
inline constexpr int set_bits = 15;
inline constexpr set_t missing_bit = 1u << set_bits;

inline set_t bit_of(coarse_t cell) {
    return cell == missing_cell ? missing_bit : static_cast<set_t>(1u << (cell % set_bits));
}
inline constexpr std::size_t blocks_for(std::size_t n) { return (n + lanes - 1) / lanes; }

/// Boxes, `lanes` side by side. Of a column of numbers the lowest and highest step and 255 if a cell is missing (else
/// 0); of a column of categories the set of them. Without any cell the lowest step is the last and the highest the first.
struct Boxes {
    const coarse_t* edges; // group after group: column after column: lowest, highest, missing of each lane
    const set_t* sets;     // group after group: column after column: the set of each lane
    std::size_t n;
};

/// All that a search reads; it belongs to someone else.
struct MixedIndex {
    std::span<const NumberColumn> numeric;
    std::span<const NominalColumn> nominal;
    std::size_t n_rows;
    const std::int64_t* place; // of each row in the order of the index
    const double* numbers;     // row by row, shifted
    const std::int32_t* codes; // row by row
    const coarse_t* cells;     // block after block: column after column: the coarse cell of each lane
    Boxes blocks, groups;      // around blocks of rows, and around groups of blocks

    MixedRow row(std::size_t i) const { return {numbers + i * numeric.size(), codes + i * nominal.size()}; }
};

struct OwnedBoxes {
    std::vector<coarse_t> edges;
    std::vector<set_t> sets;

    OwnedBoxes(std::size_t n, std::size_t p, std::size_t c)
        : edges(blocks_for(n) * p * 3 * lanes), sets(blocks_for(n) * c * lanes) {
        for (std::size_t at = 0; at < edges.size(); at += 3 * lanes)
            std::fill_n(edges.begin() + at, lanes, last_step);
    }

    void widen(std::size_t box, std::size_t j, std::size_t p, coarse_t lowest, coarse_t highest, coarse_t missing) {
        coarse_t* edge = edges.data() + (box / lanes * p + j) * 3 * lanes + box % lanes;
        edge[0] = std::min(edge[0], lowest);
        edge[lanes] = std::max(edge[lanes], highest);
        edge[2 * lanes] = std::max(edge[2 * lanes], missing);
    }
};

struct OwnedMixedIndex {
    std::vector<NumberColumn> numeric;
    std::vector<NominalColumn> nominal;
    std::vector<std::int64_t> place;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;
    std::vector<coarse_t> cells;
    OwnedBoxes blocks, groups;
};

namespace detail {

/// Copies the rows into the order of the index and draws boxes around them. A group is filled by one thread.
inline void fill_group(OwnedMixedIndex& index, std::size_t group, MatrixView<const double> numbers,
                       MatrixView<const std::int32_t> codes, const std::vector<coarse_t>& coarse) {
    const std::size_t p = numbers.columns(), c = codes.columns(), width = p + c, n = index.place.size();
    const std::size_t end = std::min(n, (group + 1) * lanes * lanes);
    for (std::size_t i = group * lanes * lanes; i < end; ++i) {
        const auto from = static_cast<std::size_t>(index.place[i]);
        const std::size_t block = i / lanes;
        for (std::size_t j = 0; j < p; ++j)
            index.numbers[i * p + j] = shifted(index.numeric[j], numbers(from, j));
        std::copy_n(codes.data() + from * c, c, index.codes.data() + i * c);
        for (std::size_t j = 0; j < width; ++j) {
            const coarse_t cell = coarse[from * width + j];
            index.cells[(block * width + j) * lanes + i % lanes] = cell;
            if (j >= p) {
                index.blocks.sets[(block / lanes * c + j - p) * lanes + block % lanes] |= bit_of(cell);
                index.groups.sets[(group / lanes * c + j - p) * lanes + group % lanes] |= bit_of(cell);
            } else if (cell == missing_cell) {
                index.blocks.widen(block, j, p, last_step, 0, missing_cell);
                index.groups.widen(group, j, p, last_step, 0, missing_cell);
            } else {
                index.blocks.widen(block, j, p, cell, cell, 0);
                index.groups.widen(group, j, p, cell, cell, 0);
            }
        }
    }
}

} // namespace detail

/// An index over rows of numbers (NaN: missing) and codes (negative: missing). Requires as many rows of both, fewer
/// than 2^32, a weight above 0 for each column, numbers first, and no infinite number.
/// O(n width log n) time, O(n width) memory; the same for any number of threads.
template <class M>
OwnedMixedIndex index_mixed(MatrixView<const double> numbers, MatrixView<const std::int32_t> codes,
                            std::span<const double> weights, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = numbers.rows(), p = numbers.columns(), c = codes.columns();
    std::vector<NumberColumn> numeric(p);
    std::vector<NominalColumn> nominal(c);
    parallel_for(p + c, 1, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t j = begin; j < end; ++j)
            if (j < p)
                numeric[j] = number_column<M>(numbers, j, weights[j]);
            else
                nominal[j - p] = nominal_column(codes, j - p, weights[j]);
    });
    const std::vector<coarse_t> coarse = coarse_rows(numeric, numbers, codes, n_threads, monitor);
    const auto order = SimilarOrder<M>(coarse, numeric, nominal).order(n, n_threads, monitor);
    const std::size_t n_blocks = blocks_for(n), n_groups = blocks_for(n_blocks);
    OwnedMixedIndex index{std::move(numeric),
                          std::move(nominal),
                          std::vector<std::int64_t>(order.begin(), order.end()),
                          std::vector<double>(n * p),
                          std::vector<std::int32_t>(n * c),
                          std::vector<coarse_t>(n_blocks * lanes * (p + c), missing_cell),
                          OwnedBoxes(n_blocks, p, c),
                          OwnedBoxes(n_groups, p, c)};
    parallel_for(n_groups, 4, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t group = begin; group < end; ++group)
            detail::fill_group(index, group, numbers, codes, coarse);
    });
    return index;
}

} // namespace margin::neighbors
