#pragma once
// The smallest sum of absolute deviations: that from the median.
#include "margin/tree/exact/segment.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace margin::tree {

struct Median {
    double value = 0;
    double loss = 0; // sum of weight times distance to the value
};

/// Weight and weighted sum of numbers, for each rank of the targets, such that those of all ranks below one are found
/// in O(log n): a Fenwick tree (Fenwick 1994).
class RankSums {
public:
    void clear(std::size_t n) {
        weight_.assign(n + 1, 0.0);
        sum_.assign(n + 1, 0.0);
        top_ = 1;
        while (top_ * 2 <= n)
            top_ *= 2;
        all_weight_ = all_sum_ = 0;
    }

    void add(std::size_t rank, double w, double wy) noexcept {
        all_weight_ += w;
        all_sum_ += wy;
        for (std::size_t i = rank + 1; i < weight_.size(); i += i & (~i + 1)) {
            weight_[i] += w;
            sum_[i] += wy;
        }
    }

    /// The median of what was added, and the distances to it; y[rank] is the target of each rank.
    Median median(const double* y) const noexcept {
        const Below half = below([this](double w) { return 2 * w < all_weight_; });
        // Ranks below half.rank hold less than half of the weight, and with it they hold half or more.
        Median median{y[half.rank], 0};
        median.loss = (all_sum_ - half.sum) - (all_weight_ - half.weight) * median.value +
                      (half.weight * median.value - half.sum);
        const Below beyond = below([this](double w) { return 2 * w <= all_weight_; });
        if (beyond.rank != half.rank) // exactly half on either side: all between the two are medians
            median.value = median.value / 2 + y[beyond.rank] / 2;
        return median;
    }

private:
    struct Below {
        std::size_t rank;
        double weight, sum;
    };

    /// The first rank whose weight, with that of all ranks below it, is not `small`; the sums of those below it.
    template <class Small>
    Below below(Small&& small) const noexcept {
        Below found{0, 0, 0};
        for (std::size_t step = top_; step > 0; step /= 2)
            if (found.rank + step < weight_.size() && small(found.weight + weight_[found.rank + step])) {
                found.rank += step;
                found.weight += weight_[found.rank];
                found.sum += sum_[found.rank];
            }
        return found;
    }

    std::vector<double> weight_, sum_;
    std::size_t top_ = 1;
    double all_weight_ = 0, all_sum_ = 0;
};

/// The distinct targets of some cases in ascending order, less the centre of all, and the rank of each case.
struct TargetRanks {
    std::vector<double> y;
    std::vector<std::uint32_t> rank; // by place

    void take(const Segment<Values>& cases, double centre) {
        std::vector<std::uint32_t> order(cases.n);
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, {}, [&](std::uint32_t place) { return cases.target[place].y; });
        rank.resize(cases.n);
        y.clear();
        for (const std::uint32_t place : order) {
            const double value = cases.target[place].y - centre;
            if (y.empty() || y.back() != value)
                y.push_back(value);
            rank[place] = static_cast<std::uint32_t>(y.size() - 1);
        }
    }
};

/// The median of the targets, the middle of two where half of the weight lies on either side. Requires n > 0.
/// O(n log n).
inline Median absolute_loss(const Segment<Values>& cases) {
    std::vector<std::pair<double, double>> sorted(cases.n);
    double all = 0;
    for (std::size_t i = 0; i < cases.n; ++i) {
        sorted[i] = {cases.target[i].y, cases.weight_of(i)};
        all += sorted[i].second;
    }
    std::ranges::sort(sorted);
    double below = 0;
    std::size_t at = 0;
    while (at + 1 < cases.n && 2 * (below + sorted[at].second) < all)
        below += sorted[at++].second;
    Median median{sorted[at].first, 0};
    if (at + 1 < cases.n && 2 * (below + sorted[at].second) == all)
        median.value = sorted[at].first / 2 + sorted[at + 1].first / 2;
    for (const auto& [y, w] : sorted)
        median.loss += w * std::abs(y - median.value);
    return median;
}

} // namespace margin::tree
