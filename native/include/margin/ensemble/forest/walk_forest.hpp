#pragma once
// Rows down all trees of a forest.
//
// Trees take turns on some thousand rows, so that a tree stays in the cache for all of them. A row adds up its trees in
// their order, whatever else is done.
#include "margin/tree/grown/walk.hpp"
#include "nodes.hpp"
#include "walk_tree.hpp"
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace margin::ensemble {

/// The branch of a row at a question of any kind; its cells are doubles, NaN where they are missing.
MARGIN_INLINED std::uint32_t branch_of(const Node& node, const std::uint64_t* words, const double* row) noexcept {
    const double x = row[node.column()];
    if (std::isnan(x))
        return node.tag >> 31;
    if (node.kind() == Node::Kind::threshold)
        return x > node.threshold;
    const std::uint32_t code = tree::code_within(x, std::numeric_limits<std::uint32_t>::max());
    return code / 64 >= node.list.n || !(words[node.list.begin + code / 64] >> (code % 64) & 1);
}

/// The leaf of such a row.
inline std::uint32_t leaf_of_any(const Node* nodes, const std::uint64_t* words, const double* row) noexcept {
    std::uint32_t at = 0;
    while (!nodes[at].is_leaf())
        at = nodes[at].first + branch_of(nodes[at], words, row);
    return at;
}

/// Rows that one thread takes at a time. Many, since every tree is read anew for them: measured on trees of 15,000 nodes
/// and 20 columns, 79 ns a row and tree with 12,800 rows at a time, 124 with 1,600; but not so many that their cells, which
/// every tree reads anew, leave the last level of the cache.
template <class T>
std::size_t rows_at_once(const WalkedRows<T>& rows, std::size_t n_threads) noexcept {
    constexpr std::size_t room = std::size_t{1} << 21, shares = 4; // shares: so that threads end together
    const std::size_t fit = room / (rows.columns() * sizeof(T));
    const std::size_t fair = rows.numbers.rows() / (shares * (n_threads == 0 ? threads() : n_threads));
    return std::max(std::min(fit, fair), walk_group) / walk_group * walk_group;
}

/// Whether any number of rows [begin, end) is missing.
template <class T>
bool any_missing(const WalkedRows<T>& rows, std::size_t begin, std::size_t end) noexcept {
    std::size_t n_missing = 0; // a sum rather than a way out, so that it is vectorised
    for (const T cell : rows.numbers.slice(begin, end).cells())
        n_missing += std::isnan(cell);
    return n_missing > 0;
}

/// Whether no node asks about levels.
inline bool is_plain(const ForestView& forest) noexcept { return forest.words.empty(); }

/// What the leaves of a tree say, added to `out`.
inline void add_answers(const ForestView& forest, const Node* nodes, const std::uint32_t* leaf, std::size_t n,
                        double* out) noexcept {
    if (!forest.by_rows()) {
        for (std::size_t i = 0; i < n; ++i)
            out[i] += nodes[leaf[i]].threshold;
        return;
    }
    const std::size_t width = forest.width;
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(nodes[leaf[i]].threshold);
        if (row < width) {
            out[i * width + row] += 1;
            continue;
        }
        const double* const shares = forest.shares.data() + (row - width) * width;
        for (std::size_t k = 0; k < width; ++k)
            out[i * width + k] += shares[k];
    }
}

/// The leaves of some rows in one tree after another. `at(t, i, leaf, n)` is given those of rows i ... i + n - 1 in tree t.
/// False if a number is too large to be used.
template <class T, class At>
bool walk_rows(const ForestView& forest, const WalkedRows<T>& rows, std::size_t begin, std::size_t end, At&& at) {
    if (!rows.usable(begin, end))
        return false;
    const std::size_t d = rows.columns();
    const bool plain = is_plain(forest) && rows.codes.empty();
    std::vector<double> cells(plain ? 0 : (end - begin) * d);
    if (!plain)
        rows.write(begin, end, cells.data());
    std::array<std::uint32_t, walk_group> leaf;
    std::array<const T*, walk_group> row;
    WalkedTree tree(plain && any_missing(rows, begin, end));
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        if (plain)
            tree.take(forest.tree(t), forest.size(t), end - begin);
        for (std::size_t first = begin; first < end; first += walk_group) {
            const std::size_t n = std::min(walk_group, end - first);
            for (std::size_t i = 0; i < n; ++i)
                if (plain)
                    row[i] = rows.numbers.data() + (first + i) * d;
                else
                    leaf[i] = leaf_of_any(forest.tree(t), forest.words.data(), cells.data() + (first - begin + i) * d);
            if (plain)
                tree.leaves(row.data(), n, leaf.data());
            at(t, first, leaf.data(), n);
        }
    }
    return true;
}

/// The answer to one row of numbers, without asking for memory. Requires a plain forest.
template <class T>
void mean_answer(const ForestView& forest, const T* row, double* out) noexcept {
    std::fill_n(out, forest.width, 0.0);
    for (std::size_t t = 0; t < forest.n_trees(); ++t) {
        const std::uint32_t leaf = leaf_of(forest.tree(t), row);
        add_answers(forest, forest.tree(t), &leaf, 1, out);
    }
    for (std::size_t k = 0; k < forest.width; ++k)
        out[k] /= static_cast<double>(forest.n_trees());
}

/// out[i] = the mean of what the trees say of row i. Requires out to hold rows x width numbers.
/// False if a number is too large to be used; `out` is then not complete. O(rows trees depth) time.
template <class T>
bool mean_answers(const ForestView& forest, const WalkedRows<T>& rows, double* out, std::size_t n_threads,
                  Monitor& monitor) {
    const std::size_t n = rows.numbers.rows(), width = forest.width;
    if (n == 1 && is_plain(forest) && rows.codes.empty()) {
        mean_answer(forest, rows.numbers.data(), out);
        return rows.usable(0, 1);
    }
    std::atomic<bool> usable = true;
    parallel_for(
        n, rows_at_once(rows, n_threads), n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            std::fill(out + begin * width, out + end * width, 0.0);
            // No thread says yes again where another has said no.
            if (!walk_rows(forest, rows, begin, end,
                           [&](std::size_t t, std::size_t first, const std::uint32_t* leaf, std::size_t count) {
                               add_answers(forest, forest.tree(t), leaf, count, out + first * width);
                               if (t % 8 == 0)
                                   monitor.check();
                           }))
                usable = false;
            for (std::size_t i = begin * width; i < end * width; ++i)
                out[i] /= static_cast<double>(forest.n_trees());
        });
    return usable;
}

/// leaf[i, t] = the leaf of row i in tree t.
template <class T>
void all_leaves(const ForestView& forest, const WalkedRows<T>& rows, std::int32_t* leaf, std::size_t n_threads,
                Monitor& monitor) {
    const std::size_t n_trees = forest.n_trees();
    parallel_for(rows.numbers.rows(), rows_at_once(rows, n_threads), n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     walk_rows(forest, rows, begin, end,
                               [&](std::size_t t, std::size_t first, const std::uint32_t* found, std::size_t count) {
                                   for (std::size_t i = 0; i < count; ++i)
                                       leaf[(first + i) * n_trees + t] = static_cast<std::int32_t>(found[i]);
                               });
                 });
}

} // namespace margin::ensemble
