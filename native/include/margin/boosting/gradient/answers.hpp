#pragma once
// Rows down all trees: sums of what their leaves say, for each score.
#include "linear_term.hpp"
#include "margin/ensemble/forest/walk_forest.hpp"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>

namespace margin::boosting {

/// Tree t adds to score t mod `start.size()`, from its start on.
struct Trees {
    ensemble::ForestView forest;
    std::span<const double> start;
    std::span<const std::uint32_t> first_term{}; // of linear leaves: of each node over all trees, and the end
    std::span<const LinearTerm> terms{};

    /// What the leaf of a tree says of a row of numbers.
    template <class T>
    double said(std::size_t tree, std::uint32_t leaf, const T* row) const noexcept {
        double sum = forest.tree(tree)[leaf].threshold;
        if (!terms.empty()) {
            const std::size_t node = static_cast<std::size_t>(forest.start[tree]) + leaf;
            for (std::size_t k = first_term[node]; k < first_term[node + 1]; ++k)
                sum += terms[k].at(static_cast<double>(row[terms[k].column]));
        }
        return sum;
    }
    std::size_t width() const noexcept { return start.size(); }
};

/// out[i, k] = start[k] + the sum over the trees of score k, in their order. Requires room for rows x width numbers.
/// False if a number is too large to be used; `out` is then not complete. O(rows trees depth) time.
template <class T>
bool add_up(const Trees& trees, const tree::WalkedRows<T>& rows, double* out, std::size_t n_threads, Monitor& monitor) {
    const ensemble::ForestView& forest = trees.forest;
    const std::size_t n = rows.numbers.rows(), width = trees.width();
    if (n == 1 && ensemble::is_plain(forest) && rows.codes.empty()) { // without asking for memory
        std::copy(trees.start.begin(), trees.start.end(), out);
        for (std::size_t t = 0, k = 0; t < forest.n_trees(); ++t, k = k + 1 == width ? 0 : k + 1) {
            const ensemble::Node* const nodes = forest.tree(t);
            out[k] += trees.said(t, ensemble::leaf_of(nodes, rows.numbers.data()), rows.numbers.data());
        }
        return rows.usable(0, 1);
    }
    std::atomic<bool> usable = true;
    parallel_for(n, ensemble::rows_at_once(rows, n_threads), n_threads, monitor,
                 [&](std::size_t begin, std::size_t end, std::size_t) {
                     for (std::size_t i = begin; i < end; ++i)
                         std::copy(trees.start.begin(), trees.start.end(), out + i * width);
                     const auto add = [&](std::size_t t, std::size_t first, const std::uint32_t* leaf, std::size_t m) {
                         const ensemble::Node* const nodes = forest.tree(t);
                         for (std::size_t i = 0; i < m && trees.terms.empty(); ++i)
                             out[(first + i) * width + t % width] += nodes[leaf[i]].threshold;
                         for (std::size_t i = 0; i < m && !trees.terms.empty(); ++i)
                             out[(first + i) * width + t % width] +=
                                 trees.said(t, leaf[i], rows.numbers.data() + (first + i) * rows.numbers.columns());
                         if (t % 8 == 0)
                             monitor.check();
                     };
                     if (!ensemble::walk_rows(forest, rows, begin, end, add))
                         usable = false;
                 });
    return usable;
}

} // namespace margin::boosting
