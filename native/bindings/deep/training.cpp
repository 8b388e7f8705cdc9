// margin._core.deep: a network that learns.
#include "margin/deep/training.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "trainer.hpp"
#include <nanobind/stl/string.h>

using namespace margin;
using namespace margin::bindings;

namespace {

using Sizes = std::vector<std::size_t>;

template <class T>
void bind_trainer(nb::module_& family, const char* name) {
    using Self = LearningNetwork<T>;
    nb::class_<Self>(family, name, "A network of given units, its weights and what its optimiser remembers.")
        .def(nb::init<const Sizes&, const std::string&, const std::string&, const std::string&, double, double, double,
                      double, double, double, double, std::uint64_t, const Sizes&, const Sizes&, const Sizes&, bool,
                      double, double, double>(),
             "units"_a, "activation"_a, "error"_a, "optimizer"_a, "alpha"_a, "momentum"_a, "beta_1"_a, "beta_2"_a,
             "epsilon"_a, "clip"_a, "dropout"_a, "seed"_a, "levels"_a = Sizes{}, "widths"_a = Sizes{},
             "groups"_a = Sizes{}, "batch_norm"_a = false, "smoothing"_a = 0.0, "mixup"_a = 0.0, "average"_a = 0.0)
        .def("begin", &Self::begin, "weights"_a.noconvert(),
             "Begin with weights, flat: the vectors of codes, then each layer's weights, a row for each input, and its "
             "intercepts. Factors of batch norm are 1.")
        .def("set", &Self::set, "weights"_a.noconvert(), "first"_a.noconvert().none(), "second"_a.noconvert().none(),
             "steps"_a, "average"_a.noconvert().none() = nb::none(), "norms"_a.noconvert().none() = nb::none(),
             "Go on from weights, what is remembered and running means, as they were asked for.")
        .def("weights", &Self::weights, "The weights, flat, each layer's factors of batch norm behind its intercepts.")
        .def("memory", &Self::memory, "What the optimiser remembers of each weight, flat, and the steps it made.")
        .def("average", &Self::average, "The averaged weights, flat; None where they are not averaged.")
        .def("norms", &Self::norms, "Running means and variances of hidden units; None without batch norm.")
        .def("answering", &Self::answering, "The weights that answer, flat: averaged, and without batch norm.")
        .def("epoch", &Self::epoch, "x"_a.noconvert().none(), "classes"_a.noconvert().none(),
             "values"_a.noconvert().none(), "weight"_a.noconvert().none(), "order"_a.noconvert(), "batch"_a,
             "rates"_a.noconvert(), "n_threads"_a, "cells"_a.noconvert().none() = nb::none(),
             "columns"_a.noconvert().none() = nb::none(), "starts"_a.noconvert().none() = nb::none(),
             "Learn from rows in batches: mean loss, mean length of the gradient, and the batch that failed, or -1. "
             "Sparse rows come as cells, columns and starts instead of x.")
        .def("objective", &Self::objective, "x"_a.noconvert().none(), "classes"_a.noconvert().none(),
             "values"_a.noconvert().none(), "weight"_a.noconvert().none(), "order"_a.noconvert(), "n_threads"_a,
             "cells"_a.noconvert().none() = nb::none(), "columns"_a.noconvert().none() = nb::none(),
             "starts"_a.noconvert().none() = nb::none(),
             "The mean loss of all rows with its penalty, and the gradient, flat.");
}

} // namespace

MARGIN_BINDINGS(deep) {
    bind_trainer<double>(deep, "Trainer");
    bind_trainer<float>(deep, "SingleTrainer");
}
