#pragma once
// Neighbours of many queries in a kd-tree: the k nearest, and all within a radius.
#include "kd_tree_search.hpp"
#include "margin/core/threads.hpp"
#include "margin/neighbors/distances/found_lists.hpp"
#include <atomic>
#include <numeric>

namespace margin::neighbors::kd {

inline constexpr std::size_t queries_at_once = 32; // what a thread takes: 20 µs to 1 ms of work

/// The order in which to answer queries: those in one corner of the tree after one another, so that they find what they
/// need in the cache. O(n).
template <class Level, class N>
std::vector<std::uint32_t> order_of(const Tree& tree, const Sieve<N>& sieve, const double* queries, std::size_t n,
                                    std::size_t n_threads, Monitor& monitor) {
    std::vector<std::uint32_t> order(n);
    if (n <= queries_at_once) {
        std::iota(order.begin(), order.end(), 0u);
        return order;
    }
    std::vector<std::uint32_t> corner(n), starts(n_corners + 1);
    parallel_for(n, 8 * queries_at_once, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        Sketched<N> sketched(tree, sieve);
        for (std::size_t q = begin; q < end; ++q) {
            sketched.draw(queries + q * tree.columns);
            corner[q] = Level::template corner<N>(tree, sketched);
        }
    });
    for (const std::uint32_t c : corner)
        ++starts[c + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (std::uint32_t q = 0; q < n; ++q)
        order[starts[corner[q]]++] = q;
    return order;
}

/// answer(state, number of the query, query) for each query, each thread with its own `state`; it gives the number of
/// blocks looked at, and for_each_query their sum.
template <class Level, class N, class Answer>
std::size_t for_each_query(const Tree& tree, const Sieve<N>& sieve, Compare compare, const double* queries,
                           std::size_t n, double p, std::size_t k, std::size_t n_threads, Monitor& monitor,
                           Answer&& answer) {
    const auto order = order_of<Level>(tree, sieve, queries, n, n_threads, monitor);
    std::atomic<std::size_t> total{0};
    monitor.expect(n);
    parallel_for(n, queries_at_once, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        QueryState<N> state(tree, sieve, compare, p, k);
        std::size_t n_blocks = 0, n_checked = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const double* query = queries + order[i] * tree.columns;
            state.sketched.draw(query);
            n_blocks += answer(state, order[i], query);
            if (n_blocks - n_checked > 1024) { // about 0.1 ms: to look at the clock costs as much as a leaf
                monitor.check();
                n_checked = n_blocks;
            }
        }
        monitor.step(end - begin);
        total.fetch_add(n_blocks, std::memory_order_relaxed);
    });
    return total;
}

template <class N, class Level>
auto nearest_for(std::size_t columns) {
    if constexpr (N::unrolled) {
        if (columns == 2)
            return Level::template nearest<N, 2>;
        if (columns == 3)
            return Level::template nearest<N, 3>;
        if (columns == 8)
            return Level::template nearest<N, 8>;
    }
    return Level::template nearest<N, 0>;
}

/// The k nearest rows of each query, first by distance, then by place: distance and place are [query][k]. Returns the
/// share of the rows that was looked at. Requires 1 <= k <= n_rows, no NaN. `compare` compares by D.
template <class D>
double nearest(const Tree& tree, Compare compare, const double* queries, std::size_t n, std::size_t k, double p,
               double* distance, std::int64_t* place, std::size_t n_threads, Monitor& monitor) {
    std::size_t n_blocks = 0;
    const auto ask = [&]<class Level, class N>(const N& norm) {
        const auto search = nearest_for<N, Level>(tree.columns);
        n_blocks = for_each_query<Level>(tree, sieve_for(tree, norm), compare, queries, n, p, k, n_threads, monitor,
                                         [&](QueryState<N>& state, std::size_t q, const double* query) {
                                             state.best.clear();
                                             const std::size_t looked_at = search(state, query, state.best);
                                             const auto& found = state.best.sorted();
                                             for (std::size_t i = 0; i < k; ++i) {
                                                 distance[q * k + i] = D::finish(found[i].distance, p);
                                                 place[q * k + i] = found[i].row;
                                             }
                                             return looked_at;
                                         });
    };
    on_best_level([&]<class Level>() {
        with_norm_for<D>(tree.columns, p, [&](const auto& norm) { ask.template operator()<Level>(norm); });
    });
    return n ? static_cast<double>(n_blocks) / static_cast<double>(n * tree.n_blocks) : 0;
}

/// What was found for one query after another: that of query q from start[q] to start[q + 1].
struct Lists {
    std::vector<std::int64_t> start;
    std::vector<double> distance;
    std::vector<std::int64_t> place;
};

/// All rows at a distance of at most its radius of each query, first by distance, then by place.
template <class D>
Lists within(const Tree& tree, Compare compare, const double* queries, std::size_t n, Radii radius, double p,
             std::size_t n_threads, Monitor& monitor) {
    std::vector<std::vector<Found>> found(n);
    const auto ask = [&]<class Level, class N>(const N& norm) {
        for_each_query<Level>(tree, sieve_for(tree, norm), compare, queries, n, p, 1, n_threads, monitor,
                              [&](QueryState<N>& state, std::size_t q, const double* query) {
                                  const auto looked_at = Level::template within<N>(state, query, radius[q], found[q]);
                                  std::sort(found[q].begin(), found[q].end());
                                  return looked_at;
                              });
    };
    on_best_level([&]<class Level>() {
        with_norm_for<D>(tree.columns, p, [&](const auto& norm) { ask.template operator()<Level>(norm); });
    });
    Lists lists;
    lists.start.assign(1, 0);
    for (const auto& list : found)
        lists.start.push_back(lists.start.back() + static_cast<std::int64_t>(list.size()));
    lists.distance.reserve(static_cast<std::size_t>(lists.start.back()));
    lists.place.reserve(static_cast<std::size_t>(lists.start.back()));
    for (auto& list : found) {
        for (const Found& one : list) {
            lists.distance.push_back(D::finish(one.distance, p));
            lists.place.push_back(one.row);
        }
        list = {}; // memory for the one as that of the other goes
    }
    return lists;
}

} // namespace margin::neighbors::kd
