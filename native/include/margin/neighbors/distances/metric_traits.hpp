#pragma once
// What a metric states of itself (distance.hpp, general_distance.hpp), for those who know it by name only.
#include "general_distance.hpp"
#include <optional>

namespace margin::neighbors {

struct MetricTraits {
    bool of_differences;                  // a member of Distances: brute force, kd-trees and sparse rows take it
    bool is_metric;                       // a ball tree can rule rows out
    bool bounded_by_boxes;                // so can a kd-tree
    std::optional<double> power, order;   // see distance.hpp
    std::optional<std::size_t> n_columns; // those it takes, if not any number
    std::string_view columns;             // which they are
    std::string_view same_as;             // the name of the quickest metric that is the same
};

namespace detail {

template <class D>
void add_traits(MetricTraits& traits, double p) {
    traits.of_differences = true;
    traits.bounded_by_boxes =
        requires { D::relative_error(1, p), D::bound_in_float32(1, p, [](const auto&, double) {}); };
    if constexpr (requires { D::power(p); })
        traits.power = D::power(p);
    if constexpr (requires { D::order(p); })
        traits.order = D::order(p);
    if constexpr (requires { D::same_as(p); })
        traits.same_as = D::same_as(p);
}

} // namespace detail

/// Those of a member of Metrics.
template <class M>
MetricTraits traits_of(double p) {
    MetricTraits traits{false, is_metric<M>(p), false, {}, {}, {}, {}, M::name};
    if constexpr (requires { typename M::Differences; })
        detail::add_traits<typename M::Differences>(traits, p);
    if constexpr (requires { M::n_columns; }) {
        traits.n_columns = M::n_columns;
        traits.columns = M::columns;
    }
    return traits;
}

} // namespace margin::neighbors
