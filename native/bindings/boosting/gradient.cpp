// margin._core.gradient: how trees are boosted, and the names of the losses.
#include "bindings/names.hpp"
#include "margin/boosting/gradient/losses.hpp"
#include "margin/boosting/gradient/settings.hpp"
#include <nanobind/stl/vector.h>

using namespace margin;
using namespace margin::bindings;
using boosting::Settings;

MARGIN_BINDINGS(gradient) {
    auto settings =
        nb::class_<Settings>(gradient, "Settings", "How trees are boosted; see settings.hpp.").def(nb::init<>());
    settings.def_rw("max_leaves", &Settings::max_leaves)
        .def_rw("max_depth", &Settings::max_depth)
        .def_rw("by_depth", &Settings::by_depth)
        .def_rw("symmetric", &Settings::symmetric)
        .def_rw("learning_rate", &Settings::learning_rate)
        .def_rw("l2", &Settings::l2)
        .def_rw("min_gain", &Settings::min_gain)
        .def_rw("min_weight", &Settings::min_weight)
        .def_rw("min_cases", &Settings::min_cases)
        .def_rw("nominal_l2", &Settings::nominal_l2)
        .def_rw("nominal_smooth", &Settings::nominal_smooth)
        .def_rw("row_share", &Settings::row_share)
        .def_rw("column_share", &Settings::column_share)
        .def_rw("top_share", &Settings::top_share)
        .def_rw("drop_share", &Settings::drop_share)
        .def_rw("by_size", &Settings::by_size)
        .def_rw("linear", &Settings::linear)
        .def_rw("alpha", &Settings::alpha)
        .def_rw("monotone", &Settings::monotone)
        .def_rw("interactions", &Settings::interactions)
        .def_rw("seed", &Settings::seed)
        .def_rw("n_threads", &Settings::n_threads);
    gradient.def("losses", [] { return names<boosting::Losses>(); }, "The losses of one score, by name.");
}
