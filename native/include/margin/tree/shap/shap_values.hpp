#pragma once
// SHAP values of many rows in a sum of trees.
#include "margin/core/monitor.hpp"
#include "margin/core/threads.hpp"
#include "margin/tree/grown/walk.hpp"
#include "shap_row.hpp"
#include "shap_tree.hpp"
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace margin::tree {

/// Where values go. All of it is added to, so that trees of several calls add up.
struct ShapSums {
    double* values;       // rows x columns x width
    double* interactions; // rows x columns x columns x width, off the diagonal; null: not wanted
    double* base;         // width
    std::size_t width;    // of every tree
    double scale = 1;     // of every tree
};

namespace detail {

/// Nodes of trees that are read at once: enough to keep threads busy, and little beside the trees themselves.
inline constexpr std::size_t shap_steps_at_once = std::size_t{1} << 18;

template <class Source, class T>
void add_shap_rows(std::span<const Source> sources, const std::vector<ShapTree>& trees, const WalkedRows<T>& rows,
                   std::size_t begin, std::size_t end, ShapRow& worker, const ShapSums& into, Monitor& monitor) {
    const std::size_t d = rows.columns(), in_row = d * into.width;
    const bool as_given = std::is_same_v<T, double> && rows.codes.empty();
    std::vector<double> cells(as_given ? 0 : (end - begin) * d);
    if (!as_given)
        rows.write(begin, end, cells.data());
    std::vector<std::int32_t> taken;
    for (std::size_t t = 0; t < trees.size(); ++t) {
        worker.prepare(trees[t], into.interactions != nullptr);
        const auto& steps = trees[t].steps;
        taken.assign(steps.size(), 0);
        for (std::size_t i = begin; i < end; ++i) {
            monitor.check();
            const double* row = as_given ? nullptr : cells.data() + (i - begin) * d;
            if constexpr (std::is_same_v<T, double>)
                if (as_given)
                    row = rows.numbers.data() + i * d;
            for (std::size_t s = 0; s < steps.size(); ++s)
                if (steps[s].leaf == ShapStep::inner)
                    taken[s] = sources[t].branch(steps[s].node, row);
            worker.run(taken);
            worker.add_values(into.scale, into.values + i * in_row);
            if (into.interactions)
                worker.add_pairs(into.scale, d, into.interactions + i * in_row * d);
        }
    }
}

} // namespace detail

/// Add the values of every row in every tree; a source is what shap_tree reads. Every row adds up the trees in their
/// order, so that the sums are the same for any number of threads.
/// Requires rows with the columns that the trees ask about. O(rows nodes columns-on-a-way width) time; interactions take
/// as many times longer as there are columns on a way.
template <class Source, class T>
void add_shap_values(std::span<const Source> sources, const WalkedRows<T>& rows, const ShapSums& into,
                     std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = rows.numbers.rows();
    for (std::size_t first = 0; first < sources.size();) {
        std::vector<ShapTree> trees;
        std::size_t n_steps = 0;
        while (first + trees.size() < sources.size() && n_steps < detail::shap_steps_at_once) {
            trees.push_back(shap_tree(sources[first + trees.size()]));
            n_steps += trees.back().steps.size();
            for (std::size_t k = 0; k < into.width; ++k)
                into.base[k] += into.scale * trees.back().base[k];
            monitor.check();
        }
        const std::size_t grain = std::clamp<std::size_t>((std::size_t{1} << 17) / n_steps, 1, 256);
        std::vector<ShapRow> workers(n > 0 ? n_workers(n, grain, n_threads) : 0);
        parallel_for(n, grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t number) {
            detail::add_shap_rows(sources.subspan(first, trees.size()), trees, rows, begin, end, workers[number], into,
                                  monitor);
        });
        first += trees.size();
    }
}

} // namespace margin::tree
