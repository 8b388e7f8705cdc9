#pragma once
// What neighbours answer where nobody has to share a place: votes by class, or the mean of their targets.
#include "margin/core/one_of.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::neighbors {

// A vote for a neighbour at some distance, beside one for the nearest of the same case. Only proportions count: the
// nearest votes 1, and no distance is too small or too large to divide by.

struct UniformVotes {
    static constexpr std::string_view name = "uniform";
    static double vote(double, double) { return 1; }
};

/// 1/d.
struct DistanceVotes {
    static constexpr std::string_view name = "distance";
    static double vote(double nearest, double distance) { return distance > 0 ? nearest / distance : 1; }
};

/// 1/d^2.
struct InverseSquareVotes {
    static constexpr std::string_view name = "inverse_square";
    static double vote(double nearest, double distance) {
        const double share = DistanceVotes::vote(nearest, distance);
        return share * share;
    }
};

using VotesByDistance = OneOf<UniformVotes, DistanceVotes, InverseSquareVotes>;

/// The nearest rows of n cases, nearest first: k of them, and one more where there is one.
struct NearestLists {
    const double* distance;    // [case][width]
    const std::int64_t* place; // [case][width]
    std::size_t n, width, k;
};

/// Cases that this file has no answer for: others have to look at who shares places, or at why nothing was found.
inline constexpr std::int64_t undecided = -1, not_found = -2;

/// Sums of votes that differ by less are the same but for rounding; so are sums of distances.
inline constexpr double same_votes = 1e-12, as_near = 1e-9;

/// 0, or what keeps case q from being counted here. Places are looked at before anything is read there: the tree may
/// have come from a file.
inline std::int64_t countable(const NearestLists& lists, std::size_t q, std::size_t n_rows) {
    const double* distance = lists.distance + q * lists.width;
    const std::int64_t* place = lists.place + q * lists.width;
    const std::size_t asked = std::min(lists.k, lists.width);
    for (std::size_t i = 0; i < lists.width; ++i)
        if (static_cast<std::uint64_t>(place[i]) >= n_rows)
            return not_found;
    if (!std::isfinite(distance[asked - 1]))
        return not_found;
    return lists.width > asked && distance[asked] == distance[asked - 1] ? undecided : 0;
}

/// The class with the largest sum of votes; of equal ones that whose voters are nearer in sum, and `undecided` where
/// these are equal too. Distances are divided by a power of two, so that no sum overflows.
template <class V>
std::int64_t winner(const double* sums, std::size_t n_classes, const double* distance, const std::int64_t* place,
                    std::size_t k, const std::int32_t* labels, std::span<double> apart) {
    const double least = *std::max_element(sums, sums + n_classes) * (1 - same_votes);
    std::size_t n_equal = 0, first = 0;
    for (std::size_t c = n_classes; c-- > 0;)
        if (sums[c] >= least) {
            ++n_equal;
            first = c;
        }
    if (n_equal == 1)
        return static_cast<std::int64_t>(first);
    std::fill(apart.begin(), apart.end(), 0.0);
    int exponent = 0;
    std::frexp(distance[k - 1], &exponent);
    for (std::size_t i = 0; i < k; ++i)
        apart[static_cast<std::size_t>(labels[place[i]])] +=
            V::vote(distance[0], distance[i]) * std::ldexp(distance[i], -exponent);
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < n_classes; ++c)
        if (sums[c] >= least)
            nearest = std::min(nearest, apart[c]);
    std::int64_t found = undecided;
    for (std::size_t c = 0; c < n_classes; ++c)
        if (sums[c] >= least && apart[c] <= nearest * (1 + as_near)) {
            if (found != undecided)
                return undecided;
            found = static_cast<std::int64_t>(c);
        }
    return found;
}

/// The votes on each case by class, sums [case][class], which are 0 before, and who wins: codes [case], below 0 where
/// nobody does. labels[place] is below n_classes. Returns the smallest code. O(n (k + n_classes)).
template <class V>
std::int64_t count_votes(const NearestLists& lists, std::span<const std::int32_t> labels, std::size_t n_classes,
                         double* sums, std::int64_t* codes, std::size_t n_threads, Monitor& monitor) {
    const std::size_t asked = std::min(lists.k, lists.width);
    const std::size_t grain = std::max<std::size_t>(64, (std::size_t{1} << 18) / (lists.width + n_classes));
    parallel_for(lists.n, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<double> apart(n_classes);
        for (std::size_t q = begin; q < end; ++q) {
            codes[q] = countable(lists, q, labels.size());
            if (codes[q] < 0)
                continue;
            const double* distance = lists.distance + q * lists.width;
            const std::int64_t* place = lists.place + q * lists.width;
            double* sum = sums + q * n_classes;
            for (std::size_t i = 0; i < asked; ++i)
                sum[labels[static_cast<std::size_t>(place[i])]] += V::vote(distance[0], distance[i]);
            codes[q] = winner<V>(sum, n_classes, distance, place, asked, labels.data(), apart);
        }
    });
    return lists.n ? *std::min_element(codes, codes + lists.n) : 0;
}

/// The mean of the neighbours' targets, [row][target], for each case, [case][target]; codes [case] are 0, or below where
/// there is none. Differences to the nearest are averaged, so that no digit is lost to a large offset. Returns the
/// smallest code. O(n k n_targets).
template <class V>
std::int64_t mean_targets(const NearestLists& lists, const double* targets, std::size_t n_rows, std::size_t n_targets,
                          double* means, std::int64_t* codes, std::size_t n_threads, Monitor& monitor) {
    const std::size_t asked = std::min(lists.k, lists.width);
    const std::size_t grain = std::max<std::size_t>(64, (std::size_t{1} << 18) / (lists.width * n_targets));
    parallel_for(lists.n, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<double> votes(asked);
        for (std::size_t q = begin; q < end; ++q) {
            codes[q] = countable(lists, q, n_rows);
            if (codes[q] < 0)
                continue;
            const double* distance = lists.distance + q * lists.width;
            const std::int64_t* place = lists.place + q * lists.width;
            double total = 0;
            for (std::size_t i = 0; i < asked; ++i)
                total += votes[i] = V::vote(distance[0], distance[i]);
            for (std::size_t t = 0; t < n_targets; ++t) {
                const auto target = [&](std::size_t i) {
                    return targets[static_cast<std::size_t>(place[i]) * n_targets + t];
                };
                double offset = 0;
                for (std::size_t i = 0; i < asked; ++i)
                    offset += (target(i) - target(0)) * (votes[i] / total);
                means[q * n_targets + t] = target(0) + offset;
            }
        }
    });
    return lists.n ? *std::min_element(codes, codes + lists.n) : 0;
}

} // namespace margin::neighbors
