#pragma once
// Rows of a column in ascending order of its numbers, by a radix sort of a few bits that follow the order of the numbers,
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
#include <utility>

namespace margin::tree {

/// 64 bits in the order of the numbers; -0 is 0. Not for NaN.
inline std::uint64_t ordered_bits(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits & 0x8000000000000000 ? ~bits : bits | 0x8000000000000000;
}

/// Numbers between `low` and `high` to whole numbers below 2^n_bits that never fall where the numbers rise. Either even
/// steps between the numbers or even steps between their bits (about their logarithms), whichever tells more of a
/// sample apart.
class SortKey {
public:
    SortKey(double low, double high, int n_bits, std::span<const double> sample) : low_(low), n_bits_(n_bits) {
        scale_ = (std::ldexp(1.0, n_bits) - 1) / (high - low);
        low_bits_ = ordered_bits(low);
        shift_ = std::max(static_cast<int>(std::bit_width(ordered_bits(high) - low_bits_)) - n_bits, 0);
        even_ = std::isfinite(scale_) && scale_ > 0 && n_told(true, sample) >= n_told(false, sample);
    }

    bool even() const noexcept { return even_; }
    std::uint32_t by_value(double x) const noexcept {
        return static_cast<std::uint32_t>(static_cast<std::int64_t>((x - low_) * scale_));
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
                bool& before = seen[(even ? by_value(x) : by_bits(x)) >> (n_bits_ - 10)];
                n += !before;
                before = true;
            }
        return n;
    }

    double low_, scale_ = 0;
    std::uint64_t low_bits_ = 0;
    int n_bits_, shift_ = 0;
    bool even_ = true;
};

namespace detail {

inline constexpr std::size_t n_digits = 2048; // of 11 bits

/// How often each digit appears in each place, and then where entries with it go.
struct DigitCounts {
    std::array<std::array<std::uint32_t, n_digits>, 3> of{};
    void add(std::uint32_t key) noexcept {
        ++of[0][key % n_digits];
        ++of[1][key / n_digits % n_digits];
        ++of[2][key / n_digits / n_digits];
    }
};

/// Stable sort by one digit of `code`. O(n).
inline void sort_by_digit(std::span<const Entry> from, Entry* to, std::array<std::uint32_t, n_digits>& count,
                          std::uint32_t divisor) {
    std::uint32_t start = 0;
    for (std::uint32_t& c : count)
        start += std::exchange(c, start);
    for (const Entry e : from)
        to[count[e.code / divisor % n_digits]++] = e;
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

/// The same for every run of equal keys.
inline void sort_runs(std::span<Entry> entries, const double* x) {
    for (std::size_t i = 1; i < entries.size(); ++i)
        if (entries[i].code == entries[i - 1].code) [[unlikely]] {
            const std::size_t begin = i - 1;
            while (i + 1 < entries.size() && entries[i + 1].code == entries[begin].code)
                ++i;
            sort_run(entries.subspan(begin, i + 1 - begin), x);
        }
}

} // namespace detail

/// Sort the rows of x[0 ... n) by their numbers, then by row; missing cells (NaN) come last, with missing_code. Other
/// codes are left unsaid. Returns how many are known. Requires n > 0, and room for n entries in `spare`.
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
    const bool two_digits = n < 1 << 18; // 22 bits then tell almost all apart
    const SortKey key(low, high, two_digits ? 22 : 32, sample);
    // Each pass goes from one place to the other, and the last one is to end in `entries`.
    Entry* const keyed = two_digits ? entries.data() : spare;
    detail::DigitCounts counts;
    std::size_t n_known = 0;
    const auto write_keys = [&](auto&& key_of) {
        for (std::size_t i = 0; i < n; ++i)
            if (!std::isnan(x[i])) {
                keyed[n_known] = {key_of(x[i]), static_cast<std::uint32_t>(i)};
                counts.add(keyed[n_known++].code);
            }
    };
    if (key.even())
        write_keys([&](double v) { return key.by_value(v); });
    else
        write_keys([&](double v) { return key.by_bits(v); });
    Entry* const other = two_digits ? spare : entries.data();
    detail::sort_by_digit({keyed, n_known}, other, counts.of[0], 1);
    detail::sort_by_digit({other, n_known}, keyed, counts.of[1], detail::n_digits);
    if (!two_digits)
        detail::sort_by_digit({keyed, n_known}, other, counts.of[2], detail::n_digits * detail::n_digits);
    for (std::size_t i = 0, at = n_known; at < n; ++i)
        if (std::isnan(x[i]))
            entries[at++] = {missing_code, static_cast<std::uint32_t>(i)};
    detail::sort_runs(entries.first(n_known), x.data());
    return n_known;
}

} // namespace margin::tree
