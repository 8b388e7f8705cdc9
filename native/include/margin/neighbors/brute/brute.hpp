#pragma once
// Exact neighbours without an index: all rows are looked at, most of them only coarsely. Searches are compiled for
// kernels, and know rows and distances by their functions.
#include "margin/neighbors/distances/found_lists.hpp"
#include "margin/neighbors/distances/pruned.hpp"

namespace margin::neighbors {

namespace detail {

/// Offer all rows to all queries: rows shared out, each thread with bests of its own, brought together at the end.
template <class Best, class Make>
void scan_by_rows(const ScannedRows& rows, MatrixView<const double> queries, std::vector<Best>& best, Make make,
                  std::size_t n_threads, Monitor& monitor) {
    const std::size_t cells = rows.slow_terms ? std::size_t(1) << 13 : std::size_t(1) << 18;
    const std::size_t grain = std::max<std::size_t>(64, cells / (rows.columns * queries.rows()));
    std::vector<std::vector<Best>> others(n_workers(rows.n, grain, n_threads) - 1);
    parallel_for(rows.n, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        if (worker > 0 && others[worker - 1].empty())
            for (std::size_t q = 0; q < queries.rows(); ++q)
                others[worker - 1].push_back(make(q));
        auto& mine = worker == 0 ? best : others[worker - 1];
        for (std::size_t q = 0; q < queries.rows(); ++q)
            scan(rows, queries.row(q).data(), begin, end, mine[q]);
    });
    for (auto& other : others)
        for (std::size_t q = 0; q < other.size(); ++q)
            for (const Found& found : other[q].sorted())
                best[q].offer(found.distance, found.row);
}

/// Offer all rows to all queries: queries shared out, tiles of rows staying in the cache for a few of them.
template <class Best>
void scan_by_queries(const ScannedRows& rows, MatrixView<const double> queries, std::vector<Best>& best,
                     std::size_t n_threads, Monitor& monitor) {
    const std::size_t cells = rows.slow_terms ? std::size_t(1) << 13 : std::size_t(1) << 15;
    const std::size_t tile = std::max<std::size_t>(1, cells / rows.columns);
    parallel_for(queries.rows(), 8, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t row = 0; row < rows.n; row += tile) {
            monitor.check();
            for (std::size_t q = begin; q < end; ++q)
                scan(rows, queries.row(q).data(), row, std::min(rows.n, row + tile), best[q]);
        }
        monitor.step(end - begin);
    });
}

/// Offer every row that matters to best[q], in the way that is quickest for so many queries and neighbours.
template <class Best, class Make>
void search(const ScannedRows& rows, MatrixView<const double> queries, const CoarseBound& bound,
            std::vector<Best>& best, Make make, std::size_t k, std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = rows.n, m = queries.rows();
    const auto pruned = [&]<class C>() {
        const Grid grid = rows.with_row(0, [&](const auto* cells) { return choose_grid<C>(cells, n, rows.columns); });
        if (grid.per_step == 0)
            return false;
        PrunedSearch<C, Best>(rows, queries, bound.factor, grid, best, n_threads, monitor).run();
        return true;
    };
    // Rounding the rows costs as much as a plain look of a few queries, unless terms take long.
    const std::size_t few = rows.slow_terms ? 1 : 8;
    if (m >= few && n >= 256 && k <= n / 4 && rows.columns <= most_coarse_columns && with_kernels_of(bound, pruned))
        return;
    if (m == 1 || (m <= 64 && m * k <= std::size_t(1) << 20))
        scan_by_rows(rows, queries, best, make, n_threads, monitor);
    else
        scan_by_queries(rows, queries, best, n_threads, monitor);
}

/// Queries in batches whose bests fit into 64 MB, or of eight: make(number of the query) the best to fill, give(number, best)
/// what to do with it.
template <class Make, class Give>
void search_in_batches(const ScannedRows& rows, MatrixView<const double> queries, const CoarseBound& bound,
                       std::size_t k, Make make, Give give, std::size_t n_threads, Monitor& monitor) {
    const std::size_t m = queries.rows(), bytes = 16 * k + 2 * queries.columns() + 64;
    const std::size_t batch = std::max<std::size_t>(8, (std::size_t(64) << 20) / bytes);
    for (std::size_t first = 0; first < m; first += batch) {
        const std::size_t last = std::min(m, first + batch);
        std::vector<decltype(make(first))> best;
        best.reserve(last - first);
        for (std::size_t q = first; q < last; ++q)
            best.push_back(make(q));
        search(
            rows, queries.slice(first, last), bound, best, [&](std::size_t q) { return make(first + q); }, k, n_threads,
            monitor);
        for (std::size_t q = first; q < last; ++q)
            give(q, best[q - first]);
    }
}

} // namespace detail

/// The rows around each query: those of query q stand at start[q] … start[q + 1].
struct Surroundings {
    std::vector<std::int64_t> start{0};
    std::vector<double> distance;
    std::vector<std::int64_t> row;
};

namespace detail {

inline void nearest_rows(const ScannedRows& rows, MatrixView<const double> queries, const CoarseBound& bound,
                         std::size_t k, double* distance, std::int64_t* row, std::size_t n_threads, Monitor& monitor) {
    search_in_batches(
        rows, queries, bound, k, [k](std::size_t) { return Nearest(k); },
        [&](std::size_t q, Nearest& best) {
            const auto& sorted = best.sorted();
            for (std::size_t i = 0; i < k; ++i) {
                distance[q * k + i] = rows.finish(sorted[i].distance, rows.p);
                row[q * k + i] = sorted[i].row;
            }
        },
        n_threads, monitor);
}

inline Surroundings rows_within(const ScannedRows& rows, MatrixView<const double> queries, const CoarseBound& bound,
                                Radii radius, std::size_t n_threads, Monitor& monitor) {
    Surroundings found;
    search_in_batches(
        rows, queries, bound, 1, [&](std::size_t q) { return Inside(rows.joined_at(radius[q], rows.p)); },
        [&](std::size_t, Inside& inside) {
            for (const Found& one : inside.sorted()) {
                found.distance.push_back(rows.finish(one.distance, rows.p));
                found.row.push_back(one.row);
            }
            found.start.push_back(static_cast<std::int64_t>(found.row.size()));
        },
        n_threads, monitor);
    return found;
}

} // namespace detail

/// The k nearest rows of each query, nearest first; of equally far rows the smaller number. distance and row are
/// n_queries x k. The bits are those of looking at every row with joined<D>, for any number of threads.
/// Requires finite rows of at most 1e150, finite queries, 1 <= k <= n_rows, at least one column.
/// O(n_queries n_rows columns) time in the worst case; memory of 4 MB, a byte for each cell of the queries in hand and
/// 16 k for each of them.
template <class D, class T>
void nearest_rows(MatrixView<const T> rows, MatrixView<const double> queries, std::size_t k, double p, double* distance,
                  std::int64_t* row, std::size_t n_threads, Monitor& monitor) {
    detail::nearest_rows(scanned<D>(rows, p), queries, coarse_bound<D>(rows.columns(), p), k, distance, row, n_threads,
                         monitor);
}

/// All rows at a distance of at most its radius, >= 0, from each query, in the order of nearest_rows. As that otherwise.
template <class D, class T>
Surroundings rows_within(MatrixView<const T> rows, MatrixView<const double> queries, Radii radius, double p,
                         std::size_t n_threads, Monitor& monitor) {
    return detail::rows_within(scanned<D>(rows, p), queries, coarse_bound<D>(rows.columns(), p), radius, n_threads,
                               monitor);
}

} // namespace margin::neighbors
