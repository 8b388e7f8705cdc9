#pragma once
// What a round adds up over the rows of a side, and how good a side is.
//
// Sums are whole numbers on a grid (weights times 2^52 where they add up to 1), and so exact: no cut depends on the
// order of rows or on who added them up, and equal cuts are equal in all bits.
//
// A statistic has an `Item` for each row, `add(sums, item)`, and `side(sums)`, the larger the better; the score of a cut is
// side(left) + side(right). `n_sums()` sums make a side; it is a constant where the compiler can use that.
#include "margin/core/one_of.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace margin::boosting {

using sum_t = std::int64_t;

/// Points of the grid to the unit, for weights that add up to 1.
inline constexpr double grid = 0x1p52;

/// The nearest point of the grid; a weight above 0 never becomes 0, so that rows are seen by their weights.
inline sum_t on_grid(double share) noexcept { return std::max<sum_t>(static_cast<sum_t>(share * grid + 0.5), 1); }

/// The weight that is answered rightly where a side answers its heaviest class.
struct Error {
    static constexpr std::string_view name = "error";
    static double side(const sum_t* s, std::size_t n) noexcept {
        return static_cast<double>(*std::max_element(s, s + n));
    }
};

/// sum_k w_k^2 / W: the Gini index of a side is W less this.
struct Gini {
    static constexpr std::string_view name = "gini";
    static double side(const sum_t* s, std::size_t n) noexcept {
        double squares = 0, weight = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const auto w = static_cast<double>(s[k]);
            squares += w * w;
            weight += w;
        }
        return weight > 0 ? squares / weight : 0.0;
    }
};

/// -2 sqrt(w_0 w_1): what a side adds to Z where it answers half the logarithm of its odds (Schapire, Singer 1999);
/// for more classes -sqrt of the sum of w_j w_k over all pairs.
struct Exponential {
    static constexpr std::string_view name = "exponential";
    static double side(const sum_t* s, std::size_t n) noexcept {
        double pairs = 0, before = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const auto w = static_cast<double>(s[k]);
            pairs += before * w;
            before += w;
        }
        return -2 * std::sqrt(pairs);
    }
};

using Criteria = OneOf<Error, Gini, Exponential>;

/// Weights by class. An item is the weight on the grid times 2^10, and the class in the low bits. Requires at most
/// `most_classes` classes. N is their number, or 0 where it is known later.
template <class Criterion, std::size_t N>
struct ClassSums {
    using Item = sum_t;
    static constexpr int class_bits = 10;
    static constexpr std::size_t most_classes = std::size_t{1} << class_bits;
    std::size_t n_classes = N;

    std::size_t n_sums() const noexcept { return N == 0 ? n_classes : N; }
    static Item item(double share, std::int32_t y) noexcept { return on_grid(share) << class_bits | y; }
    void add(sum_t* sums, Item item) const noexcept {
        sums[item & static_cast<Item>(most_classes - 1)] += item >> class_bits;
    }
    double side(const sum_t* s) const noexcept { return Criterion::side(s, n_sums()); }
    bool holds(const sum_t* s) const noexcept {
        return std::any_of(s, s + n_sums(), [](sum_t w) { return w > 0; });
    }
    bool is_pure(const sum_t* s) const noexcept {
        return std::count_if(s, s + n_sums(), [](sum_t w) { return w > 0; }) <= 1;
    }
    /// By what levels are ordered: the share of a class.
    std::size_t n_orders() const noexcept { return N == 2 ? 1 : n_sums(); }
    double key(const sum_t* s, std::size_t which) const noexcept {
        double weight = 0;
        for (std::size_t k = 0; k < n_sums(); ++k)
            weight += static_cast<double>(s[k]);
        return weight > 0 ? static_cast<double>(s[N == 2 ? 1 : which]) / weight : 0.0;
    }
    double heaviness(const sum_t* s) const noexcept {
        double weight = 0;
        for (std::size_t k = 0; k < n_sums(); ++k)
            weight += static_cast<double>(s[k]);
        return weight;
    }
};

/// sum w and sum w z for least squares with weights; side = (sum w z)^2 / sum w, what the fit by a constant explains.
struct Moments {
    struct Item {
        sum_t w, wz;
    };

    static constexpr std::size_t n_sums() noexcept { return 2; }
    static void add(sum_t* sums, Item item) noexcept {
        sums[0] += item.w;
        sums[1] += item.wz;
    }
    static double side(const sum_t* s) noexcept {
        const auto wz = static_cast<double>(s[1]);
        return s[0] > 0 ? wz * wz / static_cast<double>(s[0]) : 0.0;
    }
    static bool holds(const sum_t* s) noexcept { return s[0] > 0; }
    static bool is_pure(const sum_t*) noexcept { return false; }
    static constexpr std::size_t n_orders() noexcept { return 1; }
    static double key(const sum_t* s, std::size_t) noexcept {
        return s[0] > 0 ? static_cast<double>(s[1]) / static_cast<double>(s[0]) : 0.0;
    }
    static double heaviness(const sum_t* s) noexcept { return static_cast<double>(s[0]); }
};

} // namespace margin::boosting
