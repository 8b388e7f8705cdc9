// margin._core.svm: kernel values that were computed before.
#include "margin/svm/kernel/matrix_source.hpp"
#include "source.hpp"
#include <nanobind/stl/unique_ptr.h>

using namespace margin;
using namespace margin::bindings;

namespace {

std::unique_ptr<KernelSource> full(InMatrix<double> values) {
    auto made = std::make_unique<KernelSource>();
    made->full = std::make_unique<svm::MatrixSource<double>>(view(values));
    return made;
}

std::unique_ptr<KernelSource> single(InMatrix<float> values) {
    auto made = std::make_unique<KernelSource>();
    made->single = std::make_unique<svm::MatrixSource<float>>(view(values));
    return made;
}

} // namespace

MARGIN_BINDINGS(svm) {
    svm.def("matrix_source", &full, "values"_a.noconvert(), nb::keep_alive<0, 1>(),
            "The values of a square matrix, which is not copied.");
    svm.def("matrix_source", &single, "values"_a.noconvert(), nb::keep_alive<0, 1>());
}
