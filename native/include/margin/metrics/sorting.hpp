#pragma once
// Numbers sorted by their bits: ten million in a tenth of a second, the same order for any number of threads.
#include "margin/core/threads.hpp"
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace margin::metrics {

/// Memory for n numbers that are all written before they are read. Large pieces ask for large pages: sorting jumps
/// between thousands of places, and the first touch of each small page costs as much as copying it.
template <class T>
class Scratch {
public:
    explicit Scratch(std::size_t n = 0) : size_(n) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t bytes = std::max<std::size_t>(n, 1) * sizeof(T);
        const std::size_t whole = bytes < 2 * page ? (bytes + 63) / 64 * 64 : (bytes + page - 1) / page * page;
        data_.reset(static_cast<T*>(std::aligned_alloc(bytes < 2 * page ? 64 : page, whole)));
        if (!data_)
            throw std::bad_alloc();
#ifdef __linux__
        if (bytes >= 2 * page)
            madvise(data_.get(), whole, MADV_HUGEPAGE);
#endif
    }
    T* data() const noexcept { return data_.get(); }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) const noexcept { return data_.get()[i]; }
    T* begin() const noexcept { return data(); }
    T* end() const noexcept { return data() + size_; }

private:
    struct Free {
        void operator()(T* p) const noexcept { std::free(p); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_;
};

/// A number that orders as the double does; both zeros are one. Not for NaN.
inline std::uint64_t key_of(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63) | 0x8000000000000000);
}

inline double number_of(std::uint64_t key) noexcept {
    return std::bit_cast<double>(key ^ (key >> 63 ? 0x8000000000000000 : ~std::uint64_t{0}));
}

/// A key that remembers which row it came from.
struct RowKey {
    std::uint64_t key;
    std::uint64_t row;
    friend bool operator<(const RowKey& a, const RowKey& b) noexcept { return a.key < b.key; }
};

inline std::uint64_t sort_key(std::uint64_t key) noexcept { return key; }
inline std::uint64_t sort_key(const RowKey& key) noexcept { return key.key; }

namespace detail {

constexpr std::size_t digit_bits = 11, digits = 1 << digit_bits;
using Histogram = std::array<std::size_t, digits>;

/// Bits in which keys differ from the first one.
template <class T>
std::uint64_t differing_bits(const T* keys, std::size_t n, std::size_t block, std::size_t n_threads, Monitor& monitor) {
    std::vector<std::uint64_t> found(n_workers(n, block, n_threads));
    parallel_for(n, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        std::uint64_t differ = 0;
        for (std::size_t i = begin; i < end; ++i)
            differ |= sort_key(keys[i]) ^ sort_key(keys[0]);
        found[worker] |= differ;
    });
    std::uint64_t differ = 0;
    for (const std::uint64_t part : found)
        differ |= part;
    return differ;
}

/// One pass: `to` is `from` in the order of one digit, equal ones left in order. Blocks are counted first, so that each
/// knows where to write.
template <class T>
void sort_by_digit(const T* from, T* to, std::size_t n, unsigned shift, std::size_t block, std::size_t n_threads,
                   Monitor& monitor) {
    const auto digit = [=](const T& key) { return static_cast<std::size_t>(sort_key(key) >> shift) % digits; };
    std::vector<Histogram> places((n + block - 1) / block);
    parallel_for(n, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        Histogram& counts = places[begin / block];
        counts.fill(0);
        for (std::size_t i = begin; i < end; ++i)
            ++counts[digit(from[i])];
    });
    std::size_t next = 0;
    for (std::size_t d = 0; d < digits; ++d)
        for (Histogram& of_block : places)
            next += std::exchange(of_block[d], next);
    parallel_for(n, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        Histogram& place = places[begin / block];
        for (std::size_t i = begin; i < end; ++i)
            to[place[digit(from[i])]++] = from[i];
    });
}

} // namespace detail

/// Sort ascending, equal keys left in order: least significant digit first, 11 bits at a time, bits in which no two keys
/// differ left out. At most six passes over memory; O(n) time, n keys of scratch space.
template <class T>
void sort_keys(Scratch<T>& keys, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = keys.size();
    if (n < 2048) {
        std::stable_sort(keys.begin(), keys.end());
        return;
    }
    const std::size_t n_used = n_threads == 0 ? threads() : n_threads;
    const std::size_t block = std::clamp<std::size_t>(n / (4 * n_used) + 1, 1 << 14, 1 << 22);
    std::uint64_t differ = detail::differing_bits(keys.data(), n, block, n_threads, monitor);
    if (differ == 0)
        return;
    Scratch<T> other(n);
    while (differ != 0) {
        const auto shift = static_cast<unsigned>(std::countr_zero(differ));
        detail::sort_by_digit(keys.data(), other.data(), n, shift, block, n_threads, monitor);
        std::swap(keys, other);
        differ &= shift + detail::digit_bits >= 64 ? 0 : ~std::uint64_t{0} << (shift + detail::digit_bits);
    }
}

} // namespace margin::metrics
