#pragma once
// Exact nearest neighbours among sparse rows, never written out.
//
// Euclidean (and so cosine) and Manhattan distances follow from sums over the columns that two rows share,
//     |a - b|^2 = |a|^2 + |b|^2 - 2 sum a_j b_j,      |a - b|_1 = |a|_1 + |b|_1 - 2 sum o_j,
// o_j the smaller magnitude where the signs agree, else 0. These sums are run for a block of rows at once, column by
// column of the query, in float. They cancel, so they only tell which rows cannot count; the others are merged with
// the query to the last bit. Other distances are told apart by | |a| - |b| | <= |a - b| and merged.
#include "margin/core/threads.hpp"
#include "margin/data/csr.hpp"
#include "margin/neighbors/distances/found_lists.hpp"
#include "sparse_postings.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::neighbors {

using SparseQueries = data::Csr<double, std::int64_t>;

/// Rows and what make_postings made of them, kept by someone else.
template <class T>
struct SparseIndex {
    SparseTable<T> rows;
    const double *length = nullptr, *size = nullptr;
    const std::int64_t* start = nullptr;
    const std::int32_t* row = nullptr;
    const float* value = nullptr;
    const std::int32_t* written = nullptr;
    const float* table = nullptr;
    std::size_t stride = 0, most_stored = 0;
    double scale = 1, p = 2;
};

/// A column of the query, and the cells of it that are still to come.
struct Posting {
    std::size_t next, end;
    float weight;
};

struct WrittenColumn {
    const float* cells;
    float weight;
};

/// A query, ready to be asked block by block. `shrink`, `twice` and `floor` make the bound: see lower_bounds.
struct SparseQuestion {
    SparseRow row;
    std::vector<Posting> postings;
    std::vector<WrittenColumn> written;
    double size = 0, shrink = 0, twice = 0, floor = 0;
};

