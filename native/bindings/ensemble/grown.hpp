#pragma once
// What growing a forest is given, and a grown forest as a dictionary of NumPy arrays.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/tree/tree.hpp"
#include "margin/ensemble/forest/grow_forest.hpp"
#include <memory>
#include <nanobind/stl/tuple.h>

namespace margin::bindings {

/// Votes that the caller keeps, how many there are of each row, and the weights of the rows; no votes: not wanted.
using Votes = std::tuple<InOutMatrix<double>, InOutMatrix<std::int32_t>, In<double>>;

inline std::unique_ptr<ensemble::OutOfBagVotes> votes_in(const Votes& votes, bool by_rows) {
    if (std::get<0>(votes).size() == 0)
        return nullptr;
    const auto& [sums, counts, weight] = votes;
    return std::make_unique<ensemble::OutOfBagVotes>(std::span(sums.data(), sums.size()),
                                                     std::span(counts.data(), counts.size()), span(weight), by_rows);
}

inline ensemble::ForestPlan with_ends(ensemble::ForestPlan plan, const In<std::int64_t>& ends) {
    plan.ends = span(ends);
    return plan;
}

inline nb::dict give(ensemble::GrownForest&& forest, std::size_t width, std::size_t n_columns) {
    nb::dict arrays;
    const std::size_t n_trees = forest.start.size() - 1, n_nodes = forest.nodes.size();
    auto* const kept = new std::vector<ensemble::Node>(std::move(forest.nodes));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<ensemble::Node>*>(p); });
    arrays["nodes"] = OutMatrix<std::uint64_t>(reinterpret_cast<std::uint64_t*>(kept->data()), {n_nodes, 2}, owner);
    arrays["start"] = give(std::move(forest.start));
    arrays["words"] = give(std::move(forest.words));
    const std::size_t n_rows = forest.shares.size() / width;
    arrays["shares"] = give(std::move(forest.shares), n_rows, width);
    arrays["leaf_weight"] = give(std::move(forest.leaf_weight));
    arrays["decrease"] = give(std::move(forest.decrease), n_trees, n_columns);
    arrays["error"] = give(std::move(forest.error));
    return arrays;
}

} // namespace margin::bindings
