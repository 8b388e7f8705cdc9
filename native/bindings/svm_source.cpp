// margin._core.svm: sources of kernel values.
#include "svm_source.hpp"
#include "interrupt.hpp"
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class X>
std::unique_ptr<KernelSource> dense(InMatrix<X> x, std::string_view name, double gamma, double coef0, double degree,
                                    bool single) {
    const svm::Kernel kernel{svm::kind_of(name), gamma, coef0, degree};
    auto made = std::make_unique<KernelSource>();
    if (single)
        made->single = std::make_unique<svm::DenseSource<float>>(view(x), kernel, 0);
    else
        made->full = std::make_unique<svm::DenseSource<double>>(view(x), kernel, 0);
    return made;
}

OutMatrix<double> block(const KernelSource& source, In<std::uint32_t> rows, In<std::uint32_t> columns,
                        std::size_t n_threads) {
    return source.with([&]<class T>(const svm::Source<T>& from) {
        std::vector<T> values(rows.size() * columns.size());
        with_monitor([&](Monitor& monitor) {
            from.block(span(rows), span(columns), values.data(), columns.size(), n_threads, monitor);
        });
        return give(std::vector<double>(values.begin(), values.end()), rows.size(), columns.size());
    });
}

} // namespace

MARGIN_BINDINGS(svm) {
    nb::class_<KernelSource>(svm, "KernelSource")
        .def("block", &block, "rows"_a.noconvert(), "columns"_a.noconvert(), "n_threads"_a,
             "Kernel values of some rows against others.");
    svm.def("dense_source", &dense<double>, "x"_a.noconvert(), "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "single"_a,
            "Kernel values among the rows of x, of which a copy is kept.");
    svm.def("dense_source", &dense<float>, "x"_a.noconvert(), "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "single"_a);
}
