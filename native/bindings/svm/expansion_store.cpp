// margin._core.svm: sparse rows as sums of kernels read them.
#include "bindings/cells.hpp"
#include "margin/svm/kernel/csr_rows.hpp"
#include "source.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T, class X, class Index>
nb::tuple store(In<X> values, In<Index> columns, In<Index> start, std::size_t width, const svm::Kernel& kernel) {
    svm::CsrRows<T> rows(csr(values, columns, start, width), kernel);
    return std::apply([](auto&&... arrays) { return nb::make_tuple(give(std::move(arrays))...); }, rows.release());
}

template <class T>
void bind(nb::module_& svm) {
    for_each_csr_type([&]<class X, class Index>() {
        svm.def(sizeof(T) == 4 ? "store_single" : "store_full", &store<T, X, Index>, "values"_a.noconvert(),
                "columns"_a.noconvert(), "start"_a.noconvert(), "width"_a, "kernel"_a,
                "Values, columns, starts and squared lengths.");
    });
}

} // namespace

MARGIN_BINDINGS(svm) {
    bind<float>(svm);
    bind<double>(svm);
}
