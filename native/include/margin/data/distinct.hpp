#pragma once
// The different numbers of each column, where they are few: what a column's resolution is read off.
#include "margin/core/threads.hpp"
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace margin::data {

/// Different numbers, ascending; none where there are more than were asked for, or only missing cells.
using DistinctNumbers = std::vector<std::vector<double>>;

namespace detail {

/// Up to `most` different numbers in open addressing; 0 and -0 are one number.
class NumberSet {
public:
    explicit NumberSet(std::size_t most) : most_(most), mask_(std::bit_ceil(4 * most) - 1), slots_(mask_ + 1) {}

    /// False once there are more than `most`. Requires that x is a number.
    bool add(double x) {
        x += 0.0;
        if (!numbers_.empty() && x == last_)
            return true;
        last_ = x;
        for (std::size_t at = hash(x);; at = (at + 1) & mask_) {
            if (slots_[at] == 0) {
                if (numbers_.size() == most_)
                    return false;
                numbers_.push_back(x);
                slots_[at] = static_cast<std::uint32_t>(numbers_.size());
                return true;
            }
            if (numbers_[slots_[at] - 1] == x)
                return true;
        }
    }

    std::vector<double> ascending() {
        std::sort(numbers_.begin(), numbers_.end());
        return std::move(numbers_);
    }

private:
    std::size_t hash(double x) const {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u;
        return static_cast<std::size_t>(bits >> 40) & mask_;
    }

    std::size_t most_, mask_;
    double last_ = 0;
    std::vector<double> numbers_;
    std::vector<std::uint32_t> slots_;
};

} // namespace detail

/// The different numbers of each column of a row-major matrix, missing cells (NaN) left out. A column is given up as soon
/// as it has more than `most`, so that measurements cost next to nothing. O(rows columns) time at worst.
/// Columns that share a cache line are looked at together.
template <class T>
DistinctNumbers distinct_numbers(const T* x, std::size_t rows, std::size_t columns, std::size_t most,
                                 std::size_t n_threads, Monitor& monitor) {
    DistinctNumbers found(columns);
    constexpr std::size_t group = 64 / sizeof(T), rows_between_checks = 1 << 16;
    parallel_for(columns, group, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<detail::NumberSet> sets(end - begin, detail::NumberSet(most));
        std::vector<std::size_t> open;
        for (std::size_t j = begin; j < end; ++j)
            open.push_back(j);
        for (std::size_t i = 0; i < rows && !open.empty(); ++i) {
            if (i % rows_between_checks == 0)
                monitor.check();
            std::erase_if(open, [&](std::size_t j) {
                const T cell = x[i * columns + j];
                return cell == cell && !sets[j - begin].add(static_cast<double>(cell));
            });
        }
        for (const std::size_t j : open)
            found[j] = sets[j - begin].ascending();
    });
    return found;
}

} // namespace margin::data
