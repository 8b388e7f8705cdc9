#pragma once
// Exact nearest neighbours for anything that obeys the triangle inequality: a tree of balls around training rows.
// Uhlmann (1991); Yianilos (1993), "Data structures and algorithms for nearest neighbor search in general metric spaces".
#include "margin/core/threads.hpp"
#include "margin/neighbors/distances/found_lists.hpp"
#include "margin/neighbors/distances/nearest.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace margin::neighbors {

// Rows are put into the order of the tree; a node is a stretch [begin, end) of it. Above the leaves the row at `begin`
// is the centre of the node; of the rest the nearer half, rounded down, is the first child and the further half the
// second. All leaves stand on one level, so that the stretches follow from n and the number of levels alone, and the
// children of node i are 2 i + 1 and 2 i + 2. Of each node but the root the tree knows the smallest and the largest
// distance of its rows to the centre above, and of each row in a leaf the distance itself.

/// Levels above the leaves if no leaf is to hold more than `leaf_size` >= 1 rows.
inline std::size_t ball_levels(std::size_t n, std::size_t leaf_size) {
    std::size_t levels = 0;
    for (; n > leaf_size; n /= 2) // the larger child of n rows
        ++levels;
    return levels;
}

/// A node on its way: number and stretch.
struct Stretch {
    std::size_t node, begin, end;
    std::size_t size() const { return end - begin; }
    std::size_t middle() const { return begin + 1 + (size() - 1) / 2; }
    Stretch nearer() const { return {2 * node + 1, begin + 1, middle()}; }
    Stretch further() const { return {2 * node + 2, middle(), end}; }
};

/// A built tree as its owner keeps it.
struct BallTree {
    std::size_t levels = 0;
    std::vector<std::int64_t> place;       // the row that stands at each position
    std::vector<double> reach;             // its distance to the centre above
    std::vector<double> smallest, largest; // of a node's reaches; infinity and minus infinity for an empty leaf
};

/// A built tree to look into.
struct BallTreeView {
    std::size_t levels = 0, n = 0;
    const std::int64_t* place = nullptr;
    const double *reach = nullptr, *smallest = nullptr, *largest = nullptr;
};

namespace detail {

/// Make the row furthest from the centre above the centre of this node: from a corner, distances spread most.
inline void choose_centre(std::span<Found> rows) {
    std::iter_swap(rows.begin(), std::max_element(rows.begin(), rows.end()));
}

inline void note_range(BallTree& tree, const std::vector<Found>& rows, const Stretch& s) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = s.begin; i < s.end; ++i) {
        least = std::min(least, rows[i].distance);
        most = std::max(most, rows[i].distance);
    }
    tree.smallest[s.node] = least;
    tree.largest[s.node] = most;
}

/// Distances of all rows of these nodes to their centres.
template <class Between>
void measure(std::vector<Found>& rows, const std::vector<Stretch>& nodes, Between& between, std::size_t grain,
             std::size_t n_threads, Monitor& monitor) {
    parallel_for(rows.size(), grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        auto node = std::upper_bound(nodes.begin(), nodes.end(), begin,
                                     [](std::size_t at, const Stretch& s) { return at < s.end; });
        for (; node != nodes.end() && node->begin < end; ++node)
            between(rows[node->begin].row, rows.data() + std::max(begin, std::min(node->begin + 1, node->end)),
                    rows.data() + std::min(end, node->end));
    });
}

inline std::vector<Stretch> children(const std::vector<Stretch>& nodes) {
    std::vector<Stretch> below;
    below.reserve(2 * nodes.size());
    for (const Stretch& s : nodes) {
        below.push_back(s.nearer());
        below.push_back(s.further());
    }
    return below;
}

} // namespace detail

