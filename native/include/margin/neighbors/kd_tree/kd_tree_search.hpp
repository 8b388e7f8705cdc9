#pragma once
// The way down a kd-tree: which boxes and rows a query has to look at, on the best instruction set of the machine.
#include "kd_tree_sieve.hpp"
#include "margin/neighbors/distances/scan.hpp"

namespace margin::neighbors::kd {

/// A node that may have to be visited.
struct Visit {
    float gap;
    std::int32_t node;
};

// Queries are sorted by the child of the child … that they would visit first: enough corners for what one of them needs
// to fit in the cache.
inline constexpr std::size_t corner_levels = 9 / fan_bits, n_corners = std::size_t{1} << (fan_bits * corner_levels);

/// The distance of a query to row number `row` in the order of the leaves, before its last step, as `joined` defines it.
using Compare = double (*)(const Tree& tree, const double* query, std::size_t row, double p, double* scratch);

/// Running sum `At` of `joined` after it was halved down to `Step` sums, where each has one column at most.
template <class D, std::size_t Columns, std::size_t At = 0, std::size_t Step = 1, class Term>
MARGIN_INLINED double joined_few(const Term& term) {
    static_assert(Columns <= n_sums);
    if constexpr (Step == n_sums)
        return term(At);
    else if constexpr (At + Step < Columns)
        return D::join(joined_few<D, Columns, At, 2 * Step>(term), joined_few<D, Columns, At + Step, 2 * Step>(term));
    else
        return joined_few<D, Columns, At, 2 * Step>(term);
}

/// Columns known when this is compiled, or 0: as the tree says. Few of them are joined by themselves, because the
/// compiler makes little of running sums with one column each.
template <class D, class T, std::size_t Columns>
double compare_with_row(const Tree& tree, const double* query, std::size_t row, double p, double*) {
    const T* cells = static_cast<const T*>(tree.rows) + row * tree.columns;
    if constexpr (Columns)
        return joined_few<D, Columns>(
            [&](std::size_t j) { return D::term(query[j] - static_cast<double>(cells[j]), p); });
    else
        return joined<D, T>(query, cells, tree.columns, p);
}

template <class D, std::size_t Columns>
double compare_with_sketch(const Tree& tree, const double* query, std::size_t row, double p, double* scratch) {
    const float* cells = tree.sketch + row / block_rows * tree.columns * block_rows + row % block_rows;
    const auto cell = [&](std::size_t j) { return static_cast<double>(cells[j * block_rows]); };
    if constexpr (Columns)
        return joined_few<D, Columns>([&](std::size_t j) { return D::term(query[j] - cell(j), p); });
    for (std::size_t j = 0; j < tree.columns; ++j)
        scratch[j] = cell(j);
    return joined<D, double>(query, scratch, tree.columns, p);
}

/// How rows that were of type T are compared by D.
template <class D, class T>
Compare comparing(const Tree& tree) {
    const auto with = [&]<std::size_t Columns>() -> Compare {
        return tree.rows ? compare_with_row<D, T, Columns> : compare_with_sketch<D, Columns>;
    };
    if constexpr (!settles<D>)
        switch (tree.columns) {
        case 2:
            return with.template operator()<2>();
        case 3:
            return with.template operator()<3>();
        case 4:
            return with.template operator()<4>();
        case 8:
            return with.template operator()<8>();
        }
    return with.template operator()<0>();
}

/// Everything that one thread needs to answer queries, made once.
template <class N>
struct QueryState {
    QueryState(const Tree& tree_, const Sieve<N>& sieve, Compare compare_, double p_, std::size_t k)
        : tree(tree_), compare(compare_), p(p_), sketched(tree_, sieve), scratch(tree_.columns), best(k) {}
    const Tree& tree;
    Compare compare;
    double p;
    Sketched<N> sketched;
    std::vector<double> scratch;
    Nearest best;
};

/// Takes rows from a search as long as they are among the nearest.
template <class N>
class KeepNearest {
public:
    KeepNearest(QueryState<N>& state, const double* query, Nearest& best)
        : state_(state), query_(query), best_(best), threshold_(state.sketched.threshold(best.limit())) {}

    float threshold() const { return threshold_; }
    std::int32_t too_late() const { return too_late_; }

    MARGIN_INLINED void offer(std::size_t row) {
        const std::int32_t place = state_.tree.place[row];
        if (place < 0 || place >= too_late_)
            return;
        const double limit = best_.limit();
        best_.offer(state_.compare(state_.tree, query_, row, state_.p, state_.scratch.data()), place);
        if (best_.limit() < limit)
            threshold_ = state_.sketched.threshold(best_.limit());
        if (best_.limit() == 0)
            too_late_ = static_cast<std::int32_t>(best_.last_row());
    }

private:
    QueryState<N>& state_;
    const double* query_;
    Nearest& best_;
    float threshold_;
    std::int32_t too_late_ = no_place;
};

/// Takes all rows from a search that are within a radius.
template <class N>
class KeepWithin {
    using D = typename N::Distance;

public:
    KeepWithin(QueryState<N>& state, const double* query, double radius, std::vector<Found>& found)
        : state_(state), query_(query), radius_(radius), found_(found),
          threshold_(state.sketched.threshold(joined_at<D>(radius, state.p))) {}

    float threshold() const { return threshold_; }
    std::int32_t too_late() const { return no_place; }

    MARGIN_INLINED void offer(std::size_t row) {
        const std::int32_t place = state_.tree.place[row];
        if (place < 0)
            return;
        const double apart = state_.compare(state_.tree, query_, row, state_.p, state_.scratch.data());
        if (D::finish(apart, state_.p) <= radius_)
            found_.push_back({apart, place});
    }

private:
    QueryState<N>& state_;
    const double* query_;
    double radius_;
    std::vector<Found>& found_;
    float threshold_;
};

#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 12
#define MARGIN_KD_TREE_V3 1
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define MARGIN_LANES_AVX 1
#define MARGIN_LANES_SCAN MARGIN_INLINED
namespace v3 {
#include "kd_tree_lanes.hpp"
} // namespace v3
#undef MARGIN_LANES_AVX
#undef MARGIN_LANES_SCAN
#pragma GCC pop_options
// Eight lanes without AVX2 are many instructions, and were a third of all the code here when each place had its own.
#define MARGIN_LANES_SCAN [[gnu::noinline]]
#else
#define MARGIN_LANES_SCAN MARGIN_INLINED
#endif

namespace plain {
#include "kd_tree_lanes.hpp"
} // namespace plain
#undef MARGIN_LANES_SCAN

/// f.operator()<Level>() for the best level of this machine.
template <class F>
decltype(auto) on_best_level(F&& f) {
#ifdef MARGIN_KD_TREE_V3
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v3"))
        return f.template operator()<v3::Level>();
#endif
    return f.template operator()<plain::Level>();
}

} // namespace margin::neighbors::kd
