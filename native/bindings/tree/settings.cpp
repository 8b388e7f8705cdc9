// margin._core.tree: how trees are grown.
#include "margin/tree/settings.hpp"
#include "bindings/module.hpp"
#include <nanobind/stl/vector.h>

using namespace margin;
using namespace margin::bindings;
using tree::MissingSplit, tree::NominalSplit, tree::NumericSplit, tree::Settings;

MARGIN_BINDINGS(tree) {
    nb::enum_<NominalSplit>(tree, "NominalSplit")
        .value("multiway", NominalSplit::multiway)
        .value("subset", NominalSplit::subset)
        .value("one_vs_rest", NominalSplit::one_vs_rest);
    nb::enum_<NumericSplit>(tree, "NumericSplit")
        .value("threshold", NumericSplit::threshold)
        .value("fixed", NumericSplit::fixed)
        .value("equal_width", NumericSplit::equal_width)
        .value("equal_count", NumericSplit::equal_count)
        .value("mdl", NumericSplit::mdl);
    nb::enum_<MissingSplit>(tree, "MissingSplit")
        .value("direction", MissingSplit::direction)
        .value("fractional", MissingSplit::fractional)
        .value("surrogate", MissingSplit::surrogate);
    auto settings = nb::class_<Settings>(tree, "Settings", "How a tree is grown; see settings.hpp.").def(nb::init<>());
    settings.def_rw("nominal", &Settings::nominal)
        .def_rw("numeric", &Settings::numeric)
        .def_rw("missing", &Settings::missing)
        .def_rw("gain_ratio", &Settings::gain_ratio)
        .def_rw("average_gain", &Settings::average_gain)
        .def_rw("charge_cuts", &Settings::charge_cuts)
        .def_rw("charge_levels", &Settings::charge_levels)
        .def_rw("cuts_from_data", &Settings::cuts_from_data)
        .def_rw("two_branches", &Settings::two_branches)
        .def_rw("tenth_per_class", &Settings::tenth_per_class)
        .def_rw("no_useless_splits", &Settings::no_useless_splits)
        .def_rw("max_depth", &Settings::max_depth)
        .def_rw("max_leaves", &Settings::max_leaves)
        .def_rw("min_split", &Settings::min_split)
        .def_rw("min_leaf", &Settings::min_leaf)
        .def_rw("min_leaf_weight", &Settings::min_leaf_weight)
        .def_rw("min_decrease", &Settings::min_decrease)
        .def_rw("min_impurity", &Settings::min_impurity)
        .def_rw("largest_p", &Settings::largest_p)
        .def_rw("max_intervals", &Settings::max_intervals)
        .def_rw("exact_levels", &Settings::exact_levels)
        .def_rw("cuts", &Settings::cuts)
        .def_rw("max_surrogates", &Settings::max_surrogates)
        .def_rw("missing_disagree", &Settings::missing_disagree)
        .def_rw("max_features", &Settings::max_features)
        .def_rw("random_splits", &Settings::random_splits)
        .def_rw("seed", &Settings::seed);
}
