#pragma once
// Settings from a dictionary of Python, and a grown tree as one.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/tree/grown/tree_arrays.hpp"
#include "margin/tree/settings.hpp"
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace margin::bindings {

template <class T>
void read_setting(const nb::dict& given, const char* name, T& into) {
    if (!given.contains(name))
        return;
    if constexpr (std::is_enum_v<T>)
        into = static_cast<T>(nb::cast<std::uint8_t>(given[name]));
    else
        into = nb::cast<T>(given[name]);
}

/// Enumerations come as numbers; what is not there keeps its default. `monotone` is kept alive by the caller.
inline tree::Settings tree_settings(const nb::dict& given) {
    tree::Settings s;
    read_setting(given, "nominal", s.nominal);
    read_setting(given, "numeric", s.numeric);
    read_setting(given, "missing", s.missing);
    read_setting(given, "gain_ratio", s.gain_ratio);
    read_setting(given, "average_gain", s.average_gain);
    read_setting(given, "charge_cuts", s.charge_cuts);
    read_setting(given, "charge_levels", s.charge_levels);
    read_setting(given, "cuts_from_data", s.cuts_from_data);
    read_setting(given, "two_branches", s.two_branches);
    read_setting(given, "tenth_per_class", s.tenth_per_class);
    read_setting(given, "no_useless_splits", s.no_useless_splits);
    read_setting(given, "max_depth", s.max_depth);
    read_setting(given, "max_leaves", s.max_leaves);
    read_setting(given, "min_split", s.min_split);
    read_setting(given, "min_leaf", s.min_leaf);
    read_setting(given, "min_leaf_weight", s.min_leaf_weight);
    read_setting(given, "min_decrease", s.min_decrease);
    read_setting(given, "largest_p", s.largest_p);
    read_setting(given, "max_intervals", s.max_intervals);
    read_setting(given, "exact_levels", s.exact_levels);
    read_setting(given, "cuts", s.cuts);
    read_setting(given, "max_surrogates", s.max_surrogates);
    read_setting(given, "max_features", s.max_features);
    read_setting(given, "seed", s.seed);
    return s;
}

inline nb::dict give(tree::GrownTree&& grown) {
    nb::dict arrays;
    const std::size_t n = grown.size();
    arrays["ask"] = give(std::move(grown.ask));
    arrays["column"] = give(std::move(grown.column));
    arrays["threshold"] = give(std::move(grown.threshold));
    arrays["missing"] = give(std::move(grown.missing));
    arrays["value"] = give(std::move(grown.value), n, grown.width);
    arrays["cases"] = give(std::move(grown.cases));
    arrays["weight"] = give(std::move(grown.weight));
    arrays["impurity"] = give(std::move(grown.impurity));
    arrays["gain"] = give(std::move(grown.gain));
    arrays["child_start"] = give(std::move(grown.child_start));
    arrays["child"] = give(std::move(grown.child));
    arrays["detail_start"] = give(std::move(grown.detail_start));
    arrays["detail"] = give(std::move(grown.detail));
    arrays["surrogate_start"] = give(std::move(grown.surrogate_start));
    arrays["surrogate_column"] = give(std::move(grown.surrogate_column));
    arrays["surrogate_threshold"] = give(std::move(grown.surrogate_threshold));
    arrays["surrogate_low"] = give(std::move(grown.surrogate_low));
    arrays["surrogate_detail_start"] = give(std::move(grown.surrogate_detail_start));
    arrays["surrogate_detail"] = give(std::move(grown.surrogate_detail));
    return arrays;
}

} // namespace margin::bindings