/// A tree over n >= 1 rows. between(centre, first, last) writes the distances of the rows [first, last), which may be
/// none, to the row of number `centre`; it is called from up to `n_threads` threads, for up to `grain` rows at a time.
/// O(n log n) distances; the tree depends on nothing but them.
template <class Between>
BallTree build_ball_tree(std::size_t n, std::size_t leaf_size, Between between, std::size_t grain,
                         std::size_t n_threads, Monitor& monitor) {
    BallTree tree;
    tree.levels = ball_levels(n, leaf_size);
    const std::size_t n_nodes = (std::size_t{2} << tree.levels) - 1;
    tree.smallest.assign(n_nodes, 0);
    tree.largest.assign(n_nodes, 0);
    std::vector<Found> rows(n);
    for (std::size_t i = 0; i < n; ++i)
        rows[i] = {0, static_cast<std::int64_t>(i)};
    std::vector<Stretch> nodes{{0, 0, n}};
    if (tree.levels > 0)
        detail::measure(rows, nodes, between, grain, n_threads, monitor); // the root's centre is furthest from row 0
    for (std::size_t level = 0; level < tree.levels; ++level) {
        parallel_for(nodes.size(), 1, n_threads, monitor, [&](std::size_t i, std::size_t, std::size_t) {
            detail::choose_centre({rows.data() + nodes[i].begin, nodes[i].size()});
        });
        detail::measure(rows, nodes, between, grain, n_threads, monitor);
        parallel_for(nodes.size(), 1, n_threads, monitor, [&](std::size_t i, std::size_t, std::size_t) {
            const Stretch& s = nodes[i];
            const auto first = rows.begin();
            std::nth_element(first + s.begin + 1, first + s.middle(), first + s.end);
            detail::note_range(tree, rows, s.nearer());
            detail::note_range(tree, rows, s.further());
        });
        nodes = detail::children(nodes);
    }
    parallel_for(nodes.size(), 64, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            std::sort(rows.begin() + nodes[i].begin, rows.begin() + nodes[i].end);
    });
    tree.place.resize(n);
    tree.reach.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        tree.place[i] = rows[i].row;
        tree.reach[i] = rows[i].distance;
    }
    return tree;
}

/// How much rounding can take from the triangle inequality.
///
/// With distances measured as D (query to centre) and R (centre to row), each wrong by a share e of itself and by a at
/// most, the true distance of query and row is at least |D - R| - e (D + R) - 2 a, e (D + R) rounded up to first order,
/// and the measured one loses e times itself and a once more. Four times e (D + R) + a is more than all of it.
struct Slack {
    double relative, absolute;

    Slack(double relative_error, double absolute_error) : relative(4 * relative_error), absolute(4 * absolute_error) {}

    /// Rules nothing out: for what need not obey the triangle inequality.
    static Slack boundless() { return {0, std::numeric_limits<double>::infinity()}; }

    /// No row that is `smallest` … `largest` away from the centre is measured as nearer than this. NaN if a distance is
    /// infinite: compare so that NaN rules nothing out.
    double nearest_possible(double to_centre, double smallest, double largest) const {
        const double outside = to_centre - largest - relative * (to_centre + largest);
        const double inside = smallest - to_centre - relative * (smallest + to_centre);
        return (outside > inside ? outside : inside) - absolute;
    }
};

/// The k first rows of one query.
template <class Finish>
class KNearest {
public:
    KNearest(std::size_t k, Finish finish) : best_(k), finish_(finish) {}
    void clear() {
        best_.clear();
        limit_ = std::numeric_limits<double>::infinity();
    }
    double limit() const { return limit_; }
    void offer(double compared, std::int64_t row) {
        const double before = best_.limit();
        best_.offer(compared, row);
        if (best_.limit() != before)
            limit_ = finish_(best_.limit());
    }
    const std::vector<Found>& sorted() { return best_.sorted(); }

private:
    Nearest best_;
    Finish finish_;
    double limit_ = std::numeric_limits<double>::infinity(); // as a distance
};

/// All rows of one query up to a distance.
template <class Finish>
class AllWithin {
public:
    AllWithin(double radius, std::vector<Found>& found, Finish finish)
        : radius_(radius), found_(found), finish_(finish) {}
    double limit() const { return radius_; }
    void offer(double compared, std::int64_t row) {
        if (finish_(compared) <= radius_)
            found_.push_back({compared, row});
    }

private:
    double radius_;
    std::vector<Found>& found_;
    Finish finish_;
};

/// One query on its way down. `to` measures: to(first, n, compared) the rows at positions [first, first + n),
/// n <= To::block, to.finish(compared) the distance, to.slack() what rounding can do.
template <class To, class Best>
class Descent {
public:
    Descent(const BallTreeView& tree, To& to, Best& best, Monitor& monitor)
        : tree_(tree), to_(to), best_(best), slack_(to.slack()), monitor_(monitor) {}

    void run() {
        if (tree_.levels == 0)
            scan(0, tree_.n, [](double) { return false; });
        else
            open({0, 0, tree_.n}, 0);
    }

private:
    bool too_far(double bound) const { return bound > best_.limit(); }

