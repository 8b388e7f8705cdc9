#pragma once
// Exact neighbours of mixed rows: boxes and coarse cells throw rows away, the definition decides on the rest.
#include "margin/neighbors/distances/found_lists.hpp"
#include "mixed_sieve.hpp"
#include <bit>

namespace margin::neighbors {

/// All rows within a limit, in the place of the k nearest.
class AllWithin {
public:
    explicit AllWithin(double limit) : limit_(limit) {}
    double limit() const { return limit_; }
    void offer(double distance, std::int64_t row) {
        if (distance <= limit_)
            found_.push_back({distance, row});
    }
    std::vector<Found> sorted() {
        std::sort(found_.begin(), found_.end());
        return std::move(found_);
    }

private:
    double limit_;
    std::vector<Found> found_;
};

/// body(l) for each bit l that is set, of the first `n`.
template <class Body>
void for_each_lane(std::uint32_t bits, std::size_t n, Body&& body) {
    if (n < lanes)
        bits &= (1u << n) - 1;
    for (; bits != 0; bits &= bits - 1)
        body(static_cast<std::size_t>(std::countr_zero(bits)));
}

/// Searches the rows of one index, one query after another.
template <class M>
class MixedSearch {
public:
    MixedSearch(const MixedIndex& index, Monitor& monitor) : index_(index), monitor_(monitor), sieve_(index) {}

    /// Offer every row that is wanted, and some that are not. Requires a shifted query.
    /// O(n / 1024) for a query whose neighbours are much nearer than other rows, O(n width) at worst.
    template <class Wanted>
    void find(MixedRow query, Wanted& wanted) {
        query_ = query;
        if (!sieve_.take(query)) // without a cell, all rows are equally far
            return offer_all(wanted);
        seed_ = none;
        if (!std::isfinite(wanted.limit()))
            start_near(wanted);
        sieve_.set_limit(wanted.limit());
        near_.clear();
        for (std::size_t first = 0; first < index_.groups.n; first += lanes) {
            left_t left[lanes];
            for_each_lane(sieve_.sift_boxes(index_.groups, first / lanes, left), index_.groups.n - first,
                          [&](auto l) { near_.push_back({left[l], static_cast<std::uint32_t>(first + l)}); });
        }
        std::sort(near_.begin(), near_.end(), [](const Group& a, const Group& b) {
            return a.left > b.left || (a.left == b.left && a.number < b.number);
        });
        for (const Group& group : near_) {
            monitor_.check();
            search_group(group.number, wanted);
        }
    }

private:
    struct Group {
        left_t left;
        std::uint32_t number;
    };
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    template <class Wanted>
    void offer_all(Wanted& wanted) const {
        const double distance = compared<M>(index_.numeric, index_.nominal, query_, index_.row(0));
        for (std::size_t place = 0; place < index_.n_rows; ++place)
            wanted.offer(distance, static_cast<std::int64_t>(place));
    }

    /// The rows of the block that looks nearest, for a first limit.
    template <class Wanted>
    void start_near(Wanted& wanted) {
        sieve_.set_limit(std::numeric_limits<double>::infinity());
        seed_ = fullest(index_.blocks, fullest(index_.groups, 0, index_.groups.n) * lanes, lanes);
        for (std::size_t i = seed_ * lanes; i < std::min((seed_ + 1) * lanes, index_.n_rows); ++i)
            offer(i, wanted);
    }

    /// The box that is left with most, of up to `n` from number `first` on.
    std::size_t fullest(const Boxes& boxes, std::size_t first, std::size_t n) const {
        std::size_t best = first, most = 0;
        const std::size_t end = std::min(first + n, boxes.n);
        for (; first < end; first += lanes) {
            left_t left[lanes];
            sieve_.sift_boxes(boxes, first / lanes, left);
            for (std::size_t l = 0; l < std::min(lanes, end - first); ++l)
                if (left[l] > most) {
                    most = left[l];
                    best = first + l;
                }
        }
        return best;
    }

