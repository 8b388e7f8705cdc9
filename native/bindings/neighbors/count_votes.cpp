// margin._core.neighbors: what neighbours that were found answer.
#include "margin/neighbors/voting/count_votes.hpp"
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;
using namespace margin::neighbors;

namespace {

NearestLists lists_of(const InMatrix<double>& distance, const InMatrix<std::int64_t>& place, std::size_t k) {
    return {distance.data(), place.data(), distance.shape(0), distance.shape(1), k};
}

nb::tuple count(InMatrix<double> distance, InMatrix<std::int64_t> place, std::size_t k, In<std::int32_t> labels,
                std::size_t n_classes, std::string_view weights, std::size_t n_threads) {
    const NearestLists lists = lists_of(distance, place, k);
    std::vector<double> sums(lists.n * n_classes);
    std::vector<std::int64_t> codes(lists.n);
    const std::int64_t least = with_monitor([&](Monitor& monitor) {
        return VotesByDistance::visit(weights, [&]<class V>() {
            return count_votes<V>(lists, span(labels), n_classes, sums.data(), codes.data(), n_threads, monitor);
        });
    });
    return nb::make_tuple(give(std::move(sums), lists.n, n_classes), give(std::move(codes)), least);
}

nb::tuple mean(InMatrix<double> distance, InMatrix<std::int64_t> place, std::size_t k, InMatrix<double> targets,
               std::string_view weights, std::size_t n_threads) {
    const NearestLists lists = lists_of(distance, place, k);
    const std::size_t n_targets = targets.shape(1);
    std::vector<double> means(lists.n * n_targets);
    std::vector<std::int64_t> codes(lists.n);
    const std::int64_t least = with_monitor([&](Monitor& monitor) {
        return VotesByDistance::visit(weights, [&]<class V>() {
            return mean_targets<V>(lists, targets.data(), targets.shape(0), n_targets, means.data(), codes.data(),
                                   n_threads, monitor);
        });
    });
    return nb::make_tuple(give(std::move(means), lists.n, n_targets), give(std::move(codes)), least);
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    neighbors.def("count_votes", &count, "distance"_a.noconvert(), "place"_a.noconvert(), "k"_a, "labels"_a.noconvert(),
                  "n_classes"_a, "weights"_a, "n_threads"_a,
                  "Votes on each case by class, the winners (below 0 where there is none) and the smallest of these.");
    neighbors.def(
        "mean_targets", &mean, "distance"_a.noconvert(), "place"_a.noconvert(), "k"_a, "targets"_a.noconvert(),
        "weights"_a, "n_threads"_a,
        "The mean of the neighbours' targets for each case, 0 or below where there is none, the smallest of these.");
}
