#pragma once
// Labels that are whole numbers of any width, read where they lie: their range, and how far each stands above the least.
//
// A label is looked at as an unsigned number in which the order of the labels is kept: signed ones have their sign bit
// turned over. Four widths are then all the types there are.
#include "margin/core/simd.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::metrics {

/// Whole numbers of 1, 2, 4 or 8 bytes.
struct Labels {
    const void* data = nullptr;
    std::size_t size = 0;
    std::size_t bytes = 8;
    bool is_signed = true;

    /// What is turned over to make the order that of unsigned numbers.
    std::uint64_t sign() const noexcept { return is_signed ? std::uint64_t{1} << (8 * bytes - 1) : 0; }
};

/// Least and greatest label, in unsigned order; the least is above the greatest where there is none.
struct Range {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;

    void include(const Range& other) noexcept {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
    /// Whether no more than `most` labels lie between the ends, both included.
    bool is_within(std::size_t most) const noexcept { return low <= high && high - low < most; }
    std::size_t width() const noexcept { return static_cast<std::size_t>(high - low) + 1; }
};

namespace detail {

constexpr std::size_t label_block = 1 << 16; // rows handed to a thread at a time
constexpr std::size_t label_tile = 2048;     // rows whose places are kept at hand between two loops

/// visit.operator()<U>() with the unsigned type of so many bytes.
template <class Visit>
auto with_width(std::size_t bytes, Visit&& visit) {
    switch (bytes) {
    case 1:
        return visit.template operator()<std::uint8_t>();
    case 2:
        return visit.template operator()<std::uint16_t>();
    case 4:
        return visit.template operator()<std::uint32_t>();
    default:
        return visit.template operator()<std::uint64_t>();
    }
}

template <class U>
MARGIN_SIMD_LOOK Range range_of(const U* x, std::size_t n, U sign) {
    constexpr std::size_t lanes = 64 / sizeof(U);
    U low[lanes], high[lanes];
    std::fill_n(low, lanes, static_cast<U>(~U{0}));
    std::fill_n(high, lanes, U{0});
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t j = 0; j < lanes; ++j) {
            const U key = x[i + j] ^ sign;
            low[j] = key < low[j] ? key : low[j];
            high[j] = key > high[j] ? key : high[j];
        }
    for (; i < n; ++i) {
        low[0] = std::min(low[0], static_cast<U>(x[i] ^ sign));
        high[0] = std::max(high[0], static_cast<U>(x[i] ^ sign));
    }
    return {*std::min_element(low, low + lanes), *std::max_element(high, high + lanes)};
}

/// place[i] = label i less `low`, or `width` where that is not below `width`. Requires width < 2^32.
template <class U>
MARGIN_SIMD_LOOK void places_of(const U* x, std::size_t n, U low, U width, std::uint32_t* place) {
    for (std::size_t i = 0; i < n; ++i) {
        const U above = static_cast<U>(x[i] - low); // the sign bit, turned over in both, makes no difference
        place[i] = static_cast<std::uint32_t>(above < width ? above : width);
    }
}

/// Places of the labels [begin, end) above a known least one; those of others are `width`.
class Places {
public:
    Places(const Labels& labels, const Range& range)
        : labels_(labels), low_(range.low ^ labels.sign()), width_(range.width()) {}

    std::size_t width() const noexcept { return width_; }
    void operator()(std::size_t begin, std::size_t end, std::uint32_t* place) const {
        with_width(labels_.bytes, [&]<class U>() {
            // A byte has no room for a width of 256, and no label beyond it either.
            const U width = static_cast<U>(std::min<std::uint64_t>(width_, static_cast<U>(~U{0})));
            const U* x = static_cast<const U*>(labels_.data) + begin;
            places_of<U>(x, end - begin, static_cast<U>(low_), width, place);
        });
    }

private:
    Labels labels_;
    std::uint64_t low_;
    std::size_t width_;
};

} // namespace detail

/// Least and greatest label. O(n), at the speed of memory.
inline Range label_range(const Labels& labels, std::size_t n_threads, Monitor& monitor) {
    std::vector<Range> found(n_workers(labels.size, detail::label_block, n_threads));
    parallel_for(labels.size, detail::label_block, n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t worker) {
                     detail::with_width(labels.bytes, [&]<class U>() {
                         found[worker].include(detail::range_of<U>(static_cast<const U*>(labels.data) + begin,
                                                                   end - begin, static_cast<U>(labels.sign())));
                     });
                 });
    Range range;
    for (const Range& part : found)
        range.include(part);
    return range;
}

/// The range of a few thousand labels from all over: most often that of all.
inline Range likely_range(const Labels& labels) {
    Range range;
    const std::size_t step = labels.size / 4096 + 1;
    detail::with_width(labels.bytes, [&]<class U>() {
        const U* x = static_cast<const U*>(labels.data);
        for (std::size_t i = 0; i < labels.size; i += step) {
            const U key = static_cast<U>(x[i] ^ static_cast<U>(labels.sign()));
            range.include({key, key});
        }
    });
    return range;
}

/// code[i] = code_at[place of label i above the least], -1 for labels outside. Requires code_at to be as long as the
/// range is wide, and that below 2^32. O(n).
template <class Code>
void encode(const Labels& labels, const Range& range, const std::int64_t* code_at, Code* code, std::size_t n_threads,
            Monitor& monitor) {
    const detail::Places places(labels, range);
    std::vector<Code> table(places.width());
    std::transform(code_at, code_at + places.width(), table.begin(),
                   [](std::int64_t each) { return static_cast<Code>(each); });
    table.push_back(static_cast<Code>(-1));
    parallel_for(labels.size, detail::label_block, n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     std::uint32_t place[detail::label_tile];
                     for (; begin < end; begin += detail::label_tile) {
                         const std::size_t n = std::min(detail::label_tile, end - begin);
                         places(begin, begin + n, place);
                         for (std::size_t i = 0; i < n; ++i)
                             code[begin + i] = table[place[i]];
                     }
                 });
}

} // namespace margin::metrics