namespace detail {

/// Half an ulp of float, and what n roundings in a row can make of a sum; infinite where that says nothing any more.
inline double float_error(std::size_t n) {
    const double share = static_cast<double>(n) * 0x1p-24;
    return share < 0.5 ? share / (1 - share) : std::numeric_limits<double>::infinity();
}

/// The query without its zeros and, for cosine, of length 1.
template <class M>
SparseRow take_row(const SparseQueries& queries, std::size_t q) {
    SparseRow row;
    for (auto c = static_cast<std::size_t>(queries.start[q]); c < static_cast<std::size_t>(queries.start[q + 1]); ++c)
        if (queries.values[c] != 0) {
            row.cells.push_back(queries.values[c]);
            row.columns.push_back(static_cast<std::int32_t>(queries.columns[c]));
        }
    if (M::unit) {
        const double length = length_of(row.cells.data(), row.columns.data(), row.size());
        for (double& cell : row.cells)
            cell /= length;
    }
    return row;
}

/// A power of two that no cell of the query is larger than.
inline double unit_of(const SparseRow& row) {
    double top = 0;
    for (const double cell : row.cells)
        top = std::max(top, std::abs(cell));
    return top > 0 && std::isfinite(top) ? std::ldexp(1.0, std::ilogb(top) + 1) : 1;
}

/// Cells of the query as the running sums want them. Of an overlap nothing above the unit matters.
template <class M>
float weight_of(double cell, double unit) {
    if (M::filter == SparseFilter::overlap)
        return static_cast<float>(std::clamp(cell / unit, -2.0, 2.0));
    return narrow<M>(cell / unit);
}

template <class M, class T>
SparseQuestion question(const SparseIndex<T>& index, const SparseQueries& queries, std::size_t q) {
    SparseQuestion made;
    made.row = take_row<M>(queries, q);
    const std::size_t m = made.row.size();
    made.size = M::unit ? m > 0 : merged<M>(made.row, static_cast<const T*>(nullptr), nullptr, 0, 1.0, index.p);
    // Merging rounds once for each column of either row at most.
    const double merging = (static_cast<double>(m + index.most_stored) + 64) * 0x1p-52;
    if (M::filter == SparseFilter::norm) {
        made.size = M::finish(made.size, index.p);
        made.shrink = 8 * merging + 4 * relative_error<typename M::D>(m + index.most_stored, index.p);
        return made;
    }
    const double unit = M::filter == SparseFilter::overlap ? index.scale : M::unit ? 1 : unit_of(made.row);
    const std::size_t n_terms = std::min(m, index.most_stored);
    made.shrink = 1 - 1.01 * float_error(n_terms + 4) - 8 * merging;
    made.twice = 2 * index.scale * (M::filter == SparseFilter::overlap ? 1 : unit);
    // Cells that were raised to the smallest, or that vanished, are wrong by so much in the unit of the sums.
    made.floor = made.twice * static_cast<double>(n_terms + 1) * (M::unit ? 0x1p-58 : 0x1p-140) + 1e-290;
    for (std::size_t i = 0; i < m; ++i) {
        const auto column = static_cast<std::size_t>(made.row.columns[i]);
        const float weight = weight_of<M>(made.row.cells[i], unit);
        if (index.written[column] >= 0)
            made.written.push_back(
                {index.table + static_cast<std::size_t>(index.written[column]) * index.stride, weight});
        else if (index.start[column] < index.start[column + 1])
            made.postings.push_back({static_cast<std::size_t>(index.start[column]),
                                     static_cast<std::size_t>(index.start[column + 1]), weight});
    }
    return made;
}

template <SparseFilter filter>
MARGIN_INLINED float term(float weight, float cell) {
    if constexpr (filter == SparseFilter::dot)
        return weight * cell;
    const float same = weight < 0 ? -cell : cell, size = weight < 0 ? -weight : weight;
    const float positive = same > 0 ? same : 0;
    return positive < size ? positive : size;
}

/// sums[0 … n) += terms of columns that are written out; n a multiple of 16. Four columns in one pass over the sums.
template <SparseFilter filter>
MARGIN_SIMD_LOOK void add_written(const WrittenColumn* columns, std::size_t n_columns, std::size_t first, std::size_t n,
                                  float* __restrict sums) {
    std::size_t c = 0;
    for (; c + 4 <= n_columns; c += 4) {
        const float *a0 = columns[c].cells + first, *a1 = columns[c + 1].cells + first;
        const float *a2 = columns[c + 2].cells + first, *a3 = columns[c + 3].cells + first;
        const float w0 = columns[c].weight, w1 = columns[c + 1].weight;
        const float w2 = columns[c + 2].weight, w3 = columns[c + 3].weight;
        for (std::size_t i = 0; i < n; ++i)
            sums[i] = sums[i] + term<filter>(w0, a0[i]) + term<filter>(w1, a1[i]) + term<filter>(w2, a2[i]) +
                      term<filter>(w3, a3[i]);
    }
    for (; c < n_columns; ++c) {
        const float* a = columns[c].cells + first;
        const float w = columns[c].weight;
        for (std::size_t i = 0; i < n; ++i)
            sums[i] += term<filter>(w, a[i]);
    }
}

/// Likewise for columns that are not, rows [first, first + n).
template <SparseFilter filter>
void add_postings(std::vector<Posting>& postings, const std::int32_t* row, const float* value, std::size_t first,
                  std::size_t n, float* sums) {
    const auto last = static_cast<std::int32_t>(first + n);
    for (Posting& posting : postings) {
        std::size_t at = posting.next;
        for (; at < posting.end && row[at] < last; ++at) {
            float& sum = sums[static_cast<std::size_t>(row[at]) - first];
            sum += term<filter>(posting.weight, value[at]);
        }
        posting.next = at;
    }
}

/// Eight rows at a time: whether any of them may come up to the limit. See below for the bound.
MARGIN_SIMD inline void may_count(const double* size, const float* sums, std::size_t n, double own, double shrink,
                                  double twice, double floor, double limit, unsigned char* any) {
    for (std::size_t i = 0; i < n; i += 8) {
        int beyond = 0;
        for (std::size_t l = 0; l < 8; ++l)
            beyond += (own + size[i + l]) * shrink - twice * static_cast<double>(sums[i + l]) - floor > limit;
        any[i / 8] = beyond < 8;
    }
}

/// The same where all sizes are 1: whether any of the sums reaches what the limit asks for.
MARGIN_SIMD inline void may_reach(const float* sums, std::size_t n, float least, unsigned char* any) {
    for (std::size_t i = 0; i < n; i += 8) {
        int below = 0;
        for (std::size_t l = 0; l < 8; ++l)
            below += sums[i + l] < least;
        any[i / 8] = below < 8;
    }
}

} // namespace detail

