#pragma once
// Where the numbers of a column are cut into bins.
#include "margin/core/random.hpp"
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace margin::tree {

/// Bin b holds the numbers in (at[b - 1], at[b]].
struct Cuts {
    std::vector<double> at;    // ascending
    std::vector<double> value; // the number that each bin holds, if it is the same for all of its rows; else empty

    std::size_t bin(double x) const noexcept {
        return static_cast<std::size_t>(std::lower_bound(at.begin(), at.end(), x) - at.begin());
    }

    /// A threshold between two bins, the bins in between being empty: amid the two numbers that the bins hold, or
    /// amid the gap between the bins. Never as large as a number of the bin above.
    double between(std::size_t low, std::size_t high) const noexcept {
        return value.empty() ? middle(at[low], at[high - 1]) : middle(value[low], value[high]);
    }

    static double middle(double a, double b) noexcept {
        const double m = a / 2 + b / 2;
        return a <= m && m < b ? m : a;
    }
};

/// Cut between neighbouring values so that the bins are about equally full. A value that would fill a bin by itself
/// gets one. Requires value ascending and distinct, count[i] > 0. O(values).
inline Cuts cuts_between(const std::vector<double>& value, const std::vector<std::size_t>& count,
                         std::size_t max_bins) {
    Cuts cuts;
    std::size_t rest = 0;
    for (const std::size_t c : count)
        rest += c;
    std::size_t bins_left = max_bins, filled = 0;
    for (std::size_t i = 0; i + 1 < value.size() && bins_left > 1; ++i) {
        filled += count[i];
        const bool full = filled * bins_left >= rest, next_alone = count[i + 1] * bins_left >= rest;
        if (!full && !next_alone && value.size() - i > bins_left)
            continue;
        cuts.at.push_back(Cuts::middle(value[i], value[i + 1]));
        rest -= filled;
        filled = 0;
        --bins_left;
    }
    return cuts;
}

/// Rows that stand for all when cuts are sought: all, or one drawn at random from each of 2^15 stretches of rows, by
/// streams that are the same every time. Ascending.
inline std::vector<std::size_t> sampled_rows(std::size_t n_rows) {
    constexpr std::size_t most_rows = 1 << 15, at_once = 1024;
    const std::size_t n = std::min(n_rows, most_rows);
    std::vector<std::size_t> rows(n);
    for (std::size_t begin = 0; begin < n; begin += at_once) {
        Stream stream(0, begin);
        for (std::size_t i = begin; i < std::min(begin + at_once, n); ++i) {
            const std::size_t first = i * n_rows / n, end = (i + 1) * n_rows / n;
            rows[i] = n == n_rows ? i : first + stream.below(end - first);
        }
    }
    return rows;
}

/// Weights as whole numbers in proportion, so that sums of them need no order; whole weights stay exact. None where all
/// are equal, which is as if there were none.
inline std::vector<std::size_t> whole_weights(std::span<const double> weight) {
    const auto [least, most] = std::ranges::minmax_element(weight);
    if (weight.empty() || *least == *most)
        return {};
    double total = 0;
    for (const double w : weight)
        total += w;
    const int shift = 44 - std::ilogb(total);
    std::vector<std::size_t> whole(weight.size());
    for (std::size_t i = 0; i < whole.size(); ++i)
        whole[i] = static_cast<std::size_t>(std::max(std::llrint(std::ldexp(weight[i], shift)), 1LL));
    return whole;
}

/// The weights of some rows; none where there are none.
inline std::vector<std::size_t> weights_of(const std::vector<std::size_t>& whole,
                                           const std::vector<std::size_t>& rows) {
    std::vector<std::size_t> found;
    if (!whole.empty())
        for (const std::size_t row : rows)
            found.push_back(whole[row]);
    return found;
}

/// The cells of these rows, columns one after another.
template <class T>
class Sample {
public:
    Sample(MatrixView<const T> numbers, std::size_t n_threads, Monitor& monitor)
        : numbers_(numbers), rows_(sampled_rows(numbers.rows())), n_(rows_.size()),
          cells_(std::make_unique_for_overwrite<T[]>(n_ * numbers.columns())) {
        parallel_for(n_, 1024, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t j = 0; j < numbers.columns(); ++j)
                    cells_[j * n_ + i] = numbers(rows_[i], j);
        });
    }

    bool complete() const noexcept { return n_ == numbers_.rows(); }
    std::span<const T> column(std::size_t j) const noexcept { return {cells_.get() + j * n_, n_}; }
    MatrixView<const T> numbers() const noexcept { return numbers_; }
    const std::vector<std::size_t>& rows() const noexcept { return rows_; }

private:
    MatrixView<const T> numbers_;
    std::vector<std::size_t> rows_;
    std::size_t n_;
    std::unique_ptr<T[]> cells_;
};