    template <class Wanted>
    void search_group(std::size_t group, Wanted& wanted) {
        left_t left[lanes];
        const std::size_t first = group * lanes;
        for_each_lane(sieve_.sift_boxes(index_.blocks, group, left), index_.blocks.n - first, [&](std::size_t l) {
            if (first + l != seed_)
                search_block(first + l, wanted);
        });
        compare_pending(wanted);
    }

    template <class Wanted>
    void search_block(std::size_t block, Wanted& wanted) {
        const std::size_t first = block * lanes;
        for_each_lane(sieve_.sift_rows(block), index_.n_rows - first, [&](std::size_t l) {
            const MixedRow row = index_.row(first + l);
            __builtin_prefetch(row.numbers);
            __builtin_prefetch(row.codes);
            pending_.push_back(first + l);
        });
        if (pending_.size() >= lanes)
            compare_pending(wanted);
    }

    /// Rows that passed the sieve wait a little, until they have come from memory.
    template <class Wanted>
    void compare_pending(Wanted& wanted) {
        for (const std::size_t i : pending_)
            offer(i, wanted);
        pending_.clear();
        if (wanted.limit() < 0.9 * sieve_.limit())
            sieve_.set_limit(wanted.limit());
    }

    template <class Wanted>
    void offer(std::size_t i, Wanted& wanted) const {
        wanted.offer(compared<M>(index_.numeric, index_.nominal, query_, index_.row(i)), index_.place[i]);
    }

    const MixedIndex& index_;
    Monitor& monitor_;
    Sieve<M> sieve_;
    MixedRow query_{};
    std::vector<Group> near_;
    std::vector<std::size_t> pending_;
    std::size_t seed_ = none;
};

/// Queries as an index takes them: the same columns as its rows, not shifted.
struct MixedQueries {
    MatrixView<const double> numbers;
    MatrixView<const std::int32_t> codes;
};

namespace detail {

/// body(search, query number, shifted query) for all queries, on all threads.
template <class M, class Body>
void for_each_query(const MixedIndex& index, const MixedQueries& queries, std::size_t n_threads, Monitor& monitor,
                    Body&& body) {
    const std::size_t n = queries.numbers.rows(), p = index.numeric.size();
    monitor.expect(n);
    parallel_for(n, 8, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        MixedSearch<M> search(index, monitor);
        std::vector<double> numbers(p);
        for (std::size_t q = begin; q < end; ++q) {
            for (std::size_t j = 0; j < p; ++j)
                numbers[j] = shifted(index.numeric[j], queries.numbers(q, j));
            body(search, q, MixedRow{numbers.data(), queries.codes.data() + q * queries.codes.columns()});
            monitor.step();
        }
    });
}

} // namespace detail

/// The k nearest rows of each query, nearest first; ties go to the smaller place.
/// Requires 1 <= k <= n_rows and room for k distances and places a query.
template <class M>
void nearest_mixed(const MixedIndex& index, const MixedQueries& queries, std::size_t k, double* distance,
                   std::int64_t* place, std::size_t n_threads, Monitor& monitor) {
    detail::for_each_query<M>(index, queries, n_threads, monitor, [&](auto& search, std::size_t q, MixedRow query) {
        Nearest nearest(k);
        search.find(query, nearest);
        std::size_t at = q * k;
        for (const Found& found : nearest.sorted()) {
            distance[at] = M::finish(found.distance);
            place[at++] = found.row;
        }
    });
}

/// All rows at most its radius from each query, nearest first, ties by place.
template <class M>
std::vector<std::vector<Found>> within_mixed(const MixedIndex& index, const MixedQueries& queries, Radii radius,
                                             std::size_t n_threads, Monitor& monitor) {
    std::vector<std::vector<Found>> found(queries.numbers.rows());
    detail::for_each_query<M>(index, queries, n_threads, monitor, [&](auto& search, std::size_t q, MixedRow query) {
        // A little more than the radius, which the last step of a distance may round down to.
        AllWithin all(M::unfinished(radius[q]) * (1 + 1e-12) + std::numeric_limits<double>::denorm_min());
        search.find(query, all);
        found[q] = all.sorted();
        for (Found& one : found[q])
            one.distance = M::finish(one.distance);
        std::erase_if(found[q], [&](const Found& one) { return one.distance > radius[q]; });
    });
    return found;
}

} // namespace margin::neighbors
