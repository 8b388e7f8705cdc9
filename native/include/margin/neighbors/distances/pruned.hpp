#pragma once
// Looking at every row in bytes, and at the few that may be near enough in full.
#include "coarse.hpp"
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include "scan.hpp"
#include <bit>

namespace margin::neighbors {

namespace detail {

template <class Norm>
struct CoarseKernels; // none: this norm has no kernels
template <>
struct CoarseKernels<SumOfSquares> {
    using type = CoarseSquares;
};
template <>
struct CoarseKernels<SumOfSizes> {
    using type = CoarseSums;
};
template <>
struct CoarseKernels<LargestSize> {
    using type = CoarseLargest;
};

} // namespace detail

/// f.operator()<C>(factor): the kernels for distance D, and by how much their norm may exceed it, for D that states a
/// bound in bytes. The factor leaves room for the roundings of the distance.
template <class D, class F>
auto with_coarse_kernels(std::size_t columns, double p, F f) {
    const double room = 1 + (static_cast<double>(columns) + 64) * 0x1p-50 + 4 * relative_error<D>(columns, p);
    return D::bound_in_bytes(columns, p, [&]<class Norm>(Norm, double factor) {
        return f.template operator()<typename detail::CoarseKernels<Norm>::type>(factor * room);
    });
}

/// Which kernels bound a distance, and the factor above; none for one that states no bound in bytes.
struct CoarseBound {
    enum class Norm : std::uint8_t { none, squares, sums, largest } norm = Norm::none;
    double factor = 0;
};

template <class D>
CoarseBound coarse_bound(std::size_t columns, double p) {
    if constexpr (requires { D::bound_in_bytes(columns, p, [](auto, double) {}); })
        return with_coarse_kernels<D>(columns, p, []<class C>(double factor) {
            using enum CoarseBound::Norm;
            return CoarseBound{C::squared ? squares : C::largest ? largest : sums, factor};
        });
    else
        return {};
}

/// f.operator()<C>() with the kernels of a bound; false without any.
template <class F>
bool with_kernels_of(const CoarseBound& bound, F f) {
    switch (bound.norm) {
    case CoarseBound::Norm::squares:
        return f.template operator()<CoarseSquares>();
    case CoarseBound::Norm::sums:
        return f.template operator()<CoarseSums>();
    case CoarseBound::Norm::largest:
        return f.template operator()<CoarseLargest>();
    case CoarseBound::Norm::none:
        break;
    }
    return false;
}

/// One search of some queries among all rows. best[q] has offer(joined distance, row) and limit(), above which nothing
/// needs to be offered; it gets every row that is not further than its limit, and so ends as if it had got all rows.
///
/// Rows are rounded tile by tile (1 MB, shared by all threads), and queries once: rounded rows are never kept, because
/// making them costs as much as four queries' plain look at them, and keeping them half the memory of float32 rows.
/// A tile then meets blocks of queries, a panel staying in the nearest cache while the groups of a block pass.
/// Rows that pass cost what they cost in a plain scan, so that the worst data are about a tenth slower than that.
template <class C, class Best>
class PrunedSearch {
public:
    /// No row is further away in the norm of C than `factor` times its distance.
    PrunedSearch(const ScannedRows& rows, MatrixView<const double> queries, double factor, const Grid& grid,
                 std::vector<Best>& best, std::size_t n_threads, Monitor& monitor,
                 CoarseKernel kernel = coarse_kernel<C>())
        : rows_(rows), queries_(queries), factor_(factor), grid_(grid), best_(best), n_threads_(n_threads),
          monitor_(monitor), kernel_(kernel), coarse_queries_(queries.rows(), grid.columns.size()),
          tile_(panels_in_tile(), grid.columns.size()) {}

    void run() {
        parallel_for(queries_.rows(), 64 * C::group, n_threads_, monitor_,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                         for (std::size_t q = begin; q < end; ++q)
                             coarse_queries_.fill(q, queries_.row(q).data(), grid_);
                     });
        for (std::size_t first = 0; first < rows_.n; first += panels_in_tile() * C::rows)
            meet_tile(first, std::min(rows_.n, first + panels_in_tile() * C::rows));
    }

private:
    std::size_t panels_in_tile() const {
        const std::size_t all = (rows_.n + C::rows - 1) / C::rows;
        return std::clamp<std::size_t>((std::size_t(1) << 20) / (C::rows * padded_columns(grid_.columns.size())), 1,
                                       all);
    }

