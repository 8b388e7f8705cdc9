// margin/neighbors/brute.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/brute.hpp"
#include <algorithm>

using namespace margin;
using namespace margin::neighbors;

namespace {

template <class D>
double slow(const double* a, const double* b, std::size_t columns, double p) {
    double s = 0;
    for (std::size_t j = 0; j < columns; ++j)
        s = D::join(s, D::term(a[j] - b[j], p));
    if constexpr (requires { D::settle(s, columns, p, [](std::size_t) { return 0.0; }); })
        s = D::settle(s, columns, p, [=](std::size_t j) { return a[j] - b[j]; });
    return D::finish(s, p);
}

std::vector<double> in_blocks(const std::vector<double>& rows, std::size_t columns) {
    const std::size_t n = rows.size() / columns, n_blocks = (n + block_rows - 1) / block_rows;
    const std::size_t wide = (columns + column_group - 1) / column_group * column_group;
    std::vector<double> blocks(n_blocks * wide * block_rows);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            blocks[(i / block_rows * wide + j) * block_rows + i % block_rows] = rows[i * columns + j];
    return blocks;
}

template <class D>
void agrees_with_sorting(std::size_t columns) {
    Monitor monitor;
    Stream stream(columns, 1);
    const std::size_t n = 137, m = 21, k = 4;
    std::vector<double> rows(n * columns), queries(m * columns);
    for (double& cell : rows)
        cell = static_cast<double>(stream.below(3)); // many ties
    for (double& cell : queries)
        cell = static_cast<double>(stream.below(3));
    std::vector<double> distance(m * k);
    std::vector<std::int64_t> row(m * k);
    nearest<D, double>(in_blocks(rows, columns).data(), n, queries.data(), m, columns, k, 3.0, distance.data(),
                       row.data(), 3, monitor);
    for (std::size_t q = 0; q < m; ++q) {
        std::vector<std::pair<double, std::int64_t>> all;
        for (std::size_t i = 0; i < n; ++i)
            all.emplace_back(slow<D>(queries.data() + q * columns, rows.data() + i * columns, columns, 3.0),
                             static_cast<std::int64_t>(i));
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < k; ++i) {
            CHECK(row[q * k + i] == all[i].second);
            CHECK_NEAR(distance[q * k + i], all[i].first, 1e-12);
        }
    }
}

} // namespace

TEST("the nearest rows are those that sorting all distances gives") {
    for (std::size_t columns : {1, 3, 16, 17, 40}) {
        agrees_with_sorting<Euclidean>(columns);
        agrees_with_sorting<Manhattan>(columns);
        agrees_with_sorting<Chebyshev>(columns);
    }
    agrees_with_sorting<Minkowski>(2);
}

TEST("high powers of small and large differences neither vanish nor overflow") {
    for (const double unit : {1e-10, 1.0, 1e10}) {
        const double a[2] = {0, 0}, b[2] = {3 * unit, 4 * unit};
        CHECK_NEAR(slow<Minkowski>(a, b, 2, 50.0) / unit, 4.0000000453, 1e-9);
    }
}

TEST("infinite distances are still neighbours") {
    Monitor monitor;
    const std::vector<double> rows{1e300, -1e300}, queries{-1e300};
    std::vector<double> distance(2);
    std::vector<std::int64_t> row(2);
    nearest<Euclidean, double>(in_blocks(rows, 1).data(), 2, queries.data(), 1, 1, 2, 2.0, distance.data(), row.data(),
                               1, monitor);
    CHECK(row == std::vector<std::int64_t>({1, 0}));
}
