// margin._core.deep: what a network says of rows.
#include "answering.hpp"
#include "bindings/cells.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
void bind_network(nb::module_& family, const char* name) {
    nb::class_<deep::Network<T>>(family, name, "A network laid out for answering.")
        .def(
            "__init__",
            [](deep::Network<T>* made, const std::vector<std::size_t>& units, std::string_view activation,
               In<double> flat, std::vector<double> center, std::vector<double> spread,
               const std::vector<std::size_t>& levels, const std::vector<std::size_t>& widths) {
                new (made) deep::Network<T>(units, activation, flat.data(), std::move(center), std::move(spread),
                                            {levels, widths});
            },
            "units"_a, "activation"_a, "weights"_a.noconvert(), "center"_a, "spread"_a,
            "levels"_a = std::vector<std::size_t>{}, "widths"_a = std::vector<std::size_t>{})
        .def("answer", &answer_rows<T>, "x"_a, "scaled"_a, "largest"_a, "what"_a, "out"_a, "n_threads"_a,
             "Scores, winners or probabilities into `out`; False if a row cannot be answered as it stands.")
        .def("answer_sparse", &answer_sparse<T>, "cells"_a.noconvert(), "columns"_a.noconvert(), "starts"_a.noconvert(),
             "what"_a, "out"_a, "n_threads"_a, "The same for sparse rows that are on the network's scale.");
}

} // namespace

MARGIN_BINDINGS(deep) {
    nb::set_leak_warnings(false);
    bind_network<double>(deep, "Network");
    bind_network<float>(deep, "SingleNetwork");
}
