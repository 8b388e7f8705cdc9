#pragma once
// The cases of one node: every column in ascending order of its codes, and what is to be learnt of each case.
#include "margin/core/views.hpp"
#include "margin/tree/targets/uninitialised.hpp"
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::tree {

using code_t = std::uint32_t;
inline constexpr code_t missing_code = std::numeric_limits<code_t>::max(); // sorts behind all others

/// A cell: its code, and the case it belongs to, counted from 0 within the node.
struct Entry {
    code_t code;
    std::uint32_t place;
};

/// Amid two numbers a < b, never as large as the second.
inline double middle_of(double a, double b) noexcept {
    const double middle = a / 2 + b / 2;
    return a <= middle && middle < b ? middle : a;
}

/// A column as ranks. Numbers: code c stands for value[c], ascending and distinct. Coded columns: the codes they came
/// with; `value` is empty.
struct Column {
    bool nominal = false; // else codes are ordered
    std::size_t n_codes = 0;
    std::vector<double> value;
    std::vector<double> cuts; // NumericSplit::fixed: ascending cuts

    /// What lies between two codes: the midpoint of two numbers, never as large as the second; for codes the first.
    /// Only missing cells lie above infinity.
    double between(code_t low, code_t high) const noexcept {
        if (high == missing_code)
            return std::numeric_limits<double>::infinity();
        if (value.empty())
            return low;
        return middle_of(value[low], value[high]);
    }
};

/// One of K classes per case. A sum is the weight of each class.
struct Classes {
    using Item = std::uint16_t;                           // the class
    static constexpr bool several = false, counts = true; // several outputs (several.hpp); whole weights are counts
    static constexpr std::size_t n_outputs = 1;
    std::size_t n_classes = 0;
    std::size_t width() const noexcept { return n_classes; }
    std::size_t value_width() const noexcept { return n_classes; } // numbers that a node of the tree keeps
    static void add(double* sum, Item y, double w) noexcept { sum[y] += w; }
    static double weight(const double* sum, std::size_t width) noexcept {
        double total = 0;
        for (std::size_t k = 0; k < width; ++k)
            total += sum[k];
        return total;
    }
};

/// A number per case. A sum is the weight, and the weighted sum of the numbers; `part` is weight times number rounded
/// to a grid on which sums of all cases are exact, so that no sum depends on the order of the cases.
struct Values {
    struct Item {
        double y, part;
    };
    static constexpr bool several = false, counts = false;
    static constexpr std::size_t n_outputs = 1;
    double centre = 0; // parts are weight times number less this
    static constexpr std::size_t width() noexcept { return 2; }
    static constexpr std::size_t value_width() noexcept { return 1; }
    static void add(double* sum, const Item& item, double w) noexcept {
        sum[0] += w;
        sum[1] += item.part;
    }
    static double weight(const double* sum, std::size_t) noexcept { return sum[0]; }
};

/// The cases of a node. Columns that hold a single code there (missing counts as one) are left out: they stay so in
/// the whole subtree.
template <class Target>
struct Segment {
    std::size_t n = 0;                    // cases
    std::vector<std::uint32_t> columns;   // those that vary, ascending
    Buffer<Entry> entries;                // n for each of them: ascending code, then place; missing last
    Buffer<typename Target::Item> target; // by place
    Buffer<double> weight;                // by place; empty: all weights are 1

    std::span<const Entry> column(std::size_t k) const noexcept { return {entries.data() + k * n, n}; }
    double weight_of(std::size_t place) const noexcept { return weight.empty() ? 1.0 : weight[place]; }
};

} // namespace margin::tree
