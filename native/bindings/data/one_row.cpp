// margin._core.data: one row of words and numbers in one call.
#include "one_row.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(data) {
    nb::class_<RowReader>(data, "RowReader", "Reads single rows of learnt columns.")
        .def(nb::init<nb::tuple, nb::tuple, nb::object, nb::object>(), "names"_a, "codes"_a, "left_out"_a,
             "number_types"_a)
        .def("cells", &RowReader::cells, "x"_a.none(), "largest"_a,
             "A float or a code for each column; None where the row is to be read as a table.")
        .def("split", &RowReader::split, "x"_a.none(), "largest"_a, "numbers"_a.noconvert(), "codes"_a.noconvert(),
             "Write numbers and codes; False where the row is to be read as a table.")
        .def("one_hot", &RowReader::one_hot, "x"_a.none(), "largest"_a, "place"_a.noconvert(), "learnt"_a.noconvert(),
             "out"_a.noconvert(), "Write the row of a matrix; False where the row is to be read as a table.");
}