namespace detail {

/// Bits in the order of the numbers; -0 is 0.
template <class T>
auto ordered_key(T x) noexcept {
    using Key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
    const Key bits = std::bit_cast<Key>(x + T{0});
    return static_cast<Key>(bits & sign ? ~bits : bits | sign);
}

template <class T, class Key>
T number_of(Key key) noexcept {
    constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
    return std::bit_cast<T>(static_cast<Key>(key & sign ? key & ~sign : ~key));
}

/// Sort keys by their first 33 bits, eleven at a time, and those that share them by comparing. O(n), and O(n log n)
/// where almost all numbers lie close together and few far away.
template <class Key>
void sort_keys(std::vector<Key>& keys) {
    constexpr int n_bits = 11, n_digits = 3, key_bits = 8 * static_cast<int>(sizeof(Key));
    constexpr int ignored = std::max(key_bits - n_digits * n_bits, 0);
    constexpr std::size_t base = std::size_t{1} << n_bits;
    const auto digit_of = [](Key key, int digit) { return key >> (ignored + digit * n_bits) & (base - 1); };
    std::vector<std::array<std::uint32_t, base>> counts(n_digits);
    for (const Key key : keys)
        for (int digit = 0; digit < n_digits; ++digit)
            ++counts[static_cast<std::size_t>(digit)][digit_of(key, digit)];
    std::vector<Key> spare(keys.size());
    for (int digit = 0; digit < n_digits; ++digit) {
        auto& count = counts[static_cast<std::size_t>(digit)];
        std::uint32_t start = 0;
        for (std::uint32_t& c : count)
            start += std::exchange(c, start);
        for (const Key key : keys)
            spare[count[digit_of(key, digit)]++] = key;
        keys.swap(spare);
    }
    for (std::size_t begin = 0, end; ignored > 0 && begin < keys.size(); begin = end) {
        for (end = begin + 1; end < keys.size() && keys[end] >> ignored == keys[begin] >> ignored;)
            ++end;
        if (end - begin > 1)
            std::sort(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                      keys.begin() + static_cast<std::ptrdiff_t>(end));
    }
}

/// The known numbers of a sample in order, as keys.
template <class T>
auto sorted_keys(std::span<const T> x) {
    std::vector<decltype(ordered_key(T{}))> keys;
    keys.reserve(x.size());
    for (const T v : x)
        if (!std::isnan(v))
            keys.push_back(ordered_key(v));
    sort_keys(keys);
    return keys;
}

/// Distinct numbers, ascending: all, or max_bins + 1 of them if there are more.
template <class T, class Key>
std::vector<double> few_values(const std::vector<Key>& keys, std::size_t max_bins) {
    std::vector<double> value;
    for (std::size_t i = 0; i < keys.size() && value.size() <= max_bins; ++i)
        if (i == 0 || keys[i] != keys[i - 1])
            value.push_back(number_of<T>(keys[i]));
    return value;
}

/// Cut sorted numbers as cuts_between would, from bin to bin rather than from value to value. O(max_bins log n).
template <class T, class Key>
Cuts cuts_of_sorted(const std::vector<Key>& keys, std::size_t max_bins) {
    Cuts cuts;
    auto begin = keys.begin();
    for (std::size_t bins_left = max_bins; bins_left > 1; --bins_left) {
        const auto rest = static_cast<std::size_t>(keys.end() - begin);
        const std::size_t share = (rest + bins_left - 1) / bins_left;
        if (share == 0)
            break;
        const auto [run, run_end] = std::equal_range(begin, keys.end(), begin[static_cast<std::ptrdiff_t>(share - 1)]);
        const bool alone = static_cast<std::size_t>(run_end - run) >= share && run != begin;
        const auto end = alone ? run : run_end;
        if (end == keys.end())
            break;
        cuts.at.push_back(Cuts::middle(number_of<T>(end[-1]), number_of<T>(*end)));
        begin = end;
    }
    return cuts;
}

/// Cut numbers by their weights: cuts_between of the weight that each number has. Sorts them. O(n log n).
template <class T, class Key>
Cuts cuts_of_weighted(std::vector<std::pair<Key, std::size_t>>& keys, std::size_t max_bins) {
    std::ranges::sort(keys);
    std::vector<double> value;
    std::vector<std::size_t> weight;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || keys[i].first != keys[i - 1].first) {
            value.push_back(number_of<T>(keys[i].first));
            weight.push_back(0);
        }
        weight.back() += keys[i].second;
    }
    return cuts_between(value, weight, max_bins);
}

/// A bin for each of a few values; `all` says that the column holds no others.
inline Cuts cuts_of_few(std::vector<double> value, bool all, std::size_t max_bins) {
    Cuts cuts = cuts_between(value, std::vector<std::size_t>(value.size(), 1), max_bins);
    if (all)
        cuts.value = std::move(value);
    return cuts;
}

