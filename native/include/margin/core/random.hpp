#pragma once
// Random numbers that depend on what is drawn for, not on who draws first: a stream for every task.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace margin {

/// Philox4x64-10, a counter-based generator: block k is a keyed scrambling of the 256-bit number k, so that any place
/// of any stream is reached at once. Salmon, Moraes, Dror, Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3".
/// The same bits as numpy.random.Philox(key=…, counter=…).random_raw(), which counts up before it makes a block.
class Philox {
public:
    using Key = std::array<std::uint64_t, 2>;
    using Counter = std::array<std::uint64_t, 4>; // least significant word first
    using Block = std::array<std::uint64_t, 4>;

    explicit Philox(Key key, Counter counter = {}) noexcept : key_(key), counter_(counter) {}

    std::uint64_t next() noexcept {
        if (used_ == block_.size()) {
            for (auto& word : counter_) // carry on to the next word only where this one wraps to 0
                if (++word != 0)
                    break;
            block_ = scramble(counter_, key_);
            used_ = 0;
        }
        return block_[used_++];
    }

    static Block scramble(Counter c, Key key) noexcept {
        for (int round = 0; round < 10; ++round) {
            if (round > 0) {
                key[0] += 0x9E3779B97F4A7C15; // golden ratio
                key[1] += 0xBB67AE8584CAA73B; // square root of 3, less 1
            }
            const auto [high0, low0] = product(0xD2E7470EE14C6C93, c[0]);
            const auto [high1, low1] = product(0xCA5A826395121157, c[2]);
            c = {high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0};
        }
        return c;
    }

    /// High and low word of a * b.
    static std::pair<std::uint64_t, std::uint64_t> product(std::uint64_t a, std::uint64_t b) noexcept {
        __extension__ using Wide = unsigned __int128;
        const Wide wide = static_cast<Wide>(a) * b;
        return {static_cast<std::uint64_t>(wide >> 64), static_cast<std::uint64_t>(wide)};
    }

private:
    Key key_;
    Counter counter_;
    Block block_{};
    std::size_t used_ = 4;
};

/// The random numbers of one task (a tree, a fold, a chain): the same for any number of threads and any order of work.
/// Equal to numpy.random.Philox(key=seed, counter=[0, 0, task, 0]): 2^130 numbers before a stream runs into the next.
/// The seed comes from Python's margin.random.seed_for(random_state, *path), which spreads it over all 64 bits.
class Stream {
public:
    using result_type = std::uint64_t; // usable with the distributions of <random>
    static constexpr result_type min() noexcept { return 0; }
    static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

    Stream(std::uint64_t seed, std::uint64_t task) noexcept : philox_({seed, 0}, {0, 0, task, 0}) {}

    std::uint64_t next() noexcept { return philox_.next(); }
    std::uint64_t operator()() noexcept { return next(); }

    /// Uniform in [0, 1), all multiples of 2^-53: the same as numpy.random.Generator.random.
    double uniform01() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

    /// Uniform in [0, n) without the bias of a remainder; n > 0. Lemire (2019), "Fast random integer generation in an
    /// interval".
    std::uint64_t below(std::uint64_t n) noexcept {
        auto [high, low] = Philox::product(next(), n);
        if (low < n) {
            const std::uint64_t rejected = -n % n; // 2^64 mod n
            while (low < rejected)
                std::tie(high, low) = Philox::product(next(), n);
        }
        return high;
    }

    /// All orders equally likely (Fisher and Yates, from the end).
    template <class T>
    void shuffle(std::span<T> items) noexcept {
        for (std::size_t left = items.size(); left > 1; --left)
            std::swap(items[left - 1], items[below(left)]);
    }

    /// Standard normal, by Marsaglia's polar method: two at a time, the second kept for the next call.
    double normal() noexcept {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        double x, y, r2;
        do {
            x = 2 * uniform01() - 1;
            y = 2 * uniform01() - 1;
            r2 = x * x + y * y;
        } while (r2 >= 1 || r2 == 0);
        const double scale = std::sqrt(-2 * std::log(r2) / r2);
        spare_ = y * scale;
        has_spare_ = true;
        return x * scale;
    }

private:
    Philox philox_;
    double spare_ = 0;
    bool has_spare_ = false;
};

} // namespace margin
