#pragma once
// Cuts of a column of numbers that pay for themselves: Fayyad and Irani (1993).
#include "margin/tree/exact/node.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace margin::tree {

/// The weights of the classes on one side of a cut.
struct ClassWeights {
    std::vector<double> sum;
    double weight = 0;

    explicit ClassWeights(std::size_t n_classes) : sum(n_classes) {}
    void add(std::size_t y, double w) noexcept {
        sum[y] += w;
        weight += w;
    }
    double loss() const noexcept { return Entropy::loss(sum.data(), sum.size(), weight); }
    /// Number of classes times entropy.
    double class_bits() const noexcept {
        const auto n_classes = std::ranges::count_if(sum, [](double w) { return w > 0; });
        return weight > 0 ? static_cast<double>(n_classes) * loss() / weight : 0.0;
    }
};

/// Whether a cut shortens the description of the classes:
///     gain > (log2(N - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / N
/// for N cases of k classes with entropy E, and the same with 1 and 2 on the two sides.
inline bool pays(const ClassWeights& whole, const ClassWeights& low, const ClassWeights& high) noexcept {
    const double n = whole.weight;
    const auto k = static_cast<double>(std::ranges::count_if(whole.sum, [](double w) { return w > 0; }));
    if (n <= 1)
        return false;
    const double choices = k < 30 ? std::log2(std::pow(3.0, k) - 2) : k * std::log2(3.0);
    const double price = std::log2(n - 1) + choices - (whole.class_bits() - low.class_bits() - high.class_bits());
    return whole.loss() - (low.loss() + high.loss()) > price;
}

/// Entropies that differ by less, in bits a case, are equal: sums of logarithms round differently on the two sides.
inline constexpr double rounding = 1e-12;

/// All cuts, ascending: the one with the smallest entropy, if it pays, and so on below and above it. Of equal entropies
/// the smallest cut. `known` are the entries of a column without missing cells. O(n K) for each cut.
inline std::vector<double> mdl_cuts(const Node<Classes>& node, const Column& column, std::span<const Entry> known) {
    std::vector<double> cuts;
    std::vector<std::span<const Entry>> open{known};
    while (!open.empty()) {
        const auto range = open.back();
        open.pop_back();
        ClassWeights whole(node.width), low(node.width), high(node.width), best_low(node.width), best_high(node.width);
        for (const Entry& e : range)
            whole.add(node.cases.target[e.place], node.cases.weight_of(e.place));
        high = whole;
        std::size_t best = 0;
        double least = 0;
        for (std::size_t i = 0; i + 1 < range.size(); ++i) {
            const auto y = node.cases.target[range[i].place];
            const double w = node.cases.weight_of(range[i].place);
            low.add(y, w);
            high.add(y, -w);
            if (range[i].code == range[i + 1].code)
                continue;
            const double loss = low.loss() + high.loss();
            if (best == 0 || loss < least - rounding * whole.weight) {
                best = i + 1;
                least = loss;
                best_low = low;
                best_high = high;
            }
        }
        if (best == 0 || !pays(whole, best_low, best_high))
            continue;
        cuts.push_back(column.between(range[best - 1].code, range[best].code));
        open.push_back(range.first(best));
        open.push_back(range.subspan(best));
    }
    std::ranges::sort(cuts);
    return cuts;
}

template <class Target>
std::vector<double> mdl_cuts(const Node<Target>&, const Column&, std::span<const Entry>) {
    throw std::invalid_argument("intervals by description length need classes of one output");
}

} // namespace margin::tree
