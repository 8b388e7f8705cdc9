#pragma once
// The sum of what many shallow trees say: every leaf has a row in a table of values.
#include "margin/ensemble/forest/soundness.hpp"
#include "margin/ensemble/forest/walk_forest.hpp"
#include <cstddef>
#include <cstdint>
#include <string>

namespace margin::boosting {

struct TreeSum {
    ensemble::ForestView trees; // a leaf's threshold is its row of values, counted over all trees
    MatrixView<const double> values;
};

/// What is wrong with arrays that come from a file, or nothing. O(nodes) time.
inline std::string what_is_unsound(const TreeSum& sum, std::size_t n_columns) {
    if (std::string wrong = ensemble::what_is_unsound(sum.trees, n_columns); !wrong.empty())
        return wrong;
    for (const ensemble::Node& node : sum.trees.nodes)
        if (node.is_leaf() && !(node.threshold >= 0 && node.threshold < static_cast<double>(sum.values.rows()) &&
                                node.threshold == std::floor(node.threshold)))
            return "a leaf names values that are not there";
    return "";
}

namespace detail {

inline void add_values(const TreeSum& sum, const ensemble::Node* nodes, const std::uint32_t* leaf, std::size_t n,
                       double* out) noexcept {
    const std::size_t width = sum.values.columns();
    if (width == 1) {
        for (std::size_t i = 0; i < n; ++i)
            out[i] += sum.values.data()[static_cast<std::size_t>(nodes[leaf[i]].threshold)];
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double* const value = sum.values.data() + static_cast<std::size_t>(nodes[leaf[i]].threshold) * width;
        for (std::size_t k = 0; k < width; ++k)
            out[i * width + k] += value[k];
    }
}

/// A tree of one question about a number, for rows begin ... end - 1.
template <class T>
void add_stump(const TreeSum& sum, const ensemble::Node* nodes, MatrixView<const T> numbers, std::size_t begin,
               std::size_t end, double* out) noexcept {
    const std::size_t d = numbers.columns(), width = sum.values.columns();
    const double* const low = sum.values.data() + static_cast<std::size_t>(nodes[1].threshold) * width;
    const double* const high = sum.values.data() + static_cast<std::size_t>(nodes[2].threshold) * width;
    const double threshold = nodes[0].threshold;
    const bool missing_right = nodes[0].tag >> 31;
    const T* x = numbers.data() + begin * d + nodes[0].column();
    for (std::size_t i = begin; i < end; ++i, x += d) {
        const auto cell = static_cast<double>(*x);
        const bool right = missing_right ? !(cell <= threshold) : cell > threshold;
        if (width == 1)
            out[i] += right ? *high : *low;
        else
            for (std::size_t k = 0; k < width; ++k)
                out[i * width + k] += (right ? high : low)[k];
    }
}

inline bool is_stump(const ensemble::ForestView& trees, std::size_t t) noexcept {
    const ensemble::Node* const nodes = trees.tree(t);
    return trees.start[t + 1] - trees.start[t] == 3 && !nodes[0].is_leaf() && nodes[0].first == 1 &&
           nodes[0].kind() == ensemble::Node::Kind::threshold;
}

template <class T>
void add_plain_rows(const TreeSum& sum, const ensemble::WalkedRows<T>& rows, std::size_t begin, std::size_t end,
                    double* out, Monitor& monitor) {
    std::array<std::uint32_t, ensemble::walk_group> leaf;
    std::array<const T*, ensemble::walk_group> row;
    ensemble::WalkedTree walked(ensemble::any_missing(rows, begin, end));
    for (std::size_t t = 0; t < sum.trees.n_trees(); ++t) {
        const ensemble::Node* const nodes = sum.trees.tree(t);
        if (t % 64 == 0)
            monitor.check();
        if (is_stump(sum.trees, t)) {
            add_stump(sum, nodes, rows.numbers, begin, end, out);
            continue;
        }
        walked.take(nodes, sum.trees.size(t), end - begin);
        for (std::size_t first = begin; first < end; first += ensemble::walk_group) {
            const std::size_t n = std::min(ensemble::walk_group, end - first);
            for (std::size_t i = 0; i < n; ++i)
                row[i] = rows.numbers.data() + (first + i) * rows.columns();
            walked.leaves(row.data(), n, leaf.data());
            add_values(sum, nodes, leaf.data(), n, out + first * sum.values.columns());
        }
    }
}

} // namespace detail

/// out[i] += what the trees say of row i, tree after tree. Requires out to hold rows x values.columns() numbers.
/// False if a number is too large to be used; `out` is then not complete. O(rows trees depth) time.
template <class T>
bool add_trees(const TreeSum& sum, const ensemble::WalkedRows<T>& rows, double* out, std::size_t n_threads,
               Monitor& monitor) {
    const std::size_t n = rows.numbers.rows(), width = sum.values.columns();
    const bool plain = ensemble::is_plain(sum.trees) && rows.codes.empty();
    std::atomic<bool> usable = true;
    const auto add = [&](std::size_t begin, std::size_t end, std::size_t) {
        if (plain) {
            if (rows.usable(begin, end))
                detail::add_plain_rows(sum, rows, begin, end, out, monitor);
            else
                usable = false;
            return;
        }
        if (!ensemble::walk_rows(sum.trees, rows, begin, end,
                                 [&](std::size_t t, std::size_t first, const std::uint32_t* leaf, std::size_t count) {
                                     detail::add_values(sum, sum.trees.tree(t), leaf, count, out + first * width);
                                     if (t % 8 == 0)
                                         monitor.check();
                                 }))
            usable = false; // no thread says yes again where another has said no
    };
    if (n == 1) // nobody else need be woken
        add(0, 1, 0);
    else
        parallel_for(n, std::min<std::size_t>(ensemble::rows_at_once(rows, n_threads), 1024), n_threads, monitor, add);
    return usable;
}

} // namespace margin::boosting
