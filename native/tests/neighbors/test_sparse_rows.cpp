// margin/neighbors/sparse/sparse_rows.hpp and what it is made of
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/sparse/sparse_rows.hpp"

using namespace margin;
using namespace margin::neighbors;

namespace {

/// Rows written out, and the same as CSR.
template <class T, class Index>
struct Both {
    std::vector<double> dense;
    std::vector<T> values;
    std::vector<Index> columns;
    std::vector<std::int64_t> start{0};

    Both(std::size_t n, std::size_t width, double share, std::uint64_t seed) : dense(n * width) {
        Stream stream(seed, n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < width; ++j)
                if (stream.uniform01() < (j < 3 ? 0.5 : share)) {
                    const T cell = static_cast<T>(stream.below(2) ? stream.uniform01() - 0.3 : 1.0);
                    dense[i * width + j] = static_cast<double>(cell);
                    values.push_back(cell);
                    columns.push_back(static_cast<Index>(j));
                }
            start.push_back(static_cast<std::int64_t>(values.size()));
        }
    }
};

template <class M>
double by_definition(const double* a, const double* b, std::size_t width, double p) {
    if (!M::unit)
        return joined<typename M::D, double>(a, b, width, p);
    std::vector<double> unit_a(width), unit_b(width), zeros(width);
    const double length_a = std::sqrt(joined<Euclidean>(a, zeros.data(), width, 2.0));
    const double length_b = std::sqrt(joined<Euclidean>(b, zeros.data(), width, 2.0));
    bool common = false;
    for (std::size_t j = 0; j < width; ++j) {
        unit_a[j] = length_a > 0 ? a[j] / length_a : 0;
        unit_b[j] = length_b > 0 ? b[j] / length_b : 0;
        common |= a[j] != 0 && b[j] != 0;
    }
    if (!common)
        return length_a == 0 && length_b == 0 ? 0 : 2;
    return joined<Euclidean>(unit_a.data(), unit_b.data(), width, 2.0);
}

template <class M, class T>
void agrees_with_sorting(std::size_t n, std::size_t width, double share) {
    Monitor monitor;
    const double p = 3;
    const std::size_t m = 5, k = std::min<std::size_t>(n, 9);
    const Both<T, std::int32_t> rows(n, width, share, 1);
    const Both<double, std::int64_t> queries(m, width, share, 2);
    const SparseTable<T> table{rows.values.data(), rows.columns.data(), rows.start.data(), n, width};
    const SparsePostings made = make_postings<M>(table, p, monitor);
    const SparseIndex<T> index{table,           made.length.data(), made.size.data(),    made.start.data(),
                               made.row.data(), made.value.data(),  made.written.data(), made.table.data(),
                               made.stride,     made.most_stored,   made.scale,          p};
    const SparseQueries asked{queries.values.data(), queries.columns.data(), queries.start.data(), m, width};
    std::vector<double> distance(m * k);
    std::vector<std::int64_t> row(m * k);
    sparse_nearest<M>(index, asked, k, distance.data(), row.data(), 3, monitor);
    const double radius = distance[k - 1];
    const FoundLists near = sparse_within<M>(index, asked, radius, 3, monitor);
    for (std::size_t q = 0; q < m; ++q) {
        std::vector<Found> all;
        std::int64_t n_near = 0;
        for (std::size_t i = 0; i < n; ++i) {
            all.push_back({by_definition<M>(queries.dense.data() + q * width, rows.dense.data() + i * width, width, p),
                           static_cast<std::int64_t>(i)});
            n_near += M::finish(all.back().distance, p) <= radius;
        }
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < k; ++i)
            CHECK(row[q * k + i] == all[i].row && distance[q * k + i] == M::finish(all[i].distance, p));
        CHECK(near.start[q + 1] - near.start[q] == n_near);
        for (std::int64_t i = 0; i < n_near; ++i)
            CHECK(near.row[near.start[q] + i] == all[i].row);
    }
}

} // namespace

TEST("neighbours of sparse rows are to the last bit those of the rows written out") {
    for (const auto name : SparseMetrics::names())
        SparseMetrics::visit(name, []<class M>() {
            for (const std::size_t n : {1, 2, 15, 16, 17, 300})
                for (const double share : {0.01, 0.1, 0.6}) {
                    agrees_with_sorting<M, double>(n, 30, share);
                    agrees_with_sorting<M, float>(n, 7, share);
                }
            agrees_with_sorting<M, float>(2 * sparse_block + 5, 20, 0.05);
        });
}

TEST("a row that shares nothing with the query keeps the sum it began with") {
    float sums[16];
    std::fill_n(sums, 16, -0.0f);
    std::vector<float> cells(16, -0.0f);
    cells[3] = smallest_cell;
    const WrittenColumn column{cells.data(), smallest_cell};
    neighbors::detail::add_written<SparseFilter::dot>(&column, 1, 0, 16, sums);
    for (std::size_t i = 0; i < 16; ++i)
        CHECK(i == 3 ? sums[i] > 0 : sums[i] == 0 && std::signbit(sums[i]));
}

TEST("overlaps are the smaller magnitude where signs agree") {
    CHECK(neighbors::detail::term<SparseFilter::overlap>(2.0f, 3.0f) == 2.0f);
    CHECK(neighbors::detail::term<SparseFilter::overlap>(-2.0f, -1.0f) == 1.0f);
    CHECK(neighbors::detail::term<SparseFilter::overlap>(-2.0f, 1.0f) == 0.0f);
    CHECK(neighbors::detail::term<SparseFilter::overlap>(2.0f, -0.0f) == 0.0f);
}
