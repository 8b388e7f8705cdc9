#pragma once
// Columns of more levels than bins: a level is put where the mean target of its rows lies.
//
// Were the mean of a level taken over the very rows that learn from it, a level of few rows would tell their targets.
// So a training row gets the mean over the rows of its level in the other folds, drawn towards the mean of all rows, and
// only new rows get the mean over all: what Prokhorenkova et al. (2018), "CatBoost: unbiased boosting with categorical
// features", do by rows before it in a random order, with folds in place of orders.
#include "margin/core/random.hpp"
#include "margin/tree/binned/bins.hpp"
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::boosting {

/// What statistics are made of. `weight` is empty where all rows count alike.
struct Targets {
    std::span<const double> y, weight;
    double smooth = 10; // rows of the mean of all that each level is given
    std::uint64_t seed = 0;

    double weight_of(std::size_t i) const noexcept { return weight.empty() ? 1 : weight[i]; }
};

/// The fold of each row.
inline std::vector<std::uint8_t> drawn_folds(std::size_t n, std::uint64_t seed) {
    constexpr std::uint64_t n_folds = 5, fold_stream = 0x666f6c64;
    std::vector<std::uint8_t> fold(n);
    Stream stream(seed ^ fold_stream, 0);
    for (auto& f : fold)
        f = static_cast<std::uint8_t>(stream.below(n_folds));
    return fold;
}

/// Bins of a nominal column by the mean target of its levels, in ascending order of it; `level_of(i)` is below 0 where a
/// cell is missing. Calls set(i, bin) for each training row with the bin of its mean over the other folds.
template <class LevelOf, class Set>
void bin_by_targets(tree::BinnedColumn& column, std::size_t n_levels, std::size_t n_rows, std::size_t max_bins,
                    const Targets& targets, const std::vector<std::uint8_t>& fold, LevelOf&& level_of, Set&& set) {
    struct Sum {
        double y = 0, w = 0;
    };
    constexpr std::size_t n_folds = 5;
    std::vector<Sum> all(n_levels), in_fold(n_levels * n_folds);
    Sum total;
    const auto add = [](Sum& sum, double y, double w) {
        sum.y += w * y;
        sum.w += w;
    };
    for (std::size_t i = 0; i < n_rows; ++i)
        if (const auto level = level_of(i); level >= 0) {
            const double w = targets.weight_of(i);
            add(total, targets.y[i], w);
            add(all[static_cast<std::size_t>(level)], targets.y[i], w);
            add(in_fold[static_cast<std::size_t>(level) * n_folds + fold[i]], targets.y[i], w);
        }
    const double mean = total.w > 0 ? total.y / total.w : 0, smooth = std::max(targets.smooth, 1e-6);
    const auto drawn = [&](double y, double w) { return (y + smooth * mean) / (w + smooth); };
    // Cuts between the means that rows get, about equally many rows to a bin.
    std::vector<double> of_row(n_rows, std::numeric_limits<double>::quiet_NaN()), sorted;
    sorted.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i)
        if (const auto level = level_of(i); level >= 0) {
            const Sum& whole = all[static_cast<std::size_t>(level)];
            const Sum& own = in_fold[static_cast<std::size_t>(level) * n_folds + fold[i]];
            sorted.push_back(of_row[i] = drawn(whole.y - own.y, std::max(whole.w - own.w, 0.0)));
        }
    std::ranges::sort(sorted);
    std::vector<double> value;
    std::vector<std::size_t> count;
    for (const double x : sorted)
        if (value.empty() || value.back() != x) {
            value.push_back(x);
            count.push_back(1);
        } else
            ++count.back();
    const tree::Cuts cuts = tree::cuts_between(value, count, max_bins);
    column.n_bins = cuts.at.size() + 1;
    column.levels_of.assign(column.n_bins, {});
    for (std::uint32_t level = 0; level < n_levels; ++level) {
        column.bin_of[level] = static_cast<std::uint32_t>(cuts.bin(drawn(all[level].y, all[level].w)));
        if (all[level].w > 0)
            column.levels_of[column.bin_of[level]].push_back(level);
    }
    for (std::size_t i = 0; i < n_rows; ++i)
        if (level_of(i) >= 0)
            set(i, cuts.bin(of_row[i]));
}

} // namespace margin::boosting
