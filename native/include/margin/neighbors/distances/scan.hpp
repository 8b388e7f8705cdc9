#pragma once
// Rows offered to a query one after another, and what it keeps of them.
#include "nearest.hpp"
#include "row_distance.hpp"
#include <cmath>

namespace margin::neighbors {

/// Offer rows [begin, end) to `best`, which says how far is too far.
template <class D, class T, class Best>
void scan(const double* query, const T* rows, std::size_t begin, std::size_t end, std::size_t columns, double p,
          Best& best) {
    constexpr std::size_t block = 64;
    const RowDistances<T> distances = row_distances<D, T>();
    double found[block];
    for (std::size_t i = begin; i < end; i += block) {
        const std::size_t n = std::min(block, end - i);
        const double limit = best.limit();
        distances(query, rows + i * columns, n, columns, p, limit, found);
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
    double joined = D::unfinished(radius, p);
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
