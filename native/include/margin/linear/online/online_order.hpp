#pragma once
// The order in which a shuffled pass visits rows.
#include "margin/core/random.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace margin::linear {

/// Up to so many rows all orders are equally likely.
constexpr std::size_t rows_to_shuffle = 1 << 14;
constexpr std::size_t rows_per_block = 8, rows_per_window = 1024, windows_per_stream = 32;

namespace detail {

/// Shuffles short lists with two draws from each random number.
class ShortShuffle {
public:
    explicit ShortShuffle(Stream stream) noexcept : stream_(stream) {}

    /// All orders equally likely. Requires fewer than 2^32 items.
    void operator()(std::span<std::uint32_t> items) noexcept {
        for (auto left = static_cast<std::uint32_t>(items.size()); left > 1; --left)
            std::swap(items[left - 1], items[below(left)]);
    }

private:
    std::uint32_t next() noexcept {
        half_ = !half_;
        if (half_)
            word_ = stream_.next();
        return static_cast<std::uint32_t>(half_ ? word_ >> 32 : word_);
    }

    /// As Stream::below, with 32 bits.
    std::uint32_t below(std::uint32_t n) noexcept {
        std::uint64_t product = std::uint64_t{next()} * n;
        if (static_cast<std::uint32_t>(product) < n)
            for (const std::uint32_t rejected = -n % n; static_cast<std::uint32_t>(product) < rejected;)
                product = std::uint64_t{next()} * n;
        return static_cast<std::uint32_t>(product >> 32);
    }

    Stream stream_;
    std::uint64_t word_ = 0;
    bool half_ = false;
};

} // namespace detail

/// A random order of 0 … n - 1 for one pass; another for each pass. Requires n and pass below 2^32. O(n).
///
/// Rows far apart in memory cost three times as much to read as neighbours. Where there are many, blocks of eight
/// neighbours are drawn in random order, and then all rows of 128 such blocks in random order: rows that are visited
/// shortly after one another come from 128 places all over the data, and eight neighbours never stand together.
inline std::vector<std::uint32_t> shuffled_visits(std::size_t n, std::uint64_t seed, std::uint64_t pass,
                                                  Monitor& monitor) {
    Stream stream(seed, pass);
    std::vector<std::uint32_t> order(n);
    if (n <= rows_to_shuffle) {
        std::iota(order.begin(), order.end(), 0u);
        stream.shuffle(std::span(order));
        return order;
    }
    std::vector<std::uint32_t> blocks((n + rows_per_block - 1) / rows_per_block);
    std::iota(blocks.begin(), blocks.end(), 0u);
    stream.shuffle(std::span(blocks));
    std::size_t filled = 0;
    for (const std::size_t block : blocks)
        for (std::size_t row = block * rows_per_block; row < std::min(n, (block + 1) * rows_per_block); ++row)
            order[filled++] = static_cast<std::uint32_t>(row);
    parallel_for(n, rows_per_window * windows_per_stream, 0, monitor, [&](std::size_t begin, std::size_t end, auto) {
        // Streams of passes have numbers below 2^32.
        detail::ShortShuffle shuffle(Stream(seed, pass | (begin / rows_per_window + 1) << 32));
        for (std::size_t first = begin; first < end; first += rows_per_window)
            shuffle(std::span(order).subspan(first, std::min(rows_per_window, end - first)));
    });
    return order;
}

} // namespace margin::linear
