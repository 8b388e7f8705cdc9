// margin._core.svm: sources of kernel values.
#include "source.hpp"
#include "bindings/interrupt.hpp"
#include "margin/svm/kernel/dense_source.hpp"
#include <nanobind/stl/unique_ptr.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class X>
std::unique_ptr<KernelSource> dense(InMatrix<X> x, const svm::Kernel& kernel, double single_up_to) {
    return with_monitor([&](Monitor& monitor) {
        return chosen(single_up_to,
                      [&]<class T>(T) { return std::make_unique<svm::DenseSource<T>>(view(x), kernel, 0, monitor); });
    });
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

Out<double> diagonal(const KernelSource& source) {
    return source.with([&]<class T>(const svm::Source<T>& from) {
        std::vector<T> values(from.size());
        from.diagonal(values.data());
        return give(std::vector<double>(values.begin(), values.end()));
    });
}

} // namespace

MARGIN_BINDINGS(svm) {
    nb::class_<KernelSource>(svm, "KernelSource")
        .def("block", &block, "rows"_a.noconvert(), "columns"_a.noconvert(), "n_threads"_a,
             "Kernel values of some rows against others.")
        .def("diagonal", &diagonal, "The kernel of every row with itself.")
        .def_prop_ro("is_single", [](const KernelSource& source) { return source.single != nullptr; });
    svm.def("dense_source", &dense<double>, "x"_a.noconvert(), "kernel"_a, "single_up_to"_a,
            "Kernel values among the rows of x, of which a copy is kept.");
    svm.def("dense_source", &dense<float>, "x"_a.noconvert(), "kernel"_a, "single_up_to"_a);
}
