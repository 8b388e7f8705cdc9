// margin._core.neighbors: the families of distances, and what each metric states of itself.
#include "bindings/names.hpp"
#include "margin/neighbors/distances/metric_traits.hpp"
#include "margin/neighbors/mixed/mixed.hpp"
#include "margin/neighbors/sparse/sparse_merge.hpp"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

using namespace margin::bindings;
using namespace margin::neighbors;

MARGIN_BINDINGS(neighbors) {
    neighbors.def("metrics", &names<Distances>, "Sums (or largest) of terms of differences: any index of numbers.");
    neighbors.def("ball_metrics", &names<Metrics>, "All metrics of rows of numbers: ball trees.");
    neighbors.def("sparse_metrics", &names<SparseMetrics>, "Metrics of sparse rows.");
    neighbors.def("mixed_metrics", &names<MixedDistances>, "Metrics of numbers and categories, cells missing.");
    nb::class_<MetricTraits>(neighbors, "MetricTraits")
        .def_ro("of_differences", &MetricTraits::of_differences)
        .def_ro("is_metric", &MetricTraits::is_metric)
        .def_ro("bounded_by_boxes", &MetricTraits::bounded_by_boxes)
        .def_ro("power", &MetricTraits::power)
        .def_ro("order", &MetricTraits::order)
        .def_ro("n_columns", &MetricTraits::n_columns)
        .def_ro("columns", &MetricTraits::columns)
        .def_ro("same_as", &MetricTraits::same_as);
    neighbors.def(
        "metric_traits",
        [](std::string_view metric, double p) {
            return Metrics::visit(metric, [p]<class M>() { return traits_of<M>(p); });
        },
        "metric"_a, "p"_a, "What a metric of rows of numbers states of itself.");
    neighbors.def(
        "mixed_times_for_weights",
        [](std::string_view metric, double root) {
            return MixedDistances::visit(metric, [root]<class M>() { return M::times_for_weights(root); });
        },
        "metric"_a, "root"_a, "What distances are multiplied by if all weights are by the square of root.");
}
