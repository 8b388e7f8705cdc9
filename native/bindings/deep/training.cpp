// margin._core.deep: a network that learns.
#include "margin/deep/training.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "trainer.hpp"
#include <nanobind/stl/string.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
void bind(nb::module_& family, const char* name) {
    using Self = LearningNetwork<T>;
    nb::class_<Self>(family, name, "A network of given units, its weights and what its optimiser remembers.")
        .def(nb::init<const std::vector<std::size_t>&, const std::string&, const std::string&, const std::string&,
                      double, double, double, double, double, double, double, std::uint64_t>(),
             "units"_a, "activation"_a, "error"_a, "optimizer"_a, "alpha"_a, "momentum"_a, "beta_1"_a, "beta_2"_a,
             "epsilon"_a, "clip"_a, "dropout"_a, "seed"_a)
        .def("set", &Self::set, "weights"_a.noconvert(), "first"_a.noconvert().none(), "second"_a.noconvert().none(),
             "steps"_a, "Weights and memory, flat: each layer's weights, a row for each input, then its intercepts.")
        .def("weights", &Self::weights, "The weights, flat.")
        .def("memory", &Self::memory, "What the optimiser remembers of each weight, flat, and the steps it made.")
        .def("epoch", &Self::epoch, "x"_a.noconvert(), "classes"_a.noconvert().none(), "values"_a.noconvert().none(),
             "weight"_a.noconvert().none(), "order"_a.noconvert(), "batch"_a, "rates"_a.noconvert(), "n_threads"_a,
             "Learn from rows in batches: mean loss, mean length of the gradient, and the batch that failed, or -1.")
        .def("objective", &Self::objective, "x"_a.noconvert(), "classes"_a.noconvert().none(),
             "values"_a.noconvert().none(), "weight"_a.noconvert().none(), "order"_a.noconvert(), "n_threads"_a,
             "The mean loss of all rows with its penalty, and the gradient, flat.");
}

} // namespace

MARGIN_BINDINGS(deep) {
    bind<double>(deep, "Trainer");
    bind<float>(deep, "SingleTrainer");
}
