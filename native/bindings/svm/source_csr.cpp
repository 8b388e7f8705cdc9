// margin._core.svm: kernel values among sparse rows.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/svm/kernel/csr_source.hpp"
#include "source.hpp"
#include <nanobind/stl/unique_ptr.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class X>
std::unique_ptr<KernelSource> source(In<X> values, const Places& columns, const Places& start, std::size_t width,
                                     const svm::Kernel& kernel, double single_up_to) {
    const auto x = csr(values, columns, start, width);
    return with_monitor([&](Monitor&) {
        return chosen(single_up_to, [&]<class T>(T) { return std::make_unique<svm::CsrSource<T>>(x, kernel); });
    });
}

} // namespace

MARGIN_BINDINGS(svm) {
    for_each_type<double, float>([&]<class X>() {
        svm.def("csr_source", &source<X>, "values"_a.noconvert(), "columns"_a.noconvert(), "start"_a.noconvert(),
                "width"_a, "kernel"_a, "single_up_to"_a,
                "Kernel values among rows in canonical CSR, of which a copy is kept.");
    });
}
