// margin/neighbors/brute/brute.hpp and what it is made of
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/brute/brute.hpp"

using namespace margin;
using namespace margin::neighbors;

namespace {

std::vector<double> numbers(std::size_t n, std::uint64_t seed, double scale = 1) {
    Stream stream(seed, 1);
    std::vector<double> list(n);
    for (double& one : list)
        one = (static_cast<double>(stream.below(2000001)) - 1e6) * 1e-6 * scale;
    return list;
}

/// Both kernels of a family on one panel and group of random bytes: the same masks.
template <class C>
void kernels_agree(std::size_t columns, std::uint64_t seed) {
    Stream stream(seed, 2);
    std::vector<std::uint8_t> panel(C::rows * columns), group(C::group * columns);
    const int sides = C::squared ? 0 : C::shift;
    for (auto& cell : panel)
        cell = static_cast<std::uint8_t>(static_cast<int>(stream.below(2 * C::half + 1)) - C::half + C::shift);
    for (auto& cell : group)
        cell = static_cast<std::uint8_t>(static_cast<int>(stream.below(2 * C::half + 1)) - C::half + sides);
    std::vector<std::int32_t> starts(C::rows, 0), limits(C::group);
    if (C::squared)
        for (auto& start : starts)
            start = -static_cast<std::int32_t>(stream.below(100000));
    const int span = C::largest ? 300 : static_cast<int>(200 * columns);
    for (auto& limit : limits)
        limit = static_cast<std::int32_t>(stream.below(static_cast<std::size_t>(span))) - span / 10;
    std::uint32_t plain[C::group] = {}, here[C::group] = {};
    const bool any = C::plain(panel.data(), starts.data(), group.data(), columns, limits.data(), plain);
    CHECK(any == coarse_kernel<C>()(panel.data(), starts.data(), group.data(), columns, limits.data(), here));
    for (std::size_t q = 0; any && q < C::group; ++q)
        CHECK(plain[q] == here[q]);
}

template <class D, class T>
void row_distances_agree(std::size_t columns) {
    const std::size_t n = 7;
    const auto query = numbers(columns, columns);
    const auto wide = numbers(n * columns, 99);
    const std::vector<T> rows(wide.begin(), wide.end());
    std::vector<double> found(n);
    const auto distances = row_distances<D, T>();
    distances(query.data(), rows.data(), n, columns, 3.0, 1e300, found.data());
    for (std::size_t i = 0; i < n; ++i)
        CHECK(found[i] == joined<D>(query.data(), rows.data() + i * columns, columns, 3.0));
    const double limit = found[3];
    distances(query.data(), rows.data(), n, columns, 3.0, limit, found.data());
    for (std::size_t i = 0; i < n; ++i) {
        const double exact = joined<D>(query.data(), rows.data() + i * columns, columns, 3.0);
        CHECK(exact <= limit ? found[i] == exact : found[i] > limit);
    }
}

/// A search with given kernels against offering every row.
template <class D, class C>
void finds_what_a_plain_scan_finds(std::size_t n, std::size_t m, std::size_t columns, double p, double factor,
                                   CoarseKernel kernel) {
    Monitor monitor;
    const auto rows = numbers(n * columns, n), queries = numbers(m * columns, 7);
    const std::size_t k = 3;
    std::vector<Nearest> best(m, Nearest(k));
    const Grid grid = choose_grid<C>(rows.data(), n, columns);
    CHECK(grid.per_step > 0);
    PrunedSearch<C, Nearest>(scanned<D>(MatrixView<const double>(rows.data(), n, columns), p),
                             {queries.data(), m, columns}, factor, grid, best, 3, monitor, kernel)
        .run();
    for (std::size_t q = 0; q < m; ++q) {
        Nearest all(k);
        for (std::size_t i = 0; i < n; ++i)
            all.offer(joined<D>(queries.data() + q * columns, rows.data() + i * columns, columns, p),
                      static_cast<std::int64_t>(i));
        for (std::size_t i = 0; i < k; ++i) {
            CHECK(best[q].sorted()[i].row == all.sorted()[i].row);
            CHECK(best[q].sorted()[i].distance == all.sorted()[i].distance);
        }
    }
}

/// Rows and queries on a grid of whole numbers, nearly half a step off it, so that rounding drives them apart as far as
/// it can: with a limit at its true distance each row still passes.
template <class D, class C>
void no_row_within_the_limit_is_lost(std::size_t columns, double span) {
    Grid grid{std::vector<std::uint32_t>(columns), std::vector<double>(columns), 1.0};
    for (std::size_t j = 0; j < columns; ++j)
        grid.columns[j] = static_cast<std::uint32_t>(C::most_spread_first ? columns - 1 - j : j);
    Stream stream(columns, 5);
    std::vector<double> row(columns), query(columns);
    for (std::size_t j = 0; j < columns; ++j) {
        row[j] = std::rint(span * numbers(1, stream.below(1000))[0]);
        query[j] = std::rint(span * numbers(1, stream.below(1000))[0]);
        const double off = row[j] < query[j] ? -0.4999 : 0.4999;
        row[j] -= off, query[j] += off; // nearer than their roundings by a step
    }
    CoarseRows<C> panel(1, columns);
    panel.fill(0, row.data(), 1, columns, grid);
    CoarseQueries<C> group(1, columns);
    group.fill(0, query.data(), grid);
    const double distance = D::finish(joined<D>(query.data(), row.data(), columns, 2), 2);
    std::uint32_t masks[C::group];
    const auto passes = [&] {
        return coarse_kernel<C>()(panel.cells.data(), panel.starts.data(), group.cells.data(), padded_columns(columns),
                                  group.limits.data(), masks) &&
               (masks[0] & 1);
    };
    group.set_limit(0, distance, panel.errors[0]);
    CHECK(passes());
    group.set_limit(0, distance / 2, panel.errors[0]);
    CHECK(span > C::half || columns < 3 || !passes());
}

template <class D>
void with_both_kernels(std::size_t n, std::size_t m, std::size_t columns, double p) {
    with_coarse_kernels<D>(columns, p, [&]<class C>(double factor) {
        for (const auto kernel : {&C::plain, coarse_kernel<C>()})
            finds_what_a_plain_scan_finds<D, C>(n, m, columns, p, factor, kernel);
    });
}

} // namespace