    void meet_tile(std::size_t first, std::size_t last) {
        const std::size_t n_panels = (last - first + C::rows - 1) / C::rows;
        const std::size_t grain = std::max<std::size_t>(1, (std::size_t(1) << 16) / tile_.panel_bytes);
        parallel_for(n_panels, grain, n_threads_, monitor_, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t b = begin; b < end; ++b) {
                const std::size_t row = first + b * C::rows;
                rows_.with_row(row, [&](const auto* cells) {
                    tile_.fill(b, cells, std::min(C::rows, last - row), rows_.columns, grid_);
                });
            }
        });
        const double error = *std::max_element(tile_.errors.begin(), tile_.errors.begin() + n_panels);
        const std::size_t m = queries_.rows(), most = 32 / C::group;
        const std::size_t block = C::group * std::clamp<std::size_t>(m / (16 * C::group), 1, most);
        parallel_for(m, block, n_threads_, monitor_, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t q = begin; q < end; ++q)
                set_limit(q, error);
            std::vector<Candidate> candidates;
            for (std::size_t b = 0; b < n_panels; ++b)
                for (std::size_t q = begin; q < end; q += C::group) {
                    meet_panel(b, q, std::min(end, q + C::group), first, last, error, candidates);
                    if (candidates.size() >= 32)
                        look_at(candidates, error);
                }
            look_at(candidates, error);
            monitor_.step(end - begin);
        });
    }

    struct Candidate {
        std::size_t query, row;
    };

    /// Rows of panel b that may be near enough to queries [begin, end). Their cells are called for, and looked at a
    /// little later: they are not in the cache, and there is enough to do until they are. Where most rows of a panel
    /// pass, because nothing is known yet or bytes tell nothing, they are scanned at once, which is quicker.
    void meet_panel(std::size_t b, std::size_t begin, std::size_t end, std::size_t first, std::size_t last,
                    double error, std::vector<Candidate>& candidates) {
        std::uint32_t masks[C::group];
        if (!kernel_(tile_.cells.data() + b * tile_.panel_bytes, tile_.starts.data() + b * C::rows,
                     coarse_queries_.cells.data() + begin / C::group * coarse_queries_.group_bytes,
                     padded_columns(grid_.columns.size()), coarse_queries_.limits.data() + begin, masks))
            return;
        const std::size_t row = first + b * C::rows, n = std::min(C::rows, last - row);
        const std::uint32_t there = n < 32 ? (std::uint32_t(1) << n) - 1 : ~std::uint32_t(0);
        for (std::size_t q = begin; q < end; ++q) {
            std::uint32_t mask = masks[q - begin] & there;
            if (more_than_half(mask)) {
                scan(rows_, queries_.row(q).data(), row, row + n, best_[q]);
                set_limit(q, error);
                monitor_.check();
                continue;
            }
            for (; mask != 0; mask &= mask - 1) {
                const std::size_t i = row + static_cast<std::size_t>(std::countr_zero(mask));
                for (std::size_t at = 0; at < std::min<std::size_t>(rows_.row_bytes, 4096); at += 64)
                    __builtin_prefetch(rows_.row(i) + at, 0, 2);
                candidates.push_back({q, i});
            }
        }
    }

    static bool more_than_half(std::uint32_t mask) { // quicker than counting, for there are few as a rule
        for (std::size_t i = 0; i < C::rows / 2 && mask != 0; ++i)
            mask &= mask - 1;
        return mask != 0;
    }

    void look_at(std::vector<Candidate>& candidates, double error) {
        for (const auto& [q, i] : candidates) {
            Best& best = best_[q];
            const double before = best.limit();
            double distance;
            rows_.joined(queries_.row(q).data(), rows_.row(i), 1, rows_.columns, rows_.p, before, &distance);
            best.offer(distance, static_cast<std::int64_t>(i));
            if (best.limit() < before)
                set_limit(q, error);
        }
        candidates.clear();
        monitor_.check();
    }

    void set_limit(std::size_t q, double error) {
        coarse_queries_.set_limit(q, rows_.finish(best_[q].limit(), rows_.p) * factor_ * grid_.per_step, error);
    }

    ScannedRows rows_;
    MatrixView<const double> queries_;
    double factor_;
    const Grid& grid_;
    std::vector<Best>& best_;
    std::size_t n_threads_;
    Monitor& monitor_;
    CoarseKernel kernel_;
    CoarseQueries<C> coarse_queries_;
    CoarseRows<C> tile_;
};

} // namespace margin::neighbors
