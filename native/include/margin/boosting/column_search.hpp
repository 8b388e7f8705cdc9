#pragma once
// The best cut of one column in every open node of a tree, under the weights of a round.
#include "ranked_table.hpp"
#include "statistics.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::boosting {

struct Cut {
    double score = -std::numeric_limits<double>::infinity();
    std::uint32_t column = 0;
    std::uint32_t low = 0, next = 0; // threshold: the largest code of branch 0, the smallest of branch 1
    bool missing_right = true;
    bool subset = false;
    std::vector<std::uint32_t> codes; // subset: the codes of branch 0, missing cells being one more code

    bool found() const noexcept { return score > -std::numeric_limits<double>::infinity(); }
};

/// The rows of a level: what each weighs, which open node it is in, and the sums of these nodes.
template <class Stat>
struct Level {
    const RankedTable& table;
    Stat stat;
    const typename Stat::Item* items;
    const std::uint8_t* node;
    std::size_t n_open;
    const sum_t* totals; // n_open x n_sums

    const sum_t* total(std::size_t m) const noexcept { return totals + m * stat.n_sums(); }
};

/// Room for one worker.
struct SearchRoom {
    std::vector<sum_t> sums, left, right, absent;
    std::vector<std::uint32_t> last, order;
    std::vector<double> key;
};

/// Cuts of one column in one node, offered from left to right: of equal ones the first is kept, and missing cells to
/// the right go before missing cells to the left.
template <class Stat>
class Offers {
public:
    Offers(const Stat& stat, const sum_t* total, const sum_t* absent, SearchRoom& room, Cut& best)
        : stat_(stat), total_(total), absent_(stat.holds(absent) ? absent : nullptr), room_(room), best_(best) {
        room.right.resize(2 * stat.n_sums());
    }

    void between(const sum_t* left, std::uint32_t low, std::uint32_t next) {
        weigh(left, low, next, true);
        if (absent_) {
            sum_t* const with = room_.right.data() + stat_.n_sums();
            for (std::size_t k = 0; k < stat_.n_sums(); ++k)
                with[k] = left[k] + absent_[k];
            weigh(with, low, next, false);
        }
    }
    /// All known cells against the missing ones.
    void known_or_not(const sum_t* left, std::uint32_t low, std::uint32_t n_bins) {
        if (absent_)
            weigh(left, low, n_bins, true);
    }
    bool weigh(const sum_t* left, std::uint32_t low, std::uint32_t next, bool missing_right) {
        sum_t* const right = room_.right.data();
        for (std::size_t k = 0; k < stat_.n_sums(); ++k)
            right[k] = total_[k] - left[k];
        const double score = stat_.side(left) + stat_.side(right);
        if (!(score > best_.score))
            return false;
        best_.score = score;
        best_.low = low;
        best_.next = next;
        best_.missing_right = missing_right;
        return true;
    }

private:
    const Stat& stat_;
    const sum_t* total_;
    const sum_t* absent_;
    SearchRoom& room_;
    Cut& best_;
};

namespace detail {

/// The thresholds between codes that were counted. `sums` has those of missing cells last. O(codes K).
template <class Stat>
void cut_codes(const Stat& stat, const sum_t* sums, std::size_t n_bins, const sum_t* total, SearchRoom& room,
               Cut& best) {
    const std::size_t width = stat.n_sums();
    Offers<Stat> offers(stat, total, sums + n_bins * width, room, best);
    room.left.assign(width, 0);
    sum_t* const left = room.left.data();
    bool any = false;
    std::uint32_t last = 0;
    for (std::uint32_t c = 0; c < n_bins; ++c) {
        const sum_t* const here = sums + c * width;
        if (!stat.holds(here))
            continue;
        if (any)
            offers.between(left, last, c);
        for (std::size_t k = 0; k < width; ++k)
            left[k] += here[k];
        any = true;
        last = c;
    }
    if (any)
        offers.known_or_not(left, last, static_cast<std::uint32_t>(n_bins));
}

/// Subsets of levels, missing cells being one more: the best threshold in an order by share or mean, which is the best
/// of all subsets for two classes and for means; for more classes in the orders by the share of each class in turn.
/// Levels of equal keys stay together. Branch 0 is the lighter side. O(levels (K + log levels)) for each order.
template <class Stat>
void cut_levels(const Stat& stat, const sum_t* sums, std::size_t n_bins, const sum_t* total, SearchRoom& room,
                Cut& best) {
    const std::size_t width = stat.n_sums();
    std::vector<std::uint32_t>& order = room.order;
    Offers<Stat> offers(stat, total, sums, room, best); // weigh alone is called: missing cells are a level here
    order.clear();
    for (std::uint32_t c = 0; c <= n_bins; ++c)
        if (stat.holds(sums + c * width))
            order.push_back(c);
    room.key.resize(n_bins + 1);
    for (std::size_t which = 0; which < stat.n_orders(); ++which) {
        for (const std::uint32_t c : order)
            room.key[c] = stat.key(sums + c * width, which);
        std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
            return room.key[a] < room.key[b] || (room.key[a] == room.key[b] && a < b);
        });
        room.left.assign(width, 0);
        std::size_t n_left = 0;
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            for (std::size_t k = 0; k < width; ++k)
                room.left[k] += sums[order[i] * width + k];
            if (room.key[order[i]] != room.key[order[i + 1]] && offers.weigh(room.left.data(), 0, 0, true))
                n_left = i + 1;
        }
        if (n_left == 0)
            continue;
        best.subset = true;
        const auto sum_of = [&](std::size_t begin, std::size_t end) {
            double heavy = 0;
            for (std::size_t i = begin; i < end; ++i)
                heavy += stat.heaviness(sums + order[i] * width);
            return heavy;
        };
        const bool low_is_lighter = sum_of(0, n_left) <= sum_of(n_left, order.size());
        const auto middle = order.begin() + static_cast<std::ptrdiff_t>(n_left);
        best.codes = low_is_lighter ? std::vector(order.begin(), middle) : std::vector(middle, order.end());
        std::ranges::sort(best.codes);
        best.missing_right = best.codes.empty() || best.codes.back() != n_bins;
    }
}

