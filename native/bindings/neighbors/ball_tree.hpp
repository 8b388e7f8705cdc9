#pragma once
// Trees of balls as Python keeps them.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/neighbors/ball_tree/ball_tree.hpp"
#include <nanobind/stl/tuple.h>
#include <tuple>

namespace margin::bindings {

/// Levels, place, reach, smallest, largest.
using Kept = std::tuple<std::size_t, In<std::int64_t>, In<double>, In<double>, In<double>>;

inline nb::tuple give(neighbors::BallTree&& tree) {
    return nb::make_tuple(tree.levels, give(std::move(tree.place)), give(std::move(tree.reach)),
                          give(std::move(tree.smallest)), give(std::move(tree.largest)));
}

inline nb::tuple give(neighbors::FoundLists&& found) {
    return nb::make_tuple(give(std::move(found.start)), give(std::move(found.distance)), give(std::move(found.row)));
}

/// The k nearest rows of n queries as run(distances, rows, monitor) writes them.
template <class Run>
nb::tuple give_nearest(std::size_t n, std::size_t k, Run run) {
    std::vector<double> distance(n * k);
    std::vector<std::int64_t> row(n * k);
    with_monitor([&](Monitor& m) { run(distance.data(), row.data(), m); });
    return nb::make_tuple(give(std::move(distance), n, k), give(std::move(row), n, k));
}

inline neighbors::BallTreeView view(const Kept& kept) {
    const auto& [levels, place, reach, smallest, largest] = kept;
    return {levels, place.size(), place.data(), reach.data(), smallest.data(), largest.data()};
}

} // namespace margin::bindings
