#pragma once
// Rows of numbers in a tree of balls.
#include "ball_tree.hpp"
#include "margin/neighbors/distances/general_distance.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace margin::neighbors {

template <class M, class T>
MARGIN_SIMD void compare_rows(const double* query, const T* rows, std::size_t n, std::size_t columns, double p,
                              double* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = M::compare(query, rows + i * columns, columns, p);
}

/// One query against rows of numbers, which stand in the order of the tree.
template <class M, class T>
struct ToRows {
    static constexpr std::size_t block = 128;
    const double* query;
    const T* rows;
    std::size_t columns;
    double p, largest; // of the rows' cells

    void operator()(std::size_t first, std::size_t n, double* compared) const {
        compare_rows<M, T>(query, rows + first * columns, n, columns, p, compared);
    }
    double finish(double compared) const { return M::finish(compared, columns, p); }
    Slack slack() const {
        if constexpr (requires { M::is_metric(p), M::relative_error(columns, p), M::absolute_error(columns, p, p); })
            if (M::is_metric(p)) {
                double most = largest;
                for (std::size_t j = 0; j < columns; ++j)
                    most = std::max(most, std::abs(query[j]));
                return {M::relative_error(columns, p), M::absolute_error(columns, most, p)};
            }
        return Slack::boundless();
    }
};

/// Any of several queries.
template <class M, class T>
struct ToEach {
    const double* queries;
    const T* rows;
    std::size_t columns;
    double p, largest;

    ToRows<M, T> operator()(std::size_t q) const { return {queries + q * columns, rows, columns, p, largest}; }
};

/// Distances of training rows to one of them, for building.
template <class M, class T>
struct BetweenRows {
    const T* rows;
    std::size_t columns;
    double p;

    void operator()(std::int64_t centre, Found* first, Found* last) const {
        const T* cells = rows + static_cast<std::size_t>(centre) * columns;
        const std::vector<double> query(cells, cells + columns);
        for (; first < last; ++first) {
            double compared;
            compare_rows<M, T>(query.data(), rows + static_cast<std::size_t>(first->row) * columns, 1, columns, p,
                               &compared);
            first->distance = M::finish(compared, columns, p);
        }
    }
};

} // namespace margin::neighbors