    double bound(const Stretch& s, double to_centre) const {
        return slack_.nearest_possible(to_centre, tree_.smallest[s.node], tree_.largest[s.node]);
    }

    void open(const Stretch& s, std::size_t level) {
        double compared;
        to_(s.begin, 1, &compared);
        best_.offer(compared, tree_.place[s.begin]);
        const double to_centre = to_.finish(compared);
        Stretch first = s.nearer(), second = s.further();
        double first_bound = bound(first, to_centre), second_bound = bound(second, to_centre);
        if (second_bound < first_bound) {
            std::swap(first, second);
            std::swap(first_bound, second_bound);
        }
        if (!too_far(first_bound))
            enter(first, level + 1, to_centre);
        if (!too_far(second_bound))
            enter(second, level + 1, to_centre);
    }

    void enter(const Stretch& s, std::size_t level, double to_centre) {
        if (level < tree_.levels)
            open(s, level);
        else
            search_leaf(s, to_centre);
    }

    /// Rows of a leaf ascend by their distance to the centre above: those that may count stand side by side.
    void search_leaf(const Stretch& s, double to_centre) {
        if (++n_leaves_ % 64 == 0)
            monitor_.check();
        const auto ruled_out = [&](double reach) { return too_far(slack_.nearest_possible(to_centre, reach, reach)); };
        const double *begin = tree_.reach + s.begin, *end = tree_.reach + s.end;
        begin = std::partition_point(begin, end, [&](double r) { return r < to_centre && ruled_out(r); });
        end = std::partition_point(begin, end, [&](double r) { return r <= to_centre || !ruled_out(r); });
        scan(static_cast<std::size_t>(begin - tree_.reach), static_cast<std::size_t>(end - tree_.reach), ruled_out);
    }

    template <class RuledOut>
    void scan(std::size_t begin, std::size_t end, RuledOut ruled_out) {
        double compared[To::block];
        for (std::size_t i = begin; i < end; i += To::block) {
            if (To::block == 1 && ruled_out(tree_.reach[i])) // where measuring is dear, every row is looked at again
                continue;
            const std::size_t n = std::min(To::block, end - i);
            to_(i, n, compared);
            for (std::size_t l = 0; l < n; ++l)
                best_.offer(compared[l], tree_.place[i + l]);
            if (end - i > To::block)
                monitor_.check();
        }
    }

    const BallTreeView& tree_;
    To& to_;
    Best& best_;
    Slack slack_;
    Monitor& monitor_;
    std::size_t n_leaves_ = 0;
};

/// The k nearest rows of each query, first by distance, then by row number. query(q) gives the `to` of query q (see
/// Descent). Requires 1 <= k <= n. About O(log n) distances a query where the metric is kind, n where it is not.
template <class Query>
void ball_nearest(const BallTreeView& tree, Query query, std::size_t n_queries, std::size_t k, double* distance,
                  std::int64_t* row, std::size_t grain, std::size_t n_threads, Monitor& monitor) {
    monitor.expect(n_queries);
    parallel_for(n_queries, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto finish = [&](double compared) { return query(begin).finish(compared); };
        KNearest best(k, finish);
        for (std::size_t q = begin; q < end; ++q) {
            auto to = query(q);
            best.clear();
            Descent(tree, to, best, monitor).run();
            monitor.check();
            const std::vector<Found>& found = best.sorted();
            for (std::size_t i = 0; i < k; ++i) {
                distance[q * k + i] = finish(found[i].distance);
                row[q * k + i] = found[i].row;
            }
        }
        monitor.step(end - begin);
    });
}

/// All rows at a distance of at most its radius of each query, first by distance, then by row number.
template <class Query>
FoundLists ball_within(const BallTreeView& tree, Query query, std::size_t n_queries, Radii radius, std::size_t grain,
                       std::size_t n_threads, Monitor& monitor) {
    std::vector<std::vector<Found>> lists(n_queries);
    monitor.expect(n_queries);
    parallel_for(n_queries, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t q = begin; q < end; ++q) {
            auto to = query(q);
            AllWithin best(radius[q], lists[q], [&](double compared) { return to.finish(compared); });
            Descent(tree, to, best, monitor).run();
            std::sort(lists[q].begin(), lists[q].end());
            monitor.check();
        }
        monitor.step(end - begin);
    });
    return end_to_end(lists, [&](double compared) { return query(0).finish(compared); });
}

} // namespace margin::neighbors
