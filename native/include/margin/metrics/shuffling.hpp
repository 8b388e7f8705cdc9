#pragma once
// The permutations of numpy.random.default_rng(seed).permutation(n), several times sooner.
#include "margin/core/monitor.hpp"
#include "sorting.hpp"
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace margin::metrics {

/// PCG64, the generator behind numpy.random.default_rng: the same numbers from the same state.
/// O'Neill (2014), "PCG: a family of simple fast space-efficient statistically good algorithms", XSL-RR 128/64.
class Pcg64 {
public:
    /// State and increment as high and low words.
    explicit Pcg64(const std::array<std::uint64_t, 4>& words) noexcept
        : state_(Wide{words[0]} << 64 | words[1]), increment_(Wide{words[2]} << 64 | words[3]) {}

    std::uint64_t next() noexcept {
        constexpr Wide factor = Wide{0x2360ED051FC65DA4} << 64 | 0x4385DF649FCCF645;
        state_ = state_ * factor + increment_;
        const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
        return std::rotr(high ^ low, static_cast<int>(high >> 58));
    }
    /// Halves of the words, the lower one first.
    std::uint32_t next_half() noexcept {
        has_half_ = !has_half_;
        if (!has_half_)
            return half_;
        const std::uint64_t word = next();
        half_ = static_cast<std::uint32_t>(word >> 32);
        return static_cast<std::uint32_t>(word);
    }
    /// Uniform in [0, most]: numbers of as many bits as `most` has are drawn until one fits.
    std::uint64_t upto(std::uint64_t most) noexcept {
        const std::uint64_t mask = most == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(most);
        std::uint64_t drawn = 0;
        if (most <= 0xffffffff)
            while ((drawn = next_half() & mask) > most) {
            }
        else
            while ((drawn = next() & mask) > most) {
            }
        return drawn;
    }

private:
    __extension__ using Wide = unsigned __int128;
    Wide state_, increment_;
    std::uint32_t half_ = 0;
    bool has_half_ = false;
};

/// 0 … n - 1 in random order (Fisher and Yates, from the end). Partners are drawn some hundred ahead and fetched, so
/// that the swaps do not wait for memory one after another. Requires n to fit into a Row. O(n).
template <class Row>
Scratch<Row> shuffled_rows(Pcg64 random, std::size_t n, Monitor& monitor) {
    constexpr std::size_t ahead = 256;
    Scratch<Row> rows(n);
    for (std::size_t i = 0; i < n; ++i)
        rows[i] = static_cast<Row>(i);
    Row partner[ahead];
    std::size_t batches = 0;
    for (std::size_t left = n; left > 1;) {
        const std::size_t count = std::min(ahead, left - 1);
        for (std::size_t k = 0; k < count; ++k) {
            partner[k] = static_cast<Row>(random.upto(left - 1 - k));
            __builtin_prefetch(rows.data() + partner[k], 1);
        }
        for (std::size_t k = 0; k < count; ++k)
            std::swap(rows[left - 1 - k], rows[partner[k]]);
        left -= count;
        if (++batches % 1024 == 0)
            monitor.check();
    }
    return rows;
}

} // namespace margin::metrics
