#pragma once
// Exact distances from a query to rows, one after another.
#include "margin/neighbors/distance.hpp"
#include "margin/neighbors/nearest.hpp"
#include <cmath>
#include <cstddef>
#include <limits>

namespace margin::neighbors {

/// Columns after which a distance of sums is looked at, to see whether it is already too long.
inline constexpr std::size_t columns_before_look = 128;

/// joined<D>, or any number above `limit` if it is above that.
/// Terms are at least 0 and rounded sums never shrink as terms are added, so that the sums joined in the middle of a row
/// are a lower bound of those at its end, to the last bit.
template <class D, class T>
MARGIN_INLINED double joined_within(const double* query, const T* row, std::size_t columns, double p, double limit) {
    if constexpr (requires { D::settle(0.0, columns, p, [](std::size_t) { return 0.0; }); })
        return joined<D>(query, row, columns, p);
    else {
        double sums[n_sums] = {};
        std::size_t j = 0;
        while (j + n_sums <= columns) {
            const std::size_t stop = std::min(j + columns_before_look, columns / n_sums * n_sums);
            for (; j < stop; j += n_sums)
                for (std::size_t i = 0; i < n_sums; ++i)
                    sums[i] = D::join(sums[i], D::term(query[j + i] - static_cast<double>(row[j + i]), p));
            if (j + columns_before_look / 2 > columns)
                break; // the rest is shorter than a look
            double so_far[n_sums];
            for (std::size_t i = 0; i < n_sums; ++i)
                so_far[i] = sums[i];
            if (halved<D>(so_far) > limit)
                return std::numeric_limits<double>::infinity();
        }
        for (; j + n_sums <= columns; j += n_sums)
            for (std::size_t i = 0; i < n_sums; ++i)
                sums[i] = D::join(sums[i], D::term(query[j + i] - static_cast<double>(row[j + i]), p));
        for (std::size_t i = 0; j < columns; ++i, ++j)
            sums[i] = D::join(sums[i], D::term(query[j] - static_cast<double>(row[j]), p));
        return halved<D>(sums);
    }
}

/// out[i] = joined distance from the query to row i, or any number above `limit` if it is above that.
template <class D, class T>
MARGIN_SIMD void distances_within(const double* query, const T* rows, std::size_t n, std::size_t columns, double p,
                                  double limit, double* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = joined_within<D>(query, rows + i * columns, columns, p, limit);
}

/// Offer rows [begin, end) to `best`, which says how far is too far.
template <class D, class T, class Best>
void scan(const double* query, const T* rows, std::size_t begin, std::size_t end, std::size_t columns, double p,
          Best& best) {
    constexpr std::size_t block = 64;
    double found[block];
    for (std::size_t i = begin; i < end; i += block) {
        const std::size_t n = std::min(block, end - i);
        const double limit = best.limit();
        distances_within<D, T>(query, rows + i * columns, n, columns, p, limit, found);
        for (std::size_t l = 0; l < n; ++l)
            if (found[l] <= limit)
                best.offer(found[l], static_cast<std::int64_t>(i + l));
    }
}

/// All rows that are not further than a limit, in the order in which they are offered.
class Inside {
public:
    explicit Inside(double limit) : limit_(limit) {}
    double limit() const { return limit_; }
    void offer(double distance, std::int64_t row) {
        if (distance <= limit_)
            found_.push_back({distance, row});
    }
    /// Nearest first.
    const std::vector<Found>& sorted() {
        std::sort(found_.begin(), found_.end());
        return found_;
    }

private:
    double limit_;
    std::vector<Found> found_;
};

/// The largest joined terms whose distance is at most `radius`.
template <class D>
double joined_at(double radius, double p) {
    double joined = std::is_same_v<D, Euclidean> ? radius * radius : radius;
    while (D::finish(joined, p) > radius)
        joined = std::nextafter(joined, 0.0);
    for (double next = joined; D::finish(next, p) <= radius;) {
        joined = next;
        next = std::nextafter(next, std::numeric_limits<double>::infinity());
        if (next == joined)
            break;
    }
    return joined;
}

} // namespace margin::neighbors
