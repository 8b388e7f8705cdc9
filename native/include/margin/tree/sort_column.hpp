#pragma once
// Rows of a column in ascending order of its numbers, by a radix sort of 22 bits that follow the order of the numbers,
// and a second look at the rows that these bits do not tell apart.
#include "segment.hpp"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace margin::tree {

/// 64 bits in the order of the numbers; -0 is 0. Not for NaN.
inline std::uint64_t ordered_bits(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits & 0x8000000000000000 ? ~bits : bits | 0x8000000000000000;
}

/// Numbers between `low` and `high` to whole numbers below 2^22 that never fall where the numbers rise. Either even
/// steps between the numbers or even steps between their bits (about their logarithms), whichever tells more of a
/// sample apart.
class SortKey {
public:
    static constexpr int n_bits = 22;

    SortKey(double low, double high, std::span<const double> sample) {
        low_ = low;
        scale_ = (std::ldexp(1.0, n_bits) - 1) / (high - low);
        low_bits_ = ordered_bits(low);
        shift_ = std::max(static_cast<int>(std::bit_width(ordered_bits(high) - low_bits_)) - n_bits, 0);
        even_ = std::isfinite(scale_) && scale_ > 0 && std::isfinite(high - low) &&
                n_told(true, sample) >= n_told(false, sample);
    }

    std::uint32_t operator()(double x) const noexcept { return even_ ? by_value(x) : by_bits(x); }
    bool even() const noexcept { return even_; }
    std::uint32_t by_value(double x) const noexcept {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>((x - low_) * scale_));
    }
    std::uint32_t by_bits(double x) const noexcept {
        return static_cast<std::uint32_t>((ordered_bits(x) - low_bits_) >> shift_);
    }

private:
    std::size_t n_told(bool even, std::span<const double> sample) const {
        std::array<bool, 1024> seen{};
        std::size_t n = 0;
        for (const double x : sample)
            if (!std::isnan(x)) {
                bool& before = seen[(even ? by_value(x) : by_bits(x)) >> (n_bits - 10)];
                n += !before;
                before = true;
            }
        return n;
    }

    double low_ = 0, scale_ = 0;
    std::uint64_t low_bits_ = 0;
    int shift_ = 0;
    bool even_ = true;
};

namespace detail {

/// Stable sort by the 22 bits in `code`, 11 at a time; the result is in `entries`.
/// Requires room for as many entries in `spare`. O(n).
inline void radix_sort(std::span<Entry> entries, Entry* spare) {
    constexpr std::size_t n_digits = 2048;
    std::array<std::uint32_t, n_digits> low{}, high{};
    for (const Entry e : entries) {
        ++low[e.code % n_digits];
        ++high[e.code / n_digits];
    }
    const auto start_each = [](auto& count) {
        std::uint32_t start = 0;
        for (std::uint32_t& c : count)
            start += std::exchange(c, start);
    };
    start_each(low);
    start_each(high);
    for (const Entry e : entries)
        spare[low[e.code % n_digits]++] = e;
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[high[spare[i].code / n_digits]++] = spare[i];
}

/// Rows whose keys are equal, by their numbers.
inline void sort_run(std::span<Entry> run, const double* x) {
    const auto before = [x](Entry a, Entry b) { return x[a.place] < x[b.place]; };
    if (run.size() > 16) {
        if (!std::is_sorted(run.begin(), run.end(), before)) // equal numbers are in order already, as rows are
            std::stable_sort(run.begin(), run.end(), before);
        return;
    }
    for (std::size_t i = 1; i < run.size(); ++i) {
        const Entry e = run[i];
        std::size_t at = i;
        for (; at > 0 && before(e, run[at - 1]); --at)
            run[at] = run[at - 1];
        run[at] = e;
    }
}

} // namespace detail

/// Sort the rows of x[0 ... n) by their numbers, then by row; missing cells (NaN) come last, with missing_code. Other
/// codes are left unsaid. Returns how many are known. Requires room for n entries in `spare`.
/// O(n), and O(n log n) where almost all numbers lie close together and few far away.
inline std::size_t sort_rows(std::span<const double> x, std::span<Entry> entries, Entry* spare) {
    const std::size_t n = x.size();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double v : x) { // NaN is neither lower nor higher
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    std::array<double, 256> sample;
    for (std::size_t i = 0; i < sample.size(); ++i)
        sample[i] = x[i * (n - 1) / (sample.size() - 1)];
    const SortKey key(low, high, sample);
    std::size_t n_known = 0, n_missing = 0;
    const auto write_keys = [&](auto&& key_of) {
        for (std::size_t i = 0; i < n; ++i)
            if (std::isnan(x[i]))
                spare[n_missing++] = {missing_code, static_cast<std::uint32_t>(i)};
            else
                entries[n_known++] = {key_of(x[i]), static_cast<std::uint32_t>(i)};
    };
    if (key.even())
        write_keys([&](double v) { return key.by_value(v); });
    else
        write_keys([&](double v) { return key.by_bits(v); });
    std::copy(spare, spare + n_missing, entries.data() + n_known);
    const auto known = entries.first(n_known);
    detail::radix_sort(known, spare);
    for (std::size_t i = 0, end; i < n_known; i = end) {
        for (end = i + 1; end < n_known && known[end].code == known[i].code;)
            ++end;
        if (end - i > 1)
            detail::sort_run(known.subspan(i, end - i), x.data());
    }
    return n_known;
}

} // namespace margin::tree
