#pragma once
// What is known of the rows in each bin: enough to weigh any split of a node without looking at its rows again.
#include "bin_rows.hpp"
#include "margin/core/simd.hpp"
#include "margin/tree/exact/segment.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// Rows of weight 1, one of K classes each: K counters to a bin.
struct CountTally {
    using Target = Classes;
    using Number = std::uint32_t;
    using Item = std::uint16_t;
    std::size_t n_classes;

    std::size_t width() const noexcept { return n_classes; }
    std::size_t cell() const noexcept { return n_classes; }
    MARGIN_INLINED void add(Number* cell, Item y) const noexcept { ++cell[y]; }
    MARGIN_INLINED void take(Number* cell, Item y) const noexcept { --cell[y]; }
    /// Write the sum of a bin to `sum`; gives the number of its rows.
    std::size_t read(const Number* cell, double* sum) const noexcept {
        std::size_t n = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            sum[k] = cell[k];
            n += cell[k];
        }
        return n;
    }
};

/// Weighted rows of K classes: the weight of each class in a bin, and how many rows it holds.
struct WeightTally {
    using Target = Classes;
    using Number = double;
    struct Item {
        double weight;
        std::uint16_t y;
    };
    std::size_t n_classes;

    std::size_t width() const noexcept { return n_classes; }
    std::size_t cell() const noexcept { return n_classes + 1; }
    MARGIN_INLINED void add(Number* cell, Item item) const noexcept {
        cell[item.y] += item.weight;
        cell[n_classes] += 1;
    }
    MARGIN_INLINED void take(Number* cell, Item item) const noexcept {
        cell[item.y] -= item.weight;
        cell[n_classes] -= 1;
    }
    std::size_t read(const Number* cell, double* sum) const noexcept {
        for (std::size_t k = 0; k < n_classes; ++k)
            sum[k] = cell[k];
        return static_cast<std::size_t>(cell[n_classes]);
    }
};

/// A number per row of weight 1: how many rows a bin holds, and the sum of their parts.
struct ValueTally {
    using Target = Values;
    using Number = double;
    using Item = Values::Item;

    static constexpr std::size_t width() noexcept { return 2; }
    static constexpr std::size_t cell() noexcept { return 2; }
    MARGIN_INLINED void add(Number* cell, const Item& item) const noexcept {
        cell[0] += 1;
        cell[1] += item.part;
    }
    MARGIN_INLINED void take(Number* cell, const Item& item) const noexcept {
        cell[0] -= 1;
        cell[1] -= item.part;
    }
    std::size_t read(const Number* cell, double* sum) const noexcept {
        sum[0] = cell[0];
        sum[1] = cell[1];
        return static_cast<std::size_t>(cell[0]);
    }
};

/// The same with weights.
struct WeightedValueTally {
    using Target = Values;
    using Number = double;
    struct Item {
        double y, part, weight;
    };

    static constexpr std::size_t width() noexcept { return 2; }
    static constexpr std::size_t cell() noexcept { return 3; }
    MARGIN_INLINED void add(Number* cell, const Item& item) const noexcept {
        cell[0] += item.weight;
        cell[1] += item.part;
        cell[2] += 1;
    }
    MARGIN_INLINED void take(Number* cell, const Item& item) const noexcept {
        cell[0] -= item.weight;
        cell[1] -= item.part;
        cell[2] -= 1;
    }
    std::size_t read(const Number* cell, double* sum) const noexcept {
        sum[0] = cell[0];
        sum[1] = cell[1];
        return static_cast<std::size_t>(cell[2]);
    }
};

/// Where the bins of each column begin in a histogram, counted in bins; one more than there are columns. Each column
/// has a bin for missing cells behind its others.
inline std::vector<std::uint32_t> first_bins(const std::vector<BinnedColumn>& columns) {
    std::vector<std::uint32_t> first{0};
    for (const BinnedColumn& column : columns)
        first.push_back(first.back() + static_cast<std::uint32_t>(column.n_bins) + 1);
    return first;
}

/// Room for histograms of one size, used over and over.
template <class Number>
class Histograms {
public:
    explicit Histograms(std::size_t size) : size_(size) {}

    std::size_t size() const noexcept { return size_; }

    /// An empty one.
    std::int32_t take() {
        if (unused_.empty()) {
            unused_.push_back(static_cast<std::int32_t>(all_.size()));
            all_.push_back(std::make_unique_for_overwrite<Number[]>(size_));
        }
        const std::int32_t taken = unused_.back();
        unused_.pop_back();
        std::fill_n((*this)[taken], size_, Number{0});
        return taken;
    }

    void release(std::int32_t histogram) {
        if (histogram >= 0)
            unused_.push_back(histogram);
    }

    /// The room of those that are taken.
    std::size_t bytes() const noexcept { return (all_.size() - unused_.size()) * size_ * sizeof(Number); }

    Number* operator[](std::int32_t histogram) const noexcept {
        return histogram < 0 ? nullptr : all_[static_cast<std::size_t>(histogram)].get();
    }

private:
    std::size_t size_;
    std::vector<std::unique_ptr<Number[]>> all_;
    std::vector<std::int32_t> unused_;
};

/// Add rows to a histogram, or take them off again. O(n d).
template <bool taken, class Code, class Tally>
void tally_rows(const BinRows<Code, typename Tally::Item>& rows, int half, std::size_t begin, std::size_t n,
                const std::vector<std::uint32_t>& first, const Tally& tally, typename Tally::Number* histogram) {
    const std::size_t d = first.size() - 1, cell = tally.cell();
    for (std::size_t i = begin; i < begin + n; ++i) {
        const auto item = rows.item(half, i);
        const Code* const codes = rows.codes(half, i);
        for (std::size_t j = 0; j < d; ++j) {
            auto* const at = histogram + (first[j] + codes[j]) * cell;
            if constexpr (taken)
                tally.take(at, item);
            else
                tally.add(at, item);
        }
    }
}

} // namespace margin::tree
