#pragma once
// Cuts of a column of numbers that pay for themselves: Fayyad and Irani (1993).
#include "margin/core/monitor.hpp"
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

/// Between which of the cases cuts lie, ascending: i stands for a cut in front of case i. The cut with the smallest
/// entropy, if it pays, and so on below and above it. Of equal entropies the smallest cut.
///
/// Cases are those of a column without missing cells in ascending order: `y(i)` is the class, `weight(i)` the weight of
/// case i, and `parted(i)` whether its number is above that of case i - 1. The monitor, if any, is asked on the way.
/// O(n K) for each cut.
template <class Cases>
std::vector<std::size_t> mdl_places(const Cases& cases, std::size_t n, std::size_t n_classes, Monitor* monitor) {
    const auto weights = [&](std::size_t begin, std::size_t end) {
        ClassWeights found(n_classes);
        for (std::size_t i = begin; i < end; ++i)
            found.add(cases.y(i), cases.weight(i));
        return found;
    };
    std::vector<std::size_t> places;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, n}};
    while (!open.empty()) {
        const auto [begin, end] = open.back();
        open.pop_back();
        const ClassWeights whole = weights(begin, end);
        ClassWeights low(n_classes), high = whole;
        std::size_t best = begin;
        double least = 0;
        for (std::size_t i = begin; i + 1 < end; ++i) {
            if (monitor && i % 64 == 0)
                monitor->check();
            low.add(cases.y(i), cases.weight(i));
            high.add(cases.y(i), -cases.weight(i));
            if (!cases.parted(i + 1))
                continue;
            const double loss = low.loss() + high.loss();
            if (best == begin || loss < least - rounding * whole.weight) {
                best = i + 1;
                least = loss;
            }
        }
        // Added up anew: what subtraction leaves of a class that is not there any more would count as a class.
        if (best == begin || !pays(whole, weights(begin, best), weights(best, end)))
            continue;
        places.push_back(best);
        open.emplace_back(begin, best);
        open.emplace_back(best, end);
    }
    std::ranges::sort(places);
    return places;
}

/// The cuts of a column of a node, ascending. `known` are its entries without missing cells.
inline std::vector<double> mdl_cuts(const Node<Classes>& node, const Column& column, std::span<const Entry> known,
                                    Monitor* monitor) {
    struct {
        const Node<Classes>& node;
        std::span<const Entry> known;
        std::size_t y(std::size_t i) const noexcept { return node.cases.target[known[i].place]; }
        double weight(std::size_t i) const noexcept { return node.cases.weight_of(known[i].place); }
        bool parted(std::size_t i) const noexcept { return known[i - 1].code != known[i].code; }
    } const cases{node, known};
    std::vector<double> cuts;
    for (const std::size_t i : mdl_places(cases, known.size(), node.width, monitor))
        cuts.push_back(column.between(known[i - 1].code, known[i].code));
    return cuts;
}

template <class Target>
std::vector<double> mdl_cuts(const Node<Target>&, const Column&, std::span<const Entry>, Monitor*) {
    throw std::invalid_argument("intervals by description length need classes of one output");
}

} // namespace margin::tree