/// A column with few codes: weights are counted by node and code. O(n + codes K).
template <class Stat>
void search_counted(const Level<Stat>& level, std::size_t j, SearchRoom& room, Cut* best) {
    const tree::BinnedColumn& column = level.table.column(j);
    const auto stat = level.stat.counted();
    const std::size_t width = stat.n_sums(), stride = (column.n_bins + 1) * width;
    room.sums.assign(level.n_open * stride, 0);
    sum_t* const sums = room.sums.data();
    const typename Stat::Item* const items = level.items;
    level.table.coded().with_codes(j, [&](const auto* codes) {
        const std::size_t n = level.table.rows();
        if (level.n_open == 1)
            for (std::size_t i = 0; i < n; ++i)
                stat.add(sums + codes[i] * width, items[i]);
        else
            for (std::size_t i = 0; i < n; ++i)
                stat.add(sums + level.node[i] * stride + codes[i] * width, items[i]);
    });
    for (std::size_t m = 0; m < level.n_open; ++m)
        if (column.nominal)
            cut_levels(stat, sums + m * stride, column.n_bins, level.total(m), room, best[m]);
        else
            cut_codes(stat, sums + m * stride, column.n_bins, level.total(m), room, best[m]);
}

/// A column with many codes: rows in its order, every node with its own running sums. O(n K).
template <class Stat>
void search_sorted(const Level<Stat>& level, std::size_t j, SearchRoom& room, Cut* best) {
    constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
    const auto order = level.table.order(j);
    const std::size_t width = level.stat.n_sums(), n_open = level.n_open;
    room.absent.assign(n_open * width, 0);
    for (const std::uint32_t i : level.table.absent(j))
        level.stat.add(room.absent.data() + level.node[i] * width, level.items[i]);
    room.sums.assign(n_open * width, 0);
    room.last.assign(n_open, nothing);
    room.right.resize(2 * width);
    std::vector<Offers<Stat>> offers;
    for (std::size_t m = 0; m < n_open; ++m)
        offers.emplace_back(level.stat, level.total(m), room.absent.data() + m * width, room, best[m]);
    std::uint32_t code = 0;
    for (const std::uint32_t entry : order) {
        const std::uint32_t i = entry & ~ends_code;
        const std::size_t m = n_open == 1 ? 0 : level.node[i];
        sum_t* const left = room.sums.data() + m * width;
        if (room.last[m] != code) {
            if (room.last[m] != nothing)
                offers[m].between(left, room.last[m], code);
            room.last[m] = code;
        }
        level.stat.add(left, level.items[i]);
        code += (entry & ends_code) != 0;
    }
    const auto n_bins = static_cast<std::uint32_t>(level.table.column(j).n_bins);
    for (std::size_t m = 0; m < n_open; ++m)
        if (room.last[m] != nothing)
            offers[m].known_or_not(room.sums.data() + m * width, room.last[m], n_bins);
}

/// A column with many codes and a bounded score: weights are counted by bucket, and only buckets in which a cut can
/// reach the best of all columns so far are read in the order of the column. O(n + buckets + rows of these buckets).
template <class Stat>
class BucketSearch {
public:
    BucketSearch(const Level<Stat>& level, std::size_t j, SearchRoom& room)
        : level_(level), stat_(level.stat), column_(j), buckets_(level.table.buckets(j)), order_(level.table.order(j)),
          width_(stat_.n_sums()), stride_((buckets_.size() + 1) * width_), room_(room) {}

