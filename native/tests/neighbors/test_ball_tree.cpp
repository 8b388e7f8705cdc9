// margin/neighbors/ball_tree/ball_tree.hpp, ball_rows.hpp, general_distance.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/ball_tree/ball_rows.hpp"

using namespace margin;
using namespace margin::neighbors;

namespace {

BallTreeView view(const BallTree& tree) {
    return {tree.levels,       tree.place.size(),    tree.place.data(),
            tree.reach.data(), tree.smallest.data(), tree.largest.data()};
}

template <class M, class T>
void agrees_with_sorting(std::size_t n, std::size_t columns, std::size_t leaf_size, std::size_t k) {
    Monitor monitor;
    Stream stream(n, columns);
    const std::size_t m = 9;
    const double p = 3;
    std::vector<T> rows(n * columns), ordered(n * columns);
    std::vector<double> queries(m * columns);
    for (T& cell : rows)
        cell = static_cast<T>(stream.below(4)) - 1; // many ties
    for (double& cell : queries)
        cell = static_cast<double>(stream.below(4)) - 1;
    const BetweenRows between{row_metric<M, T>(), rows.data(), columns, p};
    const BallTree tree = build_ball_tree(n, leaf_size, between, 64, 3, monitor);
    for (std::size_t i = 0; i < n; ++i)
        std::copy_n(rows.begin() + tree.place[i] * columns, columns, ordered.begin() + i * columns);
    const ToEach to{row_metric<M, T>(), queries.data(), ordered.data(), columns, p, 3.0};
    std::vector<double> distance(m * k);
    std::vector<std::int64_t> row(m * k);
    ball_nearest(view(tree), to, m, k, distance.data(), row.data(), 2, 3, monitor);
    const FoundLists near = ball_within(view(tree), to, m, 1.0, 2, 3, monitor);
    for (std::size_t q = 0; q < m; ++q) {
        std::vector<Found> all;
        std::size_t n_near = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double* query = queries.data() + q * columns;
            all.push_back({M::compare(query, rows.data() + i * columns, columns, p), static_cast<std::int64_t>(i)});
            n_near += M::finish(all.back().distance, columns, p) <= 1.0;
        }
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < k; ++i) {
            CHECK(row[q * k + i] == all[i].row);
            CHECK(distance[q * k + i] == M::finish(all[i].distance, columns, p));
        }
        const auto first = static_cast<std::size_t>(near.start[q]), last = static_cast<std::size_t>(near.start[q + 1]);
        CHECK(last - first == n_near);
        for (std::size_t i = first; i < last; ++i)
            CHECK(near.row[i] == all[i - first].row && near.distance[i] <= 1.0);
    }
}

} // namespace

TEST("the nearest rows are those that sorting all distances gives, for every metric and shape of tree") {
    for (const auto name : Metrics::names())
        Metrics::visit(name, []<class M>() {
            const std::size_t columns = M::name == Haversine::name ? 2 : 3;
            for (const std::size_t n : {1, 2, 3, 5, 8, 64, 501})
                for (const std::size_t leaf_size : {1, 2, 7, 1000}) {
                    agrees_with_sorting<M, double>(n, columns, leaf_size, std::min<std::size_t>(n, 4));
                    agrees_with_sorting<M, float>(n, columns, leaf_size, n);
                }
        });
    agrees_with_sorting<Canberra, double>(300, 19, 5, 3);
    agrees_with_sorting<Hamming, float>(300, 19, 5, 3);
}

TEST("leaves hold no more rows than asked for") {
    for (std::size_t n = 1; n < 200; ++n)
        for (const std::size_t leaf_size : {1, 2, 3, 10}) {
            std::vector<Stretch> nodes{{0, 0, n}};
            for (std::size_t level = 0; level < ball_levels(n, leaf_size); ++level) {
                for (const Stretch& s : nodes)
                    CHECK(s.size() >= 1);
                nodes = neighbors::detail::children(nodes);
            }
            for (const Stretch& s : nodes)
                CHECK(s.size() <= leaf_size);
        }
}

TEST("a cancelled build ends") {
    Monitor monitor;
    monitor.cancel();
    const std::vector<double> rows(1000);
    const BetweenRows between{row_metric<Canberra, double>(), rows.data(), 1, 2.0};
    CHECK_THROWS(Cancelled, build_ball_tree(1000, 1, between, 64, 1, monitor));
}
