#pragma once
// Shapley values of the columns for what trees add up to: how much of a score is due to each column of a row.
//
// What a tree would say if only some columns were known is the mean over the branches of its other questions, by the
// second derivatives that went down either (the rows of a node, as the loss weighs them). The values are exact, in
// O(leaves depth^2) time for a row and tree. Lundberg et al. (2020), "From local explanations to global understanding
// with explainable AI for trees", algorithm 2.
#include "answers.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::boosting {

namespace detail {

/// A column on the way to a node: the shares of sets of columns that go this way where it is not known (`zero`) and where
/// it is (`one`), and the weights of sets of each size.
struct PathStep {
    std::uint32_t column;
    double zero, one, weight;
};

/// One row down one tree.
class ShapleyWalk {
public:
    ShapleyWalk(const Trees& trees, std::size_t tree, const double* cover, const double* row, double* out)
        : trees_(trees), nodes_(trees.forest.tree(tree)), cover_(cover + trees.forest.start[tree]),
          first_(static_cast<std::size_t>(trees.forest.start[tree])), row_(row), out_(out) {}

    void visit(std::uint32_t at, std::vector<PathStep> path, double zero, double one, std::uint32_t column) {
        extend(path, zero, one, column);
        const ensemble::Node& node = nodes_[at];
        if (node.is_leaf()) {
            add(path, node.threshold);
            if (!trees_.terms.empty())
                add_terms(path, first_ + at);
            return;
        }
        const std::uint32_t hot = node.first + ensemble::branch_of(node, trees_.forest.words.data(), row_);
        const std::uint32_t cold = 2 * node.first + 1 - hot;
        double seen_zero = 1, seen_one = 1;
        for (std::size_t i = 1; i < path.size(); ++i)
            if (path[i].column == node.column()) {
                seen_zero = path[i].zero;
                seen_one = path[i].one;
                take_out(path, i);
                break;
            }
        const double all = cover_[hot] + cover_[cold];
        const double share = all > 0 ? cover_[hot] / all : 0.5;
        visit(hot, path, seen_zero * share, seen_one, node.column());
        visit(cold, path, seen_zero * (1 - share), 0, node.column());
    }

private:
    void add(const std::vector<PathStep>& path, double value) {
        for (std::size_t i = 1; i < path.size(); ++i)
            out_[path[i].column] += sum_without(path, i) * (path[i].one - path[i].zero) * value;
    }

    /// Of a linear leaf: a term is 0, its mean, as long as its own column is not known.
    void add_terms(const std::vector<PathStep>& path, std::size_t node) {
        for (std::size_t k = trees_.first_term[node]; k < trees_.first_term[node + 1]; ++k) {
            const LinearTerm& term = trees_.terms[k];
            std::size_t i = 1;
            while (i < path.size() && path[i].column != term.column)
                ++i;
            if (i == path.size() || path[i].one == 0)
                continue;
            std::vector<PathStep> known = path;
            take_out(known, i);
            extend(known, 0, path[i].one, term.column);
            add(known, term.at(row_[term.column]));
        }
    }

    static void extend(std::vector<PathStep>& path, double zero, double one, std::uint32_t column) {
        const std::size_t n = path.size();
        path.push_back({column, zero, one, n == 0 ? 1.0 : 0.0});
        const auto size = static_cast<double>(n + 1);
        for (std::size_t i = n; i-- > 0;) {
            path[i + 1].weight += one * path[i].weight * static_cast<double>(i + 1) / size;
            path[i].weight = zero * path[i].weight * static_cast<double>(n - i) / size;
        }
    }

    /// What extend did with step i, undone.
    static void take_out(std::vector<PathStep>& path, std::size_t i) {
        const std::size_t last = path.size() - 1;
        const double zero = path[i].zero, one = path[i].one, size = static_cast<double>(last + 1);
        double next = path[last].weight;
        for (std::size_t j = last; j-- > 0;) {
            if (one != 0) {
                const double before = path[j].weight;
                path[j].weight = next * size / (static_cast<double>(j + 1) * one);
                next = before - path[j].weight * zero * static_cast<double>(last - j) / size;
            } else {
                path[j].weight = path[j].weight * size / (zero * static_cast<double>(last - j));
            }
        }
        for (std::size_t j = i; j < last; ++j) {
            path[j].column = path[j + 1].column;
            path[j].zero = path[j + 1].zero;
            path[j].one = path[j + 1].one;
        }
        path.pop_back();
    }

    /// The sum of the weights that would be left.
    static double sum_without(const std::vector<PathStep>& path, std::size_t i) {
        const std::size_t last = path.size() - 1;
        const double zero = path[i].zero, one = path[i].one, size = static_cast<double>(last + 1);
        double next = path[last].weight, sum = 0;
        for (std::size_t j = last; j-- > 0;) {
            if (one != 0) {
                const double weight = next * size / (static_cast<double>(j + 1) * one);
                sum += weight;
                next = path[j].weight - weight * zero * static_cast<double>(last - j) / size;
            } else if (zero != 0) {
                sum += path[j].weight * size / (zero * static_cast<double>(last - j));
            }
        }
        return sum;
    }

    const Trees& trees_;
    const ensemble::Node* nodes_;
    const double* cover_;
    std::size_t first_; // the root among the nodes of all trees
    const double* row_;
    double* out_;
};

} // namespace detail

/// out[i, k, j] += what column j adds to score k of row i, over all trees. Requires as many covers as nodes, at least 0.
template <class T>
void add_shapley(const Trees& trees, std::span<const double> cover, const tree::WalkedRows<T>& rows, double* out,
                 std::size_t n_threads, Monitor& monitor) {
    const ensemble::ForestView& forest = trees.forest;
    const std::size_t d = rows.columns(), width = trees.width();
    parallel_for(rows.numbers.rows(), 1, n_threads, monitor, [&](std::size_t i, std::size_t, std::size_t) {
        std::vector<double> cells(d);
        rows.write(i, i + 1, cells.data());
        for (std::size_t t = 0; t < forest.n_trees(); ++t) {
            monitor.check();
            detail::ShapleyWalk walk(trees, t, cover.data(), cells.data(), out + (i * width + t % width) * d);
            walk.visit(0, {}, 1, 1, 0);
        }
    });
}

} // namespace margin::boosting
