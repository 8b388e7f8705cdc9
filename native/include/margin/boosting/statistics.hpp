#pragma once
// What a round adds up over the rows of a side, and how good a side is.
//
// Sums are whole numbers on a grid (weights times 2^52 where they add up to 1), and so exact: no cut depends on the
// order of rows or on who added them up, and equal cuts are equal in all bits.
//
// A statistic has an `Item` for each row, `add(sums, item)`, and `side(sums)`, the larger the better; the score of a cut is
// side(left) + side(right). `n_sums()` sums make a side; it is a constant where the compiler can use that. Where
// `is_bounded` holds, `bound(total, low, high)` is no smaller than the score of any left side between low and high, sum by
// sum. `counted()` is the statistic of columns whose codes are counted one by one; its sums are the first of these.
#include "margin/core/one_of.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>

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
struct ExponentialLoss {
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

using Criteria = OneOf<Error, Gini, ExponentialLoss>;

namespace detail {

/// The largest score at the corners of a box of left sides of two sums. A convex score is nowhere larger in the box.
template <class Stat>
double at_corners(const Stat& stat, const sum_t* total, const sum_t* low, const sum_t* high) noexcept {
    double most = -std::numeric_limits<double>::infinity();
    for (int corner = 0; corner < 4; ++corner) {
        const sum_t left[2] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1]};
        const sum_t right[2] = {total[0] - left[0], total[1] - left[1]};
        most = std::max(most, stat.side(left) + stat.side(right));
    }
    return most;
}

} // namespace detail

/// Weights by class. An item is the weight on the grid times 2^10, and the class in the low bits. Requires at most
/// `most_classes` classes. N is their number, or 0 where it is known later.
template <class Criterion, std::size_t N>
struct ClassSums {
    using Item = sum_t;
    static constexpr int class_bits = 10;
    static constexpr std::size_t most_classes = std::size_t{1} << class_bits;
    /// All three criteria are convex; of more than two classes only the error has a bound that is cheap.
    static constexpr bool is_bounded = N == 2 || std::is_same_v<Criterion, Error>;
    std::size_t n_classes = N;

    std::size_t n_sums() const noexcept { return N == 0 ? n_classes : N; }
    ClassSums counted() const noexcept { return *this; }
    static Item item(sum_t weight, std::int32_t y) noexcept { return weight << class_bits | y; }
    void add(sum_t* sums, Item item) const noexcept {
        sums[item & static_cast<Item>(most_classes - 1)] += item >> class_bits;
    }
    double side(const sum_t* s) const noexcept { return Criterion::side(s, n_sums()); }
    double bound(const sum_t* total, const sum_t* low, const sum_t* high) const noexcept {
        if constexpr (N == 2)
            return detail::at_corners(*this, total, low, high);
        sum_t right = 0;
        for (std::size_t k = 0; k < n_sums(); ++k)
            right = std::max(right, total[k] - low[k]);
        return side(high) + static_cast<double>(right);
    }
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

/// Sums of w and w z, for least squares with weights; side = (sum w z)^2 / sum w, what the fit by a constant explains.
struct Means {
    struct Item {
        sum_t w, wz;
    };

    static constexpr bool is_bounded = false;
    static constexpr std::size_t n_sums() noexcept { return 2; }
    static void add(sum_t* sums, Item item) noexcept {
        sums[0] += item.w;
        sums[1] += item.wz;
    }
    static double side(const sum_t* s) noexcept { return explained(s[0], s[1]); }
    static bool holds(const sum_t* s) noexcept { return s[0] > 0; }
    static bool is_pure(const sum_t*) noexcept { return false; }
    static constexpr std::size_t n_orders() noexcept { return 1; }
    static double key(const sum_t* s, std::size_t) noexcept {
        return s[0] > 0 ? static_cast<double>(s[1]) / static_cast<double>(s[0]) : 0.0;
    }
    static double heaviness(const sum_t* s) noexcept { return static_cast<double>(s[0]); }
    static double explained(sum_t w, sum_t wz) noexcept {
        const auto moment = static_cast<double>(wz);
        return w > 0 ? moment * moment / static_cast<double>(w) : 0.0;
    }
};

/// The same, and the sum of the magnitudes of w z: it bounds what parts of a bucket add up to. Where codes are counted one
/// by one nobody asks for a bound, and the first two sums do.
struct Moments : Means {
    static constexpr bool is_bounded = true;
    static constexpr std::size_t n_sums() noexcept { return 3; }
    static constexpr Means counted() noexcept { return {}; }
    static void add(sum_t* sums, Item item) noexcept {
        Means::add(sums, item);
        sums[2] += std::abs(item.wz);
    }
    /// A square over a weight is convex in both.
    static double bound(const sum_t* total, const sum_t* low, const sum_t* high) noexcept {
        const sum_t moved = high[1] - low[1], magnitude = high[2] - low[2];
        double most = -std::numeric_limits<double>::infinity();
        for (const sum_t w : {low[0], high[0]})
            for (const sum_t wz : {low[1] - (magnitude - moved) / 2, low[1] + (magnitude + moved) / 2})
                most = std::max(most, at_most(w, wz) + at_most(total[0] - w, total[1] - wz));
        return most;
    }

private:
    /// A corner without weight stands for sides of as little as one likes.
    static double at_most(sum_t w, sum_t wz) noexcept {
        return w <= 0 && wz != 0 ? std::numeric_limits<double>::infinity() : explained(w, wz);
    }
};

/// What a side gains by answering a label, added over the labels that it answers (AdaBoost.M2).
struct Gained {
    static constexpr std::string_view name = "gained";
    static double of(sum_t s) noexcept { return static_cast<double>(std::max<sum_t>(s, 0)); }
};

/// The same where it has to say of every label yes or no (AdaBoost.MH).
struct EitherWay {
    static constexpr std::string_view name = "either_way";
    static double of(sum_t s) noexcept { return static_cast<double>(std::abs(s)); }
};

using LabelCriteria = OneOf<Gained, EitherWay>;

/// A number for each label of a row, above 0 where answering it is right; the last sum is that of their magnitudes. An
/// item is a row of `shares`, n_labels numbers on the grid.
template <class Criterion>
struct LabelSums {
    using Item = std::uint32_t;
    static constexpr bool is_bounded = false;
    const sum_t* shares;
    std::size_t n_labels;

    std::size_t n_sums() const noexcept { return n_labels + 1; }
    LabelSums counted() const noexcept { return *this; }
    void add(sum_t* sums, Item item) const noexcept {
        const sum_t* const share = shares + item * n_labels;
        for (std::size_t k = 0; k < n_labels; ++k) {
            sums[k] += share[k];
            sums[n_labels] += std::abs(share[k]);
        }
    }
    double side(const sum_t* s) const noexcept {
        double gain = 0;
        for (std::size_t k = 0; k < n_labels; ++k)
            gain += Criterion::of(s[k]);
        return gain;
    }
    bool holds(const sum_t* s) const noexcept { return s[n_labels] > 0; }
    static bool is_pure(const sum_t*) noexcept { return false; }
    std::size_t n_orders() const noexcept { return n_labels; }
    double key(const sum_t* s, std::size_t which) const noexcept {
        return holds(s) ? static_cast<double>(s[which]) / static_cast<double>(s[n_labels]) : 0.0;
    }
    double heaviness(const sum_t* s) const noexcept { return static_cast<double>(s[n_labels]); }
};

} // namespace margin::boosting