/// One query against the rows of one block after another, blocks ascending.
template <class M, class T>
class SparseSearch {
public:
    SparseSearch(const SparseIndex<T>& index, SparseQuestion& question) : index_(index), question_(question) {}

    template <class Best>
    void block(std::size_t first, std::size_t n, float* sums, Best& best) {
        if constexpr (M::filter == SparseFilter::norm)
            by_norm(first, n, best);
        else
            by_sums(first, n, sums, best);
    }

private:
    double measure(std::size_t i) const {
        const SparseTable<T>& rows = index_.rows;
        return merged<M>(question_.row, rows.values + rows.begin(i), rows.columns + rows.begin(i), rows.stored(i),
                         M::unit ? index_.length[i] : 1.0, index_.p);
    }

    /// | |a| - |b| |, less what rounding may add to it, where there is a triangle inequality to rely on. All of them are
    /// distances; a term may vanish below the smallest number.
    template <class Best>
    void by_norm(std::size_t first, std::size_t n, Best& best) {
        const bool triangle = is_metric<typename M::D>(index_.p);
        const double vanished = M::finish(1e-290, index_.p);
        for (std::size_t i = first; i < first + n; ++i) {
            const double size = M::finish(index_.size[i], index_.p);
            const double bound =
                std::abs(question_.size - size) - question_.shrink * (question_.size + size) - vanished;
            if (!(triangle && bound > M::finish(best.limit(), index_.p)))
                best.offer(measure(i), static_cast<std::int64_t>(i));
        }
    }

    /// With |a| and |b| the sizes, s the sum wrong by a share e of |a| |b| (or of the smaller of two overlaps), and
    /// 2 |a| |b| <= |a|^2 + |b|^2: no row compares below (size + size) (1 - e) - 2 s. A row whose sum is still -0 has no
    /// column in common with the query, and needs no merging for cosine.
    template <class Best>
    void by_sums(std::size_t first, std::size_t n, float* sums, Best& best) {
        const std::size_t wide = (n + 15) / 16 * 16;
        std::fill_n(sums, wide, -0.0f);
        detail::add_written<M::filter>(question_.written.data(), question_.written.size(), first, wide, sums);
        detail::add_postings<M::filter>(question_.postings, index_.row, index_.value, first, n, sums);
        unsigned char any[sparse_block / 8];
        const double* size = index_.size + first;
        const std::size_t even = n / 8 * 8;
        if constexpr (M::unit)
            detail::may_reach(sums, even, least_sum(best.limit()), any);
        else
            detail::may_count(size, sums, even, question_.size, question_.shrink, question_.twice, question_.floor,
                              best.limit(), any);
        for (std::size_t i = 0; i < n; ++i) {
            if (i < even && i % 8 == 0 && !any[i / 8]) {
                i += 7;
                continue;
            }
            const double bound = (question_.size + size[i]) * question_.shrink -
                                 question_.twice * static_cast<double>(sums[i]) - question_.floor;
            if (!(bound > best.limit()))
                best.offer(compared(first + i, sums[i]), static_cast<std::int64_t>(first + i));
        }
    }

    /// Below this sum a row of length 1 is beyond the limit, and so is an empty one, whose sum is 0: it compares as 2.
    /// An empty query has to meet every row.
    float least_sum(double limit) const {
        constexpr float none = -std::numeric_limits<float>::infinity();
        if (question_.row.size() == 0)
            return none;
        const double least = (2 * question_.shrink - question_.floor - limit) / question_.twice;
        return std::nextafter(static_cast<float>(least), none);
    }

