// margin._core.svm: sparse rows as sums of kernels read them.
#include "bindings/cells.hpp"
#include "margin/svm/kernel/csr_rows.hpp"
#include "source.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T, class X>
nb::tuple store(In<X> values, const Places& columns, const Places& start, std::size_t width,
                const svm::Kernel& kernel) {
    svm::CsrRows<T> rows(csr(values, columns, start, width), kernel);
    return std::apply([](auto&&... arrays) { return nb::make_tuple(give(std::move(arrays))...); }, rows.release());
}

template <class T>
void bind_store(nb::module_& svm) {
    for_each_type<double, float>([&]<class X>() {
        svm.def(sizeof(T) == 4 ? "store_single" : "store_full", &store<T, X>, "values"_a.noconvert(),
                "columns"_a.noconvert(), "start"_a.noconvert(), "width"_a, "kernel"_a,
                "Values, columns, starts and squared lengths.");
    });
}

} // namespace

MARGIN_BINDINGS(svm) {
    bind_store<float>(svm);
    bind_store<double>(svm);
}
