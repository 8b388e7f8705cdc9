#pragma once
// Rows dealt out to folds, group after group like cards, and the lists of rows that each fold learns from and asks about.
#include "margin/core/threads.hpp"
#include "shuffling.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::metrics {

/// The cards: how to shuffle rows, the group of each row, and where each group begins once all stand together. Rows lie
/// all over memory, so that groups in single bytes, which stay in the cache, are dealt several times faster.
template <class Group>
struct Cards {
    std::array<std::uint64_t, 4> random; // the state of numpy.random.default_rng(seed)
    const Group* group;
    std::size_t size;
    std::vector<std::int64_t> starts;
};

namespace detail {

template <class Row, class Group, class Give>
void deal_rows(const Scratch<Row>& shuffled, const Group* group_of, std::vector<std::int64_t> next, Monitor& monitor,
               Give&& give) {
    constexpr std::size_t tile = 1 << 16, ahead = 16;
    for (std::size_t begin = 0; begin < shuffled.size(); begin += tile) {
        monitor.check();
        const std::size_t end = std::min(begin + tile, shuffled.size());
        for (std::size_t i = begin; i < end; ++i) {
            if (i + ahead < shuffled.size())
                __builtin_prefetch(group_of + shuffled[i + ahead]);
            const std::size_t row = shuffled[i], group = static_cast<std::size_t>(group_of[row]);
            give(row, group, next[group]++);
        }
    }
}

} // namespace detail

/// give(row, group, place) for each row: its place if the shuffled rows were sorted by group, equal ones left in order.
/// O(n), without the sorting.
template <class Group, class Give>
void deal(const Cards<Group>& cards, Monitor& monitor, Give&& give) {
    const Pcg64 random(cards.random);
    if (cards.size <= 0xffffffff)
        detail::deal_rows(shuffled_rows<std::uint32_t>(random, cards.size, monitor), cards.group, cards.starts, monitor,
                          give);
    else
        detail::deal_rows(shuffled_rows<std::uint64_t>(random, cards.size, monitor), cards.group, cards.starts, monitor,
                          give);
}

/// fold_of[row] = place % folds. Requires folds > 0.
template <class Group>
void deal_folds(const Cards<Group>& cards, std::int64_t folds, Group* fold_of, Monitor& monitor) {
    deal(cards, monitor,
         [=](std::size_t row, std::size_t, std::int64_t place) { fold_of[row] = static_cast<Group>(place % folds); });
}

/// is_held[row] = 1 for the first held[group] rows of each group, 0 for all others.
template <class Group>
void deal_held(const Cards<Group>& cards, const std::int64_t* held, Group* is_held, Monitor& monitor) {
    deal(cards, monitor, [&](std::size_t row, std::size_t group, std::int64_t place) {
        is_held[row] = place - cards.starts[group] < held[group];
    });
}

/// The rows whose fold is not `fold`, and those whose it is, ascending. Requires room for as many as there are.
/// O(n) on several threads: blocks are counted first, so that each knows where to write.
template <class Fold>
void separate(const Fold* fold_of, std::size_t n, Fold fold, std::int64_t* train, std::int64_t* test,
              std::size_t n_threads, Monitor& monitor) {
    constexpr std::size_t block = 1 << 17;
    std::vector<std::size_t> before((n + block - 1) / block + 1);
    parallel_for(n, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        before[begin / block + 1] = static_cast<std::size_t>(std::count(fold_of + begin, fold_of + end, fold));
    });
    for (std::size_t b = 1; b < before.size(); ++b)
        before[b] += before[b - 1];
    parallel_for(n, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        // Both lists are written to at every row and one of them moves on: no branch to guess. Once one of them is full
        // the next place in it belongs to another block.
        std::int64_t* in = test + before[begin / block];
        std::int64_t* out = train + (begin - before[begin / block]);
        const std::int64_t* const in_end = test + before[begin / block + 1];
        const std::int64_t* const out_end = train + (end - before[begin / block + 1]);
        std::size_t i = begin;
        for (; i < end && in != in_end && out != out_end; ++i) {
            const bool is_in = fold_of[i] == fold;
            *in = *out = static_cast<std::int64_t>(i);
            in += is_in;
            out += !is_in;
        }
        for (; i < end; ++i)
            *(fold_of[i] == fold ? in++ : out++) = static_cast<std::int64_t>(i);
    });
}

} // namespace margin::metrics
