// Mean and spread of numbers: what trees of all kinds share, compiled once.
#include "margin/core/simd.hpp"
#include "margin/tree/targets/mean.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace margin::tree {

namespace {

/// A sum kept as two doubles, so that what rounding loses is added again: the order of adding does not show.
struct Twofold {
    double high = 0, low = 0;
    MARGIN_INLINED void add(double x) noexcept {
        const double sum = high + x, back = sum - high; // Knuth's two-sum
        low += (high - (sum - back)) + (x - back);
        high = sum;
    }
    /// The sum divided by w, rounded once more or less.
    double over(double w) const noexcept {
        const double quotient = high / w;
        return quotient + (std::fma(-quotient, w, high) + low) / w;
    }
};

/// term(0) + ... + term(n - 1) with a fixed number of running sums.
template <class Term>
MARGIN_INLINED Twofold sum_terms(std::size_t n, Term&& term) noexcept {
    constexpr std::size_t lanes = 4;
    std::array<Twofold, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t l = 0; l < lanes; ++l)
            sums[l].add(term(i + l));
    for (; i < n; ++i)
        sums[0].add(term(i));
    for (std::size_t l = 1; l < lanes; ++l) {
        sums[0].add(sums[l].high);
        sums[0].add(sums[l].low);
    }
    return sums[0];
}

} // namespace

MARGIN_SIMD_LOOK Spread spread_of(const Values::Item* item, const double* weight, std::size_t n,
                                  double total) noexcept {
    Spread spread;
    for (std::size_t i = 1; i < n; ++i)
        spread.constant &= item[i].y == item[0].y;
    spread.mean = item[0].y;
    if (spread.constant)
        return spread;
    spread.mean =
        (weight ? sum_terms(n, [&](std::size_t i) { return weight[i] * item[i].y; }) : sum_terms(n, [&](std::size_t i) {
            return item[i].y;
        })).over(total);
    const auto squares = [&](std::size_t i) { return (item[i].y - spread.mean) * (item[i].y - spread.mean); };
    spread.variance =
        (weight ? sum_terms(n, [&](std::size_t i) { return weight[i] * squares(i); }) : sum_terms(n, squares))
            .over(total);
    return spread;
}

double centre_of(std::span<const double> y, std::span<const double> weight) {
    const auto [low, high] = std::ranges::minmax_element(y);
    if (*low == *high)
        return *low;
    std::vector<double> part(y.begin(), y.end());
    for (std::size_t i = 0; i < weight.size(); ++i)
        part[i] *= weight[i];
    const double all = weight.empty() ? static_cast<double>(y.size()) : total_in_any_order(weight);
    const double step = std::ldexp(1.0, std::ilogb(*high - *low) - 24);
    return std::nearbyint(total_in_any_order(part) / all / step) * step;
}

Buffer<Values::Item> value_items(std::span<const double> y, std::span<const double> weight, double centre) {
    const std::size_t n = y.size();
    std::vector<double> size(n);
    for (std::size_t i = 0; i < n; ++i)
        size[i] = std::abs(y[i] - centre) * (weight.empty() ? 1.0 : weight[i]);
    const double step = grid_step(total_in_any_order(size));
    const auto on_grid = [step](double x) { return std::nearbyint(x / step) * step; };
    const bool whole = std::ranges::all_of(weight, [](double w) { return w == std::floor(w); });
    Buffer<Values::Item> items(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double away = y[i] - centre, w = weight.empty() ? 1.0 : weight[i];
        items[i] = {y[i], whole ? w * on_grid(away) : on_grid(w * away)};
    }
    return items;
}

} // namespace margin::tree
