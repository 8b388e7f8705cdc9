#pragma once
// The best threshold where a loss is that of a mean: squared error, and Gini for two classes (the mean of 0 and 1).
//
// With weight w and sum s on the low side, W and S on both, the loss falls by
//     (s W - w S)^2 / (W w (W - w)),      twice that for Gini.
// For whole numbers all but the square and the quotient is exact, so that thresholds which are equally good look so.
#include "sweep.hpp"
#include <cstddef>
#include <cstdint>

namespace margin::tree {

namespace detail {

inline constexpr std::size_t score_lanes = 8;

/// Keep the scores where the code changes, -1 elsewhere; the largest of them.
template <class Score>
MARGIN_INLINED double keep_changes(const Entry* entries, std::size_t n, double* scores, Score&& score) noexcept {
    std::array<double, score_lanes> largest;
    largest.fill(-1.0);
    std::size_t i = 0;
    for (; i + score_lanes <= n; i += score_lanes)
        for (std::size_t l = 0; l < score_lanes; ++l) {
            const double s = entries[i + l].code != entries[i + l + 1].code ? score(i + l) : -1.0;
            scores[i + l] = s;
            largest[l] = s > largest[l] ? s : largest[l];
        }
    for (; i < n; ++i) {
        scores[i] = entries[i].code != entries[i + 1].code ? score(i) : -1.0;
        largest[0] = scores[i] > largest[0] ? scores[i] : largest[0];
    }
    for (std::size_t l = 1; l < score_lanes; ++l)
        largest[0] = largest[l] > largest[0] ? largest[l] : largest[0];
    return largest[0];
}

template <class Sum>
MARGIN_INLINED double score_equal_weights(const Entry* entries, const Sum* sums, const double* inverse,
                                          std::int32_t n_before, double n_all, double all, std::size_t n,
                                          double* scores) noexcept {
    return keep_changes(entries, n, scores, [=](std::size_t i) {
        const double k = n_before + static_cast<std::int32_t>(i) + 1;
        const double apart = static_cast<double>(sums[i]) * n_all - k * all;
        return apart * apart * inverse[i];
    });
}

} // namespace detail

/// Scores of thresholds behind entries[0 ... n); inverse[i] is 1 / (k (n_all - k)) for k = n_before + i + 1.
MARGIN_SIMD inline double score_equal(const Entry* entries, const std::int32_t* sums, const double* inverse,
                                      std::int32_t n_before, double n_all, double all, std::size_t n,
                                      double* scores) noexcept {
    return detail::score_equal_weights(entries, sums, inverse, n_before, n_all, all, n, scores);
}
MARGIN_SIMD inline double score_equal(const Entry* entries, const double* sums, const double* inverse,
                                      std::int32_t n_before, double n_all, double all, std::size_t n,
                                      double* scores) noexcept {
    return detail::score_equal_weights(entries, sums, inverse, n_before, n_all, all, n, scores);
}
MARGIN_SIMD inline double score_weighted(const Entry* entries, const double* sums, const double* weights,
                                         double all_weight, double all, double least_weight, std::size_t n,
                                         double* scores) noexcept {
    return detail::keep_changes(entries, n, scores, [=](std::size_t i) {
        const double w = weights[i], rest = all_weight - w;
        const double apart = sums[i] * all_weight - w * all;
        const double score = apart * apart * (1 / (w * rest));
        return w >= least_weight && rest >= least_weight ? score : -1.0;
    });
}

/// 1 / (k (n - k)) for k = 1 ... n - 1; what stands at 0 is not used.
MARGIN_SIMD inline void fill_inverse(std::size_t n, double* inverse) noexcept {
    const double all = static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
        const double low = static_cast<std::int32_t>(k);
        inverse[k] = 1 / (low * (all - low));
    }
}

/// What a case adds to the sum of a mean.
inline std::int32_t moment_of(std::uint16_t y) noexcept { return y; }
inline double moment_of(const Values::Item& item) noexcept { return item.part; }

