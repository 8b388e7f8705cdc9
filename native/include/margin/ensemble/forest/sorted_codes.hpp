#pragma once
// The codes of a node's cases in one column, in ascending order.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace margin::ensemble {

/// A code in the upper half, the place of a case in the lower.
using Key = std::uint64_t;

inline std::uint32_t code_of(Key key) noexcept { return static_cast<std::uint32_t>(key >> 32); }
inline std::uint32_t place_of(Key key) noexcept { return static_cast<std::uint32_t>(key); }

namespace detail {

/// Digit by digit from the lowest, each pass keeping the order of equal digits.
template <int n_bits>
void sort_by_digits(std::vector<Key>& keys, std::size_t n_codes, std::vector<Key>& spare) {
    constexpr std::size_t n_digits = std::size_t{1} << n_bits;
    for (int shift = 32; shift < 64 && n_codes >> (shift - 32) != 0; shift += n_bits) {
        std::array<std::uint32_t, n_digits> start{};
        for (const Key key : keys)
            ++start[key >> shift & (n_digits - 1)];
        std::uint32_t next = 0;
        for (std::uint32_t& s : start)
            next += std::exchange(s, next);
        for (const Key key : keys)
            spare[start[key >> shift & (n_digits - 1)]++] = key;
        keys.swap(spare);
    }
}

} // namespace detail

/// Sort keys that are in the order of their places, so that only codes need comparing. `spare` is room.
/// O(n) for many keys, O(n log n) for few.
inline void sort_keys(std::vector<Key>& keys, std::size_t n_codes, std::vector<Key>& spare) {
    const std::size_t n = keys.size();
    if (n <= 24) {
        for (std::size_t i = 1; i < n; ++i) {
            const Key key = keys[i];
            std::size_t at = i;
            for (; at > 0 && keys[at - 1] > key; --at)
                keys[at] = keys[at - 1];
            keys[at] = key;
        }
        return;
    }
    // Digits as large as pay for going over their counts.
    spare.resize(n);
    if (n < 128 && n_codes >= std::size_t{1} << 16)
        std::sort(keys.begin(), keys.end());
    else if (n < 128)
        detail::sort_by_digits<6>(keys, n_codes, spare);
    else if (n < 1024)
        detail::sort_by_digits<8>(keys, n_codes, spare);
    else
        detail::sort_by_digits<11>(keys, n_codes, spare);
}

} // namespace margin::ensemble