    void run(std::atomic<double>* bars, Cut* best) {
        const std::size_t n = level_.table.rows();
        room_.sums.assign(level_.n_open * stride_, 0);
        sum_t* const sums = room_.sums.data();
        const std::uint8_t* const bucket = buckets_.of_row.data();
        if (level_.n_open == 1)
            for (std::size_t i = 0; i < n; ++i)
                stat_.add(sums + bucket[i] * width_, level_.items[i]);
        else
            for (std::size_t i = 0; i < n; ++i)
                stat_.add(sums + level_.node[i] * stride_ + bucket[i] * width_, level_.items[i]);
        room_.left.resize(stride_ + 3 * width_);
        for (std::size_t m = 0; m < level_.n_open; ++m)
            search_node(m, bars[m], best[m]);
    }

private:
    static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

    const sum_t* before(std::size_t b) const noexcept { return room_.left.data() + b * width_; }

    void search_node(std::size_t m, std::atomic<double>& bar, Cut& best) {
        const sum_t* const sums = room_.sums.data() + m * stride_;
        const sum_t* const absent = sums + buckets_.size() * width_;
        const sum_t* const total = level_.total(m);
        std::fill_n(room_.left.begin(), width_, 0);
        for (std::size_t i = 0; i < buckets_.size() * width_; ++i)
            room_.left[i + width_] = room_.left[i] + sums[i];
        raise(bar, best_between_buckets(total, absent));
        Offers<Stat> offers(stat_, total, absent, room_, best);
        sum_t* const left =
            room_.left.data() + stride_; // behind the sums before each bucket, the last one being the end
        std::uint32_t last = nothing;
        for (std::size_t b = 0; b < buckets_.size(); ++b) {
            const double reach = bar.load(std::memory_order_relaxed);
            // What rounding can make of a score that is as good as the bound.
            if (bound(total, absent, b) < reach - 1e-12 * std::abs(reach)) {
                last = nothing;
                continue;
            }
            std::copy_n(before(b), width_, left);
            walk(m, b, left, last, offers);
            raise(bar, best.score);
        }
        if (last != nothing)
            offers.known_or_not(before(buckets_.size()), last,
                                static_cast<std::uint32_t>(level_.table.column(column_).n_bins));
    }

    /// The rows of a bucket in the order of the column.
    void walk(std::size_t m, std::size_t b, sum_t* left, std::uint32_t& last, Offers<Stat>& offers) {
        std::uint32_t code = buckets_.first_code[b];
        for (std::size_t at = buckets_.begin[b]; at < buckets_.begin[b + 1]; ++at) {
            const std::uint32_t i = order_[at] & ~ends_code;
            if (level_.n_open == 1 || level_.node[i] == m) {
                if (last != code) {
                    if (last != nothing)
                        offers.between(left, last, code);
                    last = code;
                }
                stat_.add(left, level_.items[i]);
            }
            code += (order_[at] & ends_code) != 0;
        }
    }

    /// No cut inside a bucket or at its ends is better.
    double bound(const sum_t* total, const sum_t* absent, std::size_t b) const {
        const double known = stat_.bound(total, before(b), before(b + 1));
        if (!stat_.holds(absent))
            return known;
        sum_t* const low = room_.left.data() + stride_ + width_;
        sum_t* const high = low + width_;
        for (std::size_t k = 0; k < width_; ++k) {
            low[k] = before(b)[k] + absent[k];
            high[k] = before(b + 1)[k] + absent[k];
        }
        return std::max(known, stat_.bound(total, low, high));
    }

    double best_between_buckets(const sum_t* total, const sum_t* absent) {
        Cut found;
        Offers<Stat> offers(stat_, total, absent, room_, found);
        const sum_t* const all = before(buckets_.size());
        for (std::size_t b = 1; b < buckets_.size(); ++b)
            if (stat_.holds(before(b)) && !std::equal(all, all + width_, before(b)))
                offers.between(before(b), 0, 0);
        return found.score;
    }

    static void raise(std::atomic<double>& bar, double score) noexcept {
        double seen = bar.load(std::memory_order_relaxed);
        while (score > seen && !bar.compare_exchange_weak(seen, score, std::memory_order_relaxed)) {
        }
    }

    const Level<Stat>& level_;
    const Stat& stat_;
    std::size_t column_;
    const Buckets& buckets_;
    std::span<const std::uint32_t> order_;
    std::size_t width_, stride_;
    SearchRoom& room_;
};

} // namespace detail

/// best[m] = the best cut of column j in open node m; none, perhaps, where another column has reached a better score
/// already, which is kept in bars[m].
template <class Stat>
void search_column(const Level<Stat>& level, std::size_t j, std::atomic<double>* bars, SearchRoom& room, Cut* best) {
    for (std::size_t m = 0; m < level.n_open; ++m)
        best[m].column = static_cast<std::uint32_t>(j);
    if (!level.table.is_sorted(j))
        detail::search_counted(level, j, room, best);
    else if constexpr (Stat::is_bounded)
        detail::BucketSearch<Stat>(level, j, room).run(bars, best);
    else
        detail::search_sorted(level, j, room, best);
}

} // namespace margin::boosting
