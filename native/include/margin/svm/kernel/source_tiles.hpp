#pragma once
// How a block of kernel values is cut into pieces of work.
#include "margin/core/threads.hpp"
#include <cstddef>
#include <cstdint>
#include <span>

namespace margin::svm {

/// Rows of one piece of work: enough of them that packing its columns hardly counts.
inline constexpr std::size_t band_rows = 512;

/// fill(some rows, some columns, r, c, scratch) for every piece of at most band_rows rows by `width` columns, the first
/// of which are rows[r] and columns[c]. A kernel value costs about `depth` + 32 operations: small pieces are handed out
/// together, with one scratch space for them all.
template <class Scratch, class Fill>
void for_each_tile(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, std::size_t width,
                   std::size_t depth, std::size_t n_threads, Monitor& monitor, Fill&& fill) {
    constexpr std::size_t worth_waking = std::size_t{1} << 21;
    const std::size_t n_chunks = (columns.size() + width - 1) / width;
    const std::size_t n_bands = (rows.size() + band_rows - 1) / band_rows;
    const std::size_t cost = std::min(rows.size(), band_rows) * width * (depth + 32) + 1;
    parallel_for(n_chunks * n_bands, 1 + worth_waking / cost, n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     Scratch scratch;
                     for (std::size_t task = begin; task < end; ++task) {
                         const std::size_t c = task / n_bands * width, r = task % n_bands * band_rows;
                         fill(rows.subspan(r, std::min(band_rows, rows.size() - r)),
                              columns.subspan(c, std::min(width, columns.size() - c)), r, c, scratch);
                     }
                 });
}

} // namespace margin::svm
