#pragma once
// The k best rows of one query.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::neighbors {

/// A row and how far it is; of equally far ones the smaller row number comes first.
struct Found {
    double distance;
    std::int64_t row;
    friend bool operator<(const Found& a, const Found& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.row < b.row);
    }
};

/// The k first of all rows offered, in any order of offering.
/// offer() costs O(1) for a row that is too far, O(k) for few and O(log k) for many neighbours otherwise.
class Nearest {
public:
    explicit Nearest(std::size_t k) : k_(k) { best_.reserve(k); }

    void clear() {
        best_.clear();
        limit_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
    }

    /// Rows further away than this need not be offered; rows at this very distance may still come in.
    double limit() const { return limit_.distance; }

    /// Where even distance 0 comes too late: rows from this number on need not be offered if limit() is 0.
    std::int64_t last_row() const { return limit_.row; }

    void offer(double distance, std::int64_t row) {
        const Found found{distance, row};
        if (!(found < limit_))
            return;
        if (k_ <= few)
            insert(found);
        else
            push(found);
    }

    /// Nearest first. Only clear() may follow.
    const std::vector<Found>& sorted() {
        if (k_ > few)
            std::sort(best_.begin(), best_.end());
        return best_;
    }

private:
    static constexpr std::size_t few = 32;

    void insert(const Found& found) {
        if (best_.size() < k_)
            best_.push_back(found);
        std::size_t at = best_.size() - 1;
        for (; at > 0 && found < best_[at - 1]; --at)
            best_[at] = best_[at - 1];
        best_[at] = found;
        if (best_.size() == k_)
            limit_ = best_.back();
    }

    void push(const Found& found) { // a heap with the last of the best on top
        if (best_.size() == k_) {
            std::pop_heap(best_.begin(), best_.end());
            best_.back() = found;
        } else {
            best_.push_back(found);
        }
        std::push_heap(best_.begin(), best_.end());
        if (best_.size() == k_)
            limit_ = best_.front();
    }

    std::size_t k_;
    std::vector<Found> best_;
    Found limit_{std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
};

} // namespace margin::neighbors
