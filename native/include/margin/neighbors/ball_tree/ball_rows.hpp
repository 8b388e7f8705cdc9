#pragma once
// Rows of numbers in a tree of balls.
#include "ball_tree.hpp"
#include "margin/neighbors/distances/general_distance.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace margin::neighbors {

/// A metric between numbers and rows, as functions: trees are compiled once for all metrics and types of rows.
struct RowMetric {
    /// out[i] = what decides between query and row first + i
    void (*compare)(const double* query, const void* rows, std::size_t first, std::size_t n, std::size_t columns,
                    double p, double* out);
    double (*finish)(double compared, std::size_t columns, double p);
    Slack (*slack)(std::size_t columns, double largest, double p);
    std::vector<double> (*row)(const void* rows, std::size_t at, std::size_t columns);
};

namespace detail {

template <class M, class T>
MARGIN_SIMD_LOOK void compare_rows(const double* query, const void* rows, std::size_t first, std::size_t n,
                                   std::size_t columns, double p, double* out) {
    const T* cells = static_cast<const T*>(rows) + first * columns;
    for (std::size_t i = 0; i < n; ++i)
        out[i] = M::compare(query, cells + i * columns, columns, p);
}

template <class M>
Slack slack_of(std::size_t columns, double largest, double p) {
    if constexpr (requires { M::is_metric(p), M::relative_error(columns, p), M::absolute_error(columns, p, p); })
        if (M::is_metric(p))
            return {M::relative_error(columns, p), M::absolute_error(columns, largest, p)};
    return Slack::boundless();
}

template <class T>
std::vector<double> row_of(const void* rows, std::size_t at, std::size_t columns) {
    const T* cells = static_cast<const T*>(rows) + at * columns;
    return {cells, cells + columns};
}

} // namespace detail

template <class M, class T>
RowMetric row_metric() noexcept {
    return {&detail::compare_rows<M, T>, &M::finish, &detail::slack_of<M>, &detail::row_of<T>};
}

/// One query against rows of numbers, which stand in the order of the tree.
struct ToRows {
    static constexpr std::size_t block = 128;
    const RowMetric& metric;
    const double* query;
    const void* rows;
    std::size_t columns;
    double p, largest; // of the rows' cells

    void operator()(std::size_t first, std::size_t n, double* compared) const {
        metric.compare(query, rows, first, n, columns, p, compared);
    }
    double finish(double compared) const { return metric.finish(compared, columns, p); }
    Slack slack() const {
        double most = largest;
        for (std::size_t j = 0; j < columns; ++j)
            most = std::max(most, std::abs(query[j]));
        return metric.slack(columns, most, p);
    }
};

/// Any of several queries.
struct ToEach {
    RowMetric metric;
    const double* queries;
    const void* rows;
    std::size_t columns;
    double p, largest;

    ToRows operator()(std::size_t q) const { return {metric, queries + q * columns, rows, columns, p, largest}; }
};

/// Distances of training rows to one of them, for building.
struct BetweenRows {
    RowMetric metric;
    const void* rows;
    std::size_t columns;
    double p;

    void operator()(std::int64_t centre, Found* first, Found* last) const {
        const std::vector<double> query = metric.row(rows, static_cast<std::size_t>(centre), columns);
        for (; first < last; ++first) {
            double compared;
            metric.compare(query.data(), rows, static_cast<std::size_t>(first->row), 1, columns, p, &compared);
            first->distance = metric.finish(compared, columns, p);
        }
    }
};

} // namespace margin::neighbors
