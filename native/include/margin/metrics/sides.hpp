#pragma once
// One class against the rest: the scores of the positive cases and of the others, each sorted from the strongest on.
//
// Two sorted lists need no label beside each score, which makes the keys to sort half as long; walking along both at
// once meets the scores in order.
#include "sorting.hpp"
#include <cmath>

namespace margin::metrics {

/// Scores that may stand in a column of a matrix, the side of each (1 is positive), and weights or null.
struct Scored {
    const double* score;
    std::ptrdiff_t stride;
    const std::uint8_t* positive;
    const double* weight;
    std::size_t size;

    double at(std::size_t i) const noexcept { return score[static_cast<std::ptrdiff_t>(i) * stride]; }
};

/// One side: keys that ascend as scores descend, and the weight of the first i cases (none: every case counts once).
template <class Key>
struct Side {
    Scratch<Key> keys;
    std::vector<double> sums;

    std::size_t size() const noexcept { return keys.size(); }
    std::uint64_t key(std::size_t i) const noexcept { return sort_key(keys[i]); }
    double upto(std::size_t i) const noexcept { return sums.empty() ? static_cast<double>(i) : sums[i]; }
    double total() const noexcept { return upto(size()); }
};

/// Both sides, and how many scores are NaN, the first of them in row `first_missing`: then nothing is sorted.
template <class Key>
struct Sides {
    Side<Key> positives, others;
    std::size_t missing = 0, first_missing = 0;
};

/// Scores from first to last that are alike: positives [i, i_end) and others [j, j_end).
struct Level {
    std::size_t i, i_end, j, j_end;
};

namespace detail {

constexpr std::size_t side_block = 1 << 16;

inline std::uint64_t descending_key(double score) noexcept { return ~key_of(score); }
template <class Key>
Key made_key(double score, std::size_t row) noexcept {
    if constexpr (std::is_same_v<Key, RowKey>)
        return {descending_key(score), row};
    else
        return descending_key(score);
}

/// Before each block of rows: how many positives there are.
struct Before {
    std::vector<std::size_t> positives, missing;
    std::size_t first_missing = 0;

    Before(const Scored& cases, std::size_t n_threads, Monitor& monitor) {
        const std::size_t n_blocks = (cases.size + side_block - 1) / side_block;
        positives.resize(n_blocks + 1);
        missing.resize(n_blocks + 1);
        parallel_for(cases.size, side_block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            std::size_t here = 0, bad = 0;
            for (std::size_t i = begin; i < end; ++i) {
                here += cases.positive[i];
                bad += cases.at(i) != cases.at(i);
            }
            positives[begin / side_block + 1] = here;
            missing[begin / side_block + 1] = bad;
        });
        for (std::size_t b = 1; b <= n_blocks; ++b) {
            positives[b] += positives[b - 1];
            missing[b] += missing[b - 1];
        }
        while (missing.back() > 0 && cases.at(first_missing) == cases.at(first_missing))
            ++first_missing;
    }
};

inline std::vector<double> weight_sums(const Scratch<RowKey>& keys, const double* weight) {
    std::vector<double> sums(keys.size() + 1);
    for (std::size_t i = 0; i < keys.size(); ++i)
        sums[i + 1] = sums[i] + weight[keys[i].row];
    return sums;
}

} // namespace detail

/// Both sides sorted. Requires positive[i] to be 0 or 1, and Key to be RowKey where there are weights. O(n).
template <class Key>
Sides<Key> sorted_sides(const Scored& cases, std::size_t n_threads, Monitor& monitor) {
    const detail::Before before(cases, n_threads, monitor);
    Sides<Key> sides;
    sides.missing = before.missing.back();
    sides.first_missing = before.first_missing;
    if (sides.missing > 0)
        return sides;
    sides.positives.keys = Scratch<Key>(before.positives.back());
    sides.others.keys = Scratch<Key>(cases.size - before.positives.back());
    parallel_for(cases.size, detail::side_block, n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     std::size_t i = before.positives[begin / detail::side_block], j = begin - i;
                     for (std::size_t row = begin; row < end; ++row) {
                         const Key key = detail::made_key<Key>(cases.at(row), row);
                         if (cases.positive[row])
                             sides.positives.keys[i++] = key;
                         else
                             sides.others.keys[j++] = key;
                     }
                 });
    sort_keys(sides.positives.keys, n_threads, monitor);
    sort_keys(sides.others.keys, n_threads, monitor);
    if constexpr (std::is_same_v<Key, RowKey>)
        if (cases.weight) {
            sides.positives.sums = detail::weight_sums(sides.positives.keys, cases.weight);
            monitor.check();
            sides.others.sums = detail::weight_sums(sides.others.keys, cases.weight);
        }
    return sides;
}

/// Where to cut both lists so that the pieces can be walked along by different threads: the same for any number of them.
/// No level is cut in two.
template <class Key>
std::vector<Level> pieces(const Sides<Key>& sides) {
    const Side<Key>&a = sides.positives, &b = sides.others, &longer = a.size() > b.size() ? a : b;
    const auto first_not_below = [](const Side<Key>& side, std::uint64_t key) {
        const auto less = [](const Key& one, std::uint64_t other) { return sort_key(one) < other; };
        return static_cast<std::size_t>(std::lower_bound(side.keys.begin(), side.keys.end(), key, less) -
                                        side.keys.begin());
    };
    std::vector<Level> found;
    std::size_t i = 0, j = 0;
    for (std::size_t at = detail::side_block; at < longer.size(); at += detail::side_block) {
        const std::size_t i_end = first_not_below(a, longer.key(at)), j_end = first_not_below(b, longer.key(at));
        found.push_back({i, i_end, j, j_end});
        i = i_end, j = j_end;
    }
    found.push_back({i, a.size(), j, b.size()});
    return found;
}

/// visit(level) for each level of a piece, from the strongest on.
template <class Key, class Visit>
void walk(const Sides<Key>& sides, const Level& piece, Visit&& visit) {
    const Side<Key>&a = sides.positives, &b = sides.others;
    Level level{piece.i, piece.i, piece.j, piece.j};
    while (level.i < piece.i_end || level.j < piece.j_end) {
        const bool by_other = level.i == piece.i_end || (level.j < piece.j_end && b.key(level.j) < a.key(level.i));
        const std::uint64_t key = by_other ? b.key(level.j) : a.key(level.i);
        while (level.i_end < piece.i_end && a.key(level.i_end) == key)
            ++level.i_end;
        while (level.j_end < piece.j_end && b.key(level.j_end) == key)
            ++level.j_end;
        visit(level);
        level.i = level.i_end, level.j = level.j_end;
    }
}

} // namespace margin::metrics