/// Add the values that a sample missed; false once there are more than `most` of them.
template <class T>
bool complete_values(MatrixView<const T> numbers, std::size_t j, std::vector<double>& value, std::size_t most) {
    for (std::size_t i = 0; i < numbers.rows(); ++i) {
        const double x = numbers(i, j);
        const auto at = std::lower_bound(value.begin(), value.end(), x);
        if (std::isnan(x) || (at != value.end() && *at == x))
            continue;
        if (value.size() == most)
            return false;
        value.insert(at, x + 0.0);
    }
    return true;
}

} // namespace detail

/// The cuts of column j: between any two neighbouring values if there are no more than max_bins, else between
/// neighbouring values of the sample such that bins are about equally full. O(rows of the sample), and O(n log max_bins)
/// where the sample holds few values. Where the rows of the sample have weights, bins are about equally heavy.
template <class T>
Cuts find_cuts(const Sample<T>& sample, std::size_t j, std::size_t max_bins, std::span<const std::size_t> weight = {}) {
    const auto keys = detail::sorted_keys(sample.column(j));
    std::vector<double> value = detail::few_values<T>(keys, max_bins);
    if (value.size() > max_bins && weight.empty())
        return detail::cuts_of_sorted<T>(keys, max_bins);
    if (value.size() > max_bins) {
        std::vector<std::pair<typename decltype(keys)::value_type, std::size_t>> weighted;
        for (std::size_t i = 0; i < weight.size(); ++i)
            if (const T x = sample.column(j)[i]; !std::isnan(x))
                weighted.emplace_back(detail::ordered_key(x), weight[i]);
        return detail::cuts_of_weighted<T>(weighted, max_bins);
    }
    const std::vector<double> sampled = value;
    const bool few = sample.complete() || detail::complete_values(sample.numbers(), j, value, max_bins);
    return detail::cuts_of_few(few ? std::move(value) : sampled, few, max_bins);
}

/// Finds the bins of many numbers of one column at a time: evenly spaced cells between the lowest and the highest cut
/// say how many cuts lie in cells below, and the few cuts of the same cell are compared one by one. Where cuts crowd in
/// a cell, the search halves them all instead.
template <class T>
class CutFinder {
public:
    explicit CutFinder(const Cuts& cuts) {
        const std::size_t n = cuts.at.size();
        half_ = std::bit_ceil(n + 1) / 2;
        at_.assign(std::bit_ceil(n + 1) + most_compared, std::numeric_limits<T>::infinity());
        for (std::size_t k = 0; k < n; ++k)
            at_[k] = not_above(cuts.at[k]);
        if (n > 0)
            lay_cells(n);
    }

    /// The number of cuts below each number; anything for NaN.
    template <std::size_t lanes>
    void find(const std::array<T, lanes>& x, std::array<std::uint32_t, lanes>& bin) const noexcept {
        const T* const at = at_.data();
        if (n_compared_ > 0) {
            for (std::size_t l = 0; l < lanes; ++l)
                bin[l] = before_[cell(x[l])];
            for (std::size_t k = 0; k < n_compared_; ++k)
                for (std::size_t l = 0; l < lanes; ++l)
                    bin[l] += at[bin[l]] < x[l];
            return;
        }
        bin.fill(0);
        for (auto half = static_cast<std::uint32_t>(half_); half > 0; half /= 2)
            for (std::size_t l = 0; l < lanes; ++l)
                bin[l] += at[bin[l] + half - 1] < x[l] ? half : 0;
    }

private:
    static constexpr std::size_t n_cells = 4096, most_compared = 3;

    /// Never falls where x rises, so a cut in a cell below is below x. NaN ends up somewhere.
    std::size_t cell(T x) const noexcept {
        const T place = (x - low_) * scale_;
        return static_cast<std::size_t>(
            static_cast<std::int32_t>(place > 0 ? (place < T{n_cells - 1} ? place : T{n_cells - 1}) : T{0}));
    }

    void lay_cells(std::size_t n) {
        low_ = at_[0];
        scale_ = T{n_cells - 1} / (at_[n - 1] - low_);
        if (!std::isfinite(scale_) || !std::isfinite(low_))
            return;
        std::vector<std::uint32_t> held(n_cells);
        for (std::size_t k = 0; k < n; ++k)
            ++held[cell(at_[k])];
        const std::size_t most = *std::ranges::max_element(held);
        if (most > most_compared)
            return;
        n_compared_ = most;
        before_.resize(n_cells);
        for (std::size_t c = 1; c < n_cells; ++c)
            before_[c] = static_cast<std::uint16_t>(before_[c - 1] + held[c - 1]);
    }

    /// The largest T that is not above a cut: the same numbers of type T lie above it.
    static T not_above(double cut) noexcept {
        const T rounded = static_cast<T>(cut);
        return rounded <= cut ? rounded : std::nextafter(rounded, -std::numeric_limits<T>::infinity());
    }

    std::size_t half_;
    std::vector<T> at_;
    T low_ = 0, scale_ = 0;
    std::size_t n_compared_ = 0;
    std::vector<std::uint16_t> before_; // cuts in all cells below
};

} // namespace margin::tree
