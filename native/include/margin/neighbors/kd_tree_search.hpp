#pragma once
// The way down a kd-tree: which boxes and rows a query has to look at, on the best instruction set of the machine.
#include "margin/neighbors/kd_tree_sieve.hpp"
#include "margin/neighbors/nearest.hpp"

namespace margin::neighbors::kd {

/// A child that may have to be visited.
struct Visit {
    float gap;
    std::int32_t first, size;
};

/// The distance of a query to row number `row` in the order of the leaves, before its last step, as `joined` defines it.
using Compare = double (*)(const Tree& tree, const double* query, std::size_t row, double p, double* scratch);

template <class D, class T>
double compare_with_row(const Tree& tree, const double* query, std::size_t row, double p, double*) {
    return joined<D, T>(query, static_cast<const T*>(tree.rows) + row * tree.columns, tree.columns, p);
}

template <class D>
double compare_with_sketch(const Tree& tree, const double* query, std::size_t row, double p, double* scratch) {
    const float* cells = tree.sketch + row / block_rows * tree.columns * block_rows + row % block_rows;
    for (std::size_t j = 0; j < tree.columns; ++j)
        scratch[j] = static_cast<double>(cells[j * block_rows]);
    return joined<D, double>(query, scratch, tree.columns, p);
}

/// How rows that were of type T are compared by D.
template <class D, class T>
Compare comparing(const Tree& tree) {
    return tree.rows ? compare_with_row<D, T> : compare_with_sketch<D>;
}

/// Everything that one thread needs to answer queries, made once.
struct Asking {
    Asking(const Tree& tree_, Compare compare_, double p_)
        : tree(tree_), compare(compare_), p(p_), sketched(tree_.columns), scratch(tree_.columns) {}
    const Tree& tree;
    Compare compare;
    double p;
    Sketched sketched;
    std::vector<double> scratch;
};

/// Takes rows from a search as long as they are among the nearest.
template <class N>
class KeepNearest {
public:
    KeepNearest(Asking& asking, const double* query, Nearest& best)
        : asking_(asking), query_(query), best_(best), threshold_(asking.sketched.template threshold<N>(best.limit())) {
    }

    float threshold() const { return threshold_; }

    MARGIN_INLINED void offer(std::size_t row) {
        const std::int32_t place = asking_.tree.place[row];
        if (place < 0)
            return;
        const double limit = best_.limit();
        best_.offer(asking_.compare(asking_.tree, query_, row, asking_.p, asking_.scratch.data()), place);
        if (best_.limit() < limit)
            threshold_ = asking_.sketched.template threshold<N>(best_.limit());
    }

private:
    Asking& asking_;
    const double* query_;
    Nearest& best_;
    float threshold_;
};

/// Takes all rows from a search that are within a radius.
template <class N, class D>
class KeepWithin {
public:
    KeepWithin(Asking& asking, const double* query, double radius, std::vector<Found>& found)
        : asking_(asking), query_(query), radius_(radius), found_(found) {
        // Roots round: a little more than the square of the radius may still have the radius as its root.
        const double limit = std::is_same_v<D, Euclidean> ? radius * radius * (1 + 0x1p-50) : radius;
        threshold_ = asking.sketched.template threshold<N>(limit);
    }

    float threshold() const { return threshold_; }

    MARGIN_INLINED void offer(std::size_t row) {
        const std::int32_t place = asking_.tree.place[row];
        if (place < 0)
            return;
        const double apart = asking_.compare(asking_.tree, query_, row, asking_.p, asking_.scratch.data());
        if (D::finish(apart, asking_.p) <= radius_)
            found_.push_back({apart, place});
    }

private:
    Asking& asking_;
    const double* query_;
    double radius_;
    std::vector<Found>& found_;
    float threshold_;
};

namespace plain {
#include "margin/neighbors/kd_tree_lanes.hpp"
} // namespace plain

#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 12
#define MARGIN_KD_TREE_V3 1
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
namespace v3 {
#include "margin/neighbors/kd_tree_lanes.hpp"
} // namespace v3
#pragma GCC pop_options
#endif

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
