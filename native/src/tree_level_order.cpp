// Orders of levels: what trees of all kinds share, compiled once.
#include "margin/tree/splits/level_order.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace margin::tree {

namespace {

/// Deal the levels out to buckets of equal widths of keys, as many as there are levels: then they are nearly in order.
/// A bucket that many different keys fall into is sorted.
void sort_roughly(std::vector<Ranking>& order) {
    constexpr std::uint32_t crowded = 16;
    static thread_local std::vector<Ranking> dealt;
    static thread_local std::vector<std::uint32_t> end;
    const std::size_t n = order.size();
    const auto [low, high] = std::ranges::minmax(order, {}, &Ranking::key);
    const double least = low.key, scale = std::min(static_cast<double>(n - 1) / (high.key - least), 1e300);
    const auto bucket = [&](const Ranking& r) {
        return std::min(static_cast<std::size_t>((r.key - least) * scale), n - 1);
    };
    end.assign(n + 1, 0);
    for (const Ranking& r : order)
        ++end[bucket(r) + 1];
    for (std::size_t b = 0; b < n; ++b)
        end[b + 1] += end[b];
    dealt.resize(n);
    for (const Ranking& r : order)
        dealt[end[bucket(r)]++] = r;
    for (std::size_t b = 0, begin = 0; b < n; begin = end[b++]) {
        const auto first = dealt.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = dealt.begin() + static_cast<std::ptrdiff_t>(end[b]);
        if (end[b] - begin > crowded && std::any_of(first, last, [&](const Ranking& r) { return r.key != first->key; }))
            std::sort(first, last, [](const Ranking& x, const Ranking& y) {
                return x.key < y.key || (x.key == y.key && x.level < y.level);
            });
    }
    order.swap(dealt);
}

} // namespace

void sort_by_key(std::vector<Ranking>& order) {
    constexpr std::size_t few = 24;
    if (order.size() > few)
        sort_roughly(order);
    for (std::size_t i = 1; i < order.size(); ++i) {
        const Ranking r = order[i];
        std::size_t to = i;
        for (; to > 0 && r.key < order[to - 1].key; --to)
            order[to] = order[to - 1];
        order[to] = r;
    }
}

void order_by_share(const Groups& levels, std::vector<Ranking>& order) {
    order.clear();
    for (std::uint32_t g = 0; g < levels.size(); ++g) {
        const double weight = levels.weight[g];
        order.push_back({weight > 0 ? levels.sum_of(g)[1] / weight : 0.0, g});
    }
    sort_by_key(order);
}

std::vector<double> main_direction(std::span<const double> rows, std::size_t width) {
    std::vector<double> direction(width), next(width);
    double longest = 0;
    for (std::size_t at = 0; at < rows.size(); at += width) {
        double length = 0;
        for (std::size_t c = 0; c < width; ++c)
            length += rows[at + c] * rows[at + c];
        if (length > longest) {
            longest = length;
            std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(at), width, direction.begin());
        }
    }
    constexpr int passes = 25; // the order needs no more than a rough direction
    for (int pass = 0; pass < passes && longest > 0; ++pass) {
        std::ranges::fill(next, 0.0);
        double largest = 0;
        for (std::size_t at = 0; at < rows.size(); at += width) {
            double along = 0;
            for (std::size_t c = 0; c < width; ++c)
                along += rows[at + c] * direction[c];
            for (std::size_t c = 0; c < width; ++c)
                next[c] += along * rows[at + c];
        }
        for (const double v : next)
            largest = std::max(largest, std::abs(v));
        for (std::size_t c = 0; c < width && largest > 0; ++c)
            direction[c] = next[c] / largest;
    }
    return direction;
}

void order_by_component(const Groups& levels, std::span<const double> whole, double whole_weight,
                        std::vector<Ranking>& order) {
    const std::size_t width = levels.width;
    // In an order of their own, so that the direction is the same to the last bit whatever the levels are called.
    std::vector<std::uint32_t> by_sum(levels.size());
    for (std::uint32_t g = 0; g < by_sum.size(); ++g)
        by_sum[g] = g;
    std::ranges::sort(by_sum, [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(levels.sum_of(a), levels.sum_of(a) + width, levels.sum_of(b),
                                            levels.sum_of(b) + width);
    });
    std::vector<double> deviation(levels.size() * width);
    for (std::size_t r = 0; r < by_sum.size(); ++r) {
        const double weight = levels.weight[by_sum[r]];
        for (std::size_t c = 0; c < width && weight > 0; ++c)
            deviation[r * width + c] =
                (levels.sum_of(by_sum[r])[c] / weight - whole[c] / whole_weight) * std::sqrt(weight);
    }
    const std::vector<double> direction = main_direction(deviation, width);
    order.clear();
    for (std::uint32_t g = 0; g < levels.size(); ++g) {
        double along = 0;
        for (std::size_t c = 0; c < width && levels.weight[g] > 0; ++c)
            along += levels.sum_of(g)[c] / levels.weight[g] * direction[c];
        order.push_back({along, g});
    }
    sort_by_key(order);
}

} // namespace margin::tree