TEST("plain and vector kernels let the same rows pass") {
    for (std::uint64_t seed = 0; seed < 40; ++seed)
        for (const std::size_t columns : {8, 16, 72}) {
            kernels_agree<CoarseSquares>(columns, seed);
            kernels_agree<CoarseSums>(columns, seed);
            kernels_agree<CoarseLargest>(columns, seed);
        }
}

TEST("extreme cells do not overflow on the way to a product") {
    const std::size_t columns = 80;
    std::vector<std::uint8_t> panel(CoarseSquares::rows * columns, 127), group(CoarseSquares::group * columns);
    for (const int sign : {1, -1}) {
        std::fill(group.begin(), group.end(), static_cast<std::uint8_t>(63 * sign));
        const std::int32_t product = sign * 127 * 63 * static_cast<std::int32_t>(columns);
        const std::vector<std::int32_t> starts(CoarseSquares::rows, 0);
        for (const int at : {-1, 0}) {
            const std::vector<std::int32_t> limits(CoarseSquares::group, product + at);
            std::uint32_t masks[CoarseSquares::group];
            CHECK(coarse_kernel<CoarseSquares>()(panel.data(), starts.data(), group.data(), columns, limits.data(),
                                                 masks) == (at < 0));
        }
    }
}

TEST("distances to rows are the joined terms to the last bit, or above the limit") {
    for (const std::size_t columns : {1, 3, 4, 5, 7, 8, 9, 15, 64, 127, 200, 401}) {
        for (const auto name : Distances::names())
            Distances::visit(name, [&]<class D>() {
                row_distances_agree<D, double>(columns);
                row_distances_agree<D, float>(columns);
            });
    }
}

TEST("rounding and clamping never push a row beyond its own distance") {
    for (const double span : {30.0, 60.0, 500.0})
        for (const std::size_t columns : {1, 2, 5, 8, 17, 100}) {
            no_row_within_the_limit_is_lost<Euclidean, CoarseSquares>(columns, span);
            no_row_within_the_limit_is_lost<Manhattan, CoarseSums>(columns, span);
            no_row_within_the_limit_is_lost<Chebyshev, CoarseLargest>(columns, span);
        }
}

TEST("a pruned search finds what a plain scan finds") {
    for (const auto name : Distances::names())
        Distances::visit(name, [&]<class D>() {
            for (const double p : {0.7, 1.5, 3.0}) {
                with_both_kernels<D>(301, 13, 5, p);
                with_both_kernels<D>(64, 4, 33, p);
                with_both_kernels<D>(3, 1, 1, p);
            }
        });
}

TEST("the joined terms of a radius are the last ones whose distance is not above it") {
    for (const double radius : {0.0, 1e-170, 1e-160, 0.1, 0.3, 1.0, 3.3e7, 1e153, 1e200}) {
        const double joined = joined_at<Euclidean>(radius, 2);
        CHECK(std::sqrt(joined) <= radius);
        CHECK(std::sqrt(std::nextafter(joined, std::numeric_limits<double>::infinity())) > radius);
    }
    const double all = std::numeric_limits<double>::infinity();
    CHECK(joined_at<Euclidean>(all, 2) == all);
    CHECK(joined_at<Manhattan>(0.3, 1) == 0.3);
}

TEST("rows of one value, of numbers too small or too large have no grid") {
    for (const double value : {0.0, 5.0}) {
        const std::vector<double> rows(20, value);
        CHECK(choose_grid<CoarseSquares>(rows.data(), 10, 2).per_step == 0);
    }
    const auto tiny = numbers(40, 1, 1e-200);
    CHECK(choose_grid<CoarseSums>(tiny.data(), 20, 2).per_step == 0);
}

TEST("whole numbers fall on the grid, so that nothing is rounded") {
    std::vector<double> rows;
    for (int i = 0; i < 60; ++i)
        rows.push_back(i * 7 % 17);
    const Grid grid = choose_grid<CoarseSquares>(rows.data(), 20, 3);
    std::int8_t cells[8];
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(round_row<CoarseSquares>(rows.data() + 3 * i, grid, cells).error == 0);
}

TEST("a cancelled search stops") {
    Monitor monitor;
    monitor.cancel();
    const auto rows = numbers(3000, 1);
    std::vector<double> distance(300);
    std::vector<std::int64_t> row(300);
    CHECK_THROWS(Cancelled, nearest_rows<Euclidean, double>({rows.data(), 300, 10}, {rows.data(), 300, 10}, 1, 2,
                                                            distance.data(), row.data(), 2, monitor));
}
