#pragma once
// The cases of one tree: rows as often as they were drawn, moved about so that those of a node lie side by side.
#include "margin/core/random.hpp"
#include "margin/tree/targets/exact_sums.hpp"
#include "margin/tree/targets/mean.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::ensemble {

/// The rows that trees draw from. A row may stand for several: those of row i end before ends[i]; no ends are one each.
struct RepeatedRows {
    std::size_t n_rows = 0;
    std::span<const std::int64_t> ends;

    std::size_t total() const noexcept { return ends.empty() ? n_rows : static_cast<std::size_t>(ends.back()); }

    /// times[i] = how often row i is drawn, n_draws times one of all, each as likely as any other. Without draws every
    /// row is there as often as it was given.
    void draw(Stream& stream, std::size_t n_draws, std::vector<std::uint32_t>& times) const {
        times.assign(n_rows, n_draws == 0 && ends.empty() ? 1 : 0);
        if (n_draws == 0)
            for (std::size_t i = 0; i < ends.size(); ++i)
                times[i] = static_cast<std::uint32_t>(ends[i] - (i == 0 ? 0 : ends[i - 1]));
        for (std::size_t k = 0; k < n_draws; ++k) {
            const std::uint64_t drawn = stream.below(total());
            ++times[ends.empty()
                        ? drawn
                        : static_cast<std::size_t>(std::ranges::upper_bound(ends, static_cast<std::int64_t>(drawn)) -
                                                   ends.begin())];
        }
    }
};

/// A row that counts as often as it was drawn, fewer than 2^16 times, and its class.
struct CountedClass {
    using Target = tree::Classes;
    std::uint32_t row;
    std::uint16_t y, n;

    std::size_t times() const noexcept { return n; }
    double weight() const noexcept { return n; }
    void add_to(double* sum) const noexcept { sum[y] += n; }
};

/// The same with a weight.
struct WeighedClass {
    using Target = tree::Classes;
    std::uint32_t row;
    std::uint32_t n;
    double w;
    std::uint16_t y;

    std::size_t times() const noexcept { return n; }
    double weight() const noexcept { return w; }
    void add_to(double* sum) const noexcept { sum[y] += w; }
};

/// A row with a number; `part` is what it adds to sums (tree::Values).
struct WeighedValue {
    using Target = tree::Values;
    std::uint32_t row, n;
    double y, part, w;

    std::size_t times() const noexcept { return n; }
    double weight() const noexcept { return w; }
    void add_to(double* sum) const noexcept {
        sum[0] += w;
        sum[1] += part;
    }
};

/// What trees learn from: the targets of all rows, and their weights, or none.
struct ClassTargets {
    std::span<const std::int32_t> y;
    std::span<const double> weight;
    std::size_t n_classes = 0;
    bool balanced = false; // the classes of a tree's own draws weigh the same
};
struct ValueTargets {
    std::span<const double> y;
    std::span<const double> weight;
};

namespace detail {

/// The rows that were drawn, and their weights on the grid on which sums are exact.
struct Drawn {
    std::vector<std::uint32_t> row;
    std::vector<double> weight;
};

inline Drawn drawn_rows(std::span<const std::uint32_t> times, std::span<const double> weight) {
    Drawn drawn;
    for (std::uint32_t i = 0; i < times.size(); ++i)
        if (times[i] > 0) {
            drawn.row.push_back(i);
            drawn.weight.push_back(weight.empty() ? times[i] : times[i] * weight[i]);
        }
    return drawn;
}

} // namespace detail

inline std::vector<CountedClass> counted_cases(const ClassTargets& targets, std::span<const std::uint32_t> times) {
    std::vector<CountedClass> cases;
    for (std::uint32_t i = 0; i < times.size(); ++i)
        if (times[i] > 0)
            cases.push_back({i, static_cast<std::uint16_t>(targets.y[i]), static_cast<std::uint16_t>(times[i])});
    return cases;
}

inline std::vector<WeighedClass> weighed_cases(const ClassTargets& targets, std::span<const std::uint32_t> times) {
    detail::Drawn drawn = detail::drawn_rows(times, targets.weight);
    if (targets.balanced) {
        std::vector<double> total(targets.n_classes);
        double all = 0, present = 0;
        for (std::size_t k = 0; k < drawn.row.size(); ++k)
            total[static_cast<std::size_t>(targets.y[drawn.row[k]])] += drawn.weight[k];
        for (const double t : total) {
            all += t;
            present += t > 0;
        }
        // In few bits, so that products are exact: rows drawn twice then weigh what two rows do.
        for (double& t : total)
            t = t > 0 ? static_cast<float>(all / present / t) : 0.0f;
        for (std::size_t k = 0; k < drawn.row.size(); ++k)
            drawn.weight[k] *= total[static_cast<std::size_t>(targets.y[drawn.row[k]])];
    }
    tree::round_weights(drawn.weight);
    std::vector<WeighedClass> cases;
    for (std::size_t k = 0; k < drawn.row.size(); ++k) {
        const std::uint32_t i = drawn.row[k];
        cases.push_back({i, times[i], drawn.weight[k], static_cast<std::uint16_t>(targets.y[i])});
    }
    return cases;
}

/// `centre` becomes what parts are measured from.
inline std::vector<WeighedValue> value_cases(const ValueTargets& targets, std::span<const std::uint32_t> times,
                                             double& centre) {
    detail::Drawn drawn = detail::drawn_rows(times, targets.weight);
    tree::round_weights(drawn.weight);
    std::vector<double> y;
    for (const std::uint32_t i : drawn.row)
        y.push_back(targets.y[i]);
    centre = tree::centre_of(y, drawn.weight);
    const auto items = tree::value_items(y, drawn.weight, centre);
    std::vector<WeighedValue> cases;
    for (std::size_t k = 0; k < items.size(); ++k)
        cases.push_back({drawn.row[k], times[drawn.row[k]], items[k].y, items[k].part, drawn.weight[k]});
    return cases;
}

} // namespace margin::ensemble