    double compared(std::size_t i, float sum) const {
        if constexpr (M::unit)
            if (sum == 0 && std::signbit(sum))
                return question_.row.size() == 0 && index_.rows.stored(i) == 0 ? 0 : M::apart;
        return measure(i);
    }

    const SparseIndex<T>& index_;
    SparseQuestion& question_;
};

namespace detail {

/// Up to 16 queries pass over each block together; fewer where there are few, so that every thread has some.
inline std::size_t sparse_group(std::size_t n_queries) { return std::clamp<std::size_t>(n_queries / 16, 1, 16); }

/// Each query of [begin, end) against all rows; best(q) collects.
template <class M, class T, class Best>
void search_group(const SparseIndex<T>& index, const SparseQueries& queries, std::size_t begin, std::size_t end,
                  Best best, Monitor& monitor) {
    std::vector<SparseQuestion> questions;
    for (std::size_t q = begin; q < end; ++q)
        questions.push_back(question<M>(index, queries, q));
    std::vector<float> sums(sparse_block);
    for (std::size_t first = 0; first < index.rows.n; first += sparse_block)
        for (std::size_t q = begin; q < end; ++q) {
            monitor.check();
            SparseSearch<M, T>(index, questions[q - begin])
                .block(first, std::min(sparse_block, index.rows.n - first), sums.data(), best(q));
        }
    monitor.step(end - begin);
}

/// Rows that compare within the limit, and whose distance is within the radius.
template <class M>
struct SparseWithin {
    double radius, most, p;
    std::vector<Found>* found;
    double limit() const { return most; }
    void offer(double compared, std::int64_t row) {
        if (M::finish(compared, p) <= radius)
            found->push_back({compared, row});
    }
};

} // namespace detail

/// The k nearest rows of each query, first by distance, then by row number. Requires 1 <= k <= n, query columns
/// ascending strictly and below the width. Cells touched are those of the columns that a query holds.
template <class M, class T>
void sparse_nearest(const SparseIndex<T>& index, const SparseQueries& queries, std::size_t k, double* distance,
                    std::int64_t* row, std::size_t n_threads, Monitor& monitor) {
    monitor.expect(queries.rows);
    parallel_for(queries.rows, detail::sparse_group(queries.rows), n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     std::vector<Nearest> best(end - begin, Nearest(k));
                     detail::search_group<M>(
                         index, queries, begin, end, [&](std::size_t q) -> Nearest& { return best[q - begin]; },
                         monitor);
                     for (std::size_t q = begin; q < end; ++q) {
                         const std::vector<Found>& found = best[q - begin].sorted();
                         for (std::size_t i = 0; i < k; ++i) {
                             distance[q * k + i] = M::finish(found[i].distance, index.p);
                             row[q * k + i] = found[i].row;
                         }
                     }
                 });
}

/// All rows at a distance of at most its radius of each query, first by distance, then by row number.
template <class M, class T>
FoundLists sparse_within(const SparseIndex<T>& index, const SparseQueries& queries, Radii radius, std::size_t n_threads,
                         Monitor& monitor) {
    std::vector<std::vector<Found>> lists(queries.rows);
    monitor.expect(queries.rows);
    parallel_for(queries.rows, detail::sparse_group(queries.rows), n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     std::vector<detail::SparseWithin<M>> best;
                     for (std::size_t q = begin; q < end; ++q)
                         best.push_back({radius[q], M::most_compared(radius[q], index.p), index.p, &lists[q]});
                     detail::search_group<M>(
                         index, queries, begin, end,
                         [&](std::size_t q) -> detail::SparseWithin<M>& { return best[q - begin]; }, monitor);
                     for (std::size_t q = begin; q < end; ++q)
                         std::sort(lists[q].begin(), lists[q].end());
                 });
    return end_to_end(lists, [&](double compared) { return M::finish(compared, index.p); });
}

} // namespace margin::neighbors
