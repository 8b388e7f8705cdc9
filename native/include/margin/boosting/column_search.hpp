#pragma once
// The best cut of one column in every open node of a tree, under the weights of a round.
#include "ranked_table.hpp"
#include "statistics.hpp"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
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
    const sum_t* signed_items; // ClassSums<Error, 2>: the weight, below 0 for class 0; else null
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
    const std::size_t width = level.stat.n_sums(), stride = (column.n_bins + 1) * width;
    room.sums.assign(level.n_open * stride, 0);
    sum_t* const sums = room.sums.data();
    level.table.coded().with_codes(j, [&](const auto* codes) {
        const std::size_t n = level.table.rows();
        if (level.n_open == 1)
            for (std::size_t i = 0; i < n; ++i)
                level.stat.add(sums + codes[i] * width, level.items[i]);
        else
            for (std::size_t i = 0; i < n; ++i)
                level.stat.add(sums + level.node[i] * stride + codes[i] * width, level.items[i]);
    });
    for (std::size_t m = 0; m < level.n_open; ++m)
        if (column.nominal)
            cut_levels(level.stat, sums + m * stride, column.n_bins, level.total(m), room, best[m]);
        else
            cut_codes(level.stat, sums + m * stride, column.n_bins, level.total(m), room, best[m]);
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

/// max and min of the running sum of signed weights over the ends of codes, the last one aside. O(n).
inline std::pair<sum_t, sum_t> extremes(std::span<const std::uint32_t> order, const sum_t* weight, bool all_distinct,
                                        sum_t& total) noexcept {
    sum_t running = 0, high = std::numeric_limits<sum_t>::min(), low = std::numeric_limits<sum_t>::max();
    const std::size_t last = order.size() - 1;
    if (all_distinct)
        for (std::size_t i = 0; i < last; ++i) {
            running += weight[order[i] & ~ends_code];
            high = std::max(high, running);
            low = std::min(low, running);
        }
    else
        for (std::size_t i = 0; i < last; ++i) {
            running += weight[order[i] & ~ends_code];
            const bool ends = (order[i] & ends_code) != 0;
            high = std::max(high, ends ? running : high);
            low = std::min(low, ends ? running : low);
        }
    total = running + weight[order[last] & ~ends_code];
    return {high, low};
}

/// Two classes in one node, and errors alone: with D the sum of signed weights of the left side and T that of the node
/// the weight answered rightly is (W + |D| + |T - D|) / 2, so that only the largest and the smallest D matter. Where
/// they stand is looked for in a second pass over a column that has a chance to win.
class SignedSearch {
public:
    template <class Stat>
    SignedSearch(const Level<Stat>& level, std::size_t j, Cut& best)
        : order_(level.table.order(j)), weight_(level.signed_items), whole_(level.totals[0] + level.totals[1]),
          total_(level.totals[1] - level.totals[0]), n_bins_(level.table.column(j).n_bins), best_(best) {
        for (const std::uint32_t i : level.table.absent(j))
            absent_ += weight_[i];
        has_absent_ = !level.table.absent(j).empty();
    }

    /// Only a score that is no worse than `bar`, the best of all columns so far, is looked for. O(n).
    void run(std::atomic<double>& bar) {
        sum_t known = 0;
        const auto [high, low] = extremes(order_, weight_, n_bins_ == order_.size(), known);
        double top = -std::numeric_limits<double>::infinity();
        if (order_.size() > 1 && high >= low) {
            top = std::max(score(high), score(low));
            if (has_absent_)
                top = std::max({top, score(high + absent_), score(low + absent_)});
        }
        if (has_absent_)
            top = std::max(top, score(known));
        double seen = bar.load(std::memory_order_relaxed);
        while (top > seen && !bar.compare_exchange_weak(seen, top, std::memory_order_relaxed)) {
        }
        if (top >= seen)
            find(top);
    }

private:
    double score(sum_t left) const noexcept {
        return static_cast<double>((whole_ + std::abs(left) + std::abs(total_ - left)) / 2);
    }

    void find(double top) {
        sum_t running = 0;
        std::uint32_t code = 0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            running += weight_[order_[i] & ~ends_code];
            if (!(order_[i] & ends_code))
                continue;
            const bool is_last = i + 1 == order_.size();
            const bool to_right = score(running) == top && (!is_last || has_absent_);
            if (to_right || (has_absent_ && !is_last && score(running + absent_) == top)) {
                best_.score = top;
                best_.low = code;
                best_.next = is_last ? static_cast<std::uint32_t>(n_bins_) : code + 1;
                best_.missing_right = to_right;
                return;
            }
            ++code;
        }
    }

    std::span<const std::uint32_t> order_;
    const sum_t* weight_;
    sum_t whole_, total_, absent_ = 0;
    std::size_t n_bins_;
    bool has_absent_ = false;
    Cut& best_;
};

} // namespace detail

/// best[m] = the best cut of column j in open node m; none, perhaps, where another column has reached a better score
/// already, which is kept in `bar`.
template <class Stat>
void search_column(const Level<Stat>& level, std::size_t j, std::atomic<double>& bar, SearchRoom& room, Cut* best) {
    for (std::size_t m = 0; m < level.n_open; ++m)
        best[m].column = static_cast<std::uint32_t>(j);
    if (!level.table.is_sorted(j))
        return detail::search_counted(level, j, room, best);
    if constexpr (std::is_same_v<Stat, ClassSums<Error, 2>>)
        if (level.n_open == 1)
            return detail::SignedSearch(level, j, best[0]).run(bar);
    detail::search_sorted(level, j, room, best);
}

} // namespace margin::boosting