/// The running sum of such a loss, from the sums of a target: the weight of class 1, or the sum of the parts.
inline constexpr std::size_t moment_place = 1;

/// The best threshold, all weights being 1. Requires inverse as fill_inverse(sweep.n_all) makes it. O(last).
template <class Target>
Cut sweep_equal_moments(const Segment<Target>& cases, const Sweep& sweep, const double* inverse, Scratch& scratch) {
    using Sum = decltype(moment_of(typename Target::Item{}));
    Sum* const sums = [&] {
        if constexpr (std::is_same_v<Sum, double>)
            return scratch.sums.data();
        else
            return scratch.counts.data();
    }();
    const double n_all = static_cast<double>(sweep.n_all), all = sweep.all[moment_place];
    const auto* target = cases.target.data();
    Sum sum = static_cast<Sum>(sweep.low[moment_place]);
    double best = -1, best_sum = 0;
    Cut cut;
    for (std::size_t begin = 0; begin < sweep.last; begin += sweep_block) {
        const std::size_t end = std::min(begin + sweep_block, sweep.last);
        const Entry* entries = sweep.entries + begin;
        for (std::size_t i = 0; i < end - begin; ++i) {
            sum += moment_of(target[entries[i].place]);
            sums[i] = sum;
        }
        if (end <= sweep.first)
            continue;
        const std::size_t skip = std::max(begin, sweep.first) - begin, n_before = sweep.n_low + begin + skip;
        const double largest =
            score_equal(entries + skip, sums + skip, inverse + n_before + 1, static_cast<std::int32_t>(n_before), n_all,
                        all, end - begin - skip, scratch.scores.data());
        if (largest > best) {
            best = largest;
            cut.at = begin + skip + place_of(scratch.scores.data(), end - begin - skip, largest);
            best_sum = static_cast<double>(sums[cut.at - begin]);
        }
    }
    cut.found = best >= 0;
    cut.low_weight = static_cast<double>(sweep.n_low + cut.at + 1);
    scratch.best[moment_place] = best_sum;
    scratch.best[0] = std::is_same_v<Target, Classes> ? cut.low_weight - best_sum : cut.low_weight;
    return cut;
}

/// The same for any weights. O(last).
template <class Target>
Cut sweep_weighted_moments(const Segment<Target>& cases, const Sweep& sweep, Scratch& scratch) {
    constexpr bool classes = std::is_same_v<Target, Classes>;
    double sum = sweep.low[moment_place], weight = sweep.low_weight, best = -1, best_sum = 0;
    Cut cut;
    for (std::size_t begin = 0; begin < sweep.last; begin += sweep_block) {
        const std::size_t end = std::min(begin + sweep_block, sweep.last);
        const Entry* entries = sweep.entries + begin;
        for (std::size_t i = 0; i < end - begin; ++i) {
            const auto place = entries[i].place;
            const double w = cases.weight_of(place);
            sum += classes ? moment_of(cases.target[place]) * w : moment_of(cases.target[place]);
            weight += w;
            scratch.sums[i] = sum;
            scratch.weights[i] = weight;
        }
        if (end <= sweep.first)
            continue;
        const std::size_t skip = std::max(begin, sweep.first) - begin;
        const double largest =
            score_weighted(entries + skip, scratch.sums.data() + skip, scratch.weights.data() + skip, sweep.all_weight,
                           sweep.all[moment_place], sweep.least_weight, end - begin - skip, scratch.scores.data());
        if (largest > best) {
            best = largest;
            cut.at = begin + skip + place_of(scratch.scores.data(), end - begin - skip, largest);
            best_sum = scratch.sums[cut.at - begin];
            cut.low_weight = scratch.weights[cut.at - begin];
        }
    }
    cut.found = best >= 0;
    scratch.best[moment_place] = best_sum;
    scratch.best[0] = classes ? cut.low_weight - best_sum : cut.low_weight;
    return cut;
}

} // namespace margin::tree
