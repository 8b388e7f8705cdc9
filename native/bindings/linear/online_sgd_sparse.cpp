// margin._core.linear: an epoch of stochastic gradient descent over rows of which only cells that are not 0 are stored.
#include "online_sgd.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T, class I, class... Rest>
nb::tuple sparse(In<T> a, In<I> b, In<I> c, std::size_t width, Rest... rest) {
    return sgd_over(linear::SparseRows<T, I>{csr(a, b, c, width)}, rest...);
}

/// The front of sgd_over with its first argument exchanged for the three arrays of CSR and the number of columns.
template <class T, class I, class... Rest>
auto front(nb::tuple (*)(const linear::SparseRows<T, I>&, Rest...)) {
    return &sparse<T, I, Rest...>;
}

} // namespace

MARGIN_BINDINGS(linear) {
    for_each_csr_type([&]<class T, class I>() {
        bind_sgd(linear, front(&sgd_over<margin::linear::SparseRows<T, I>>), "data"_a.noconvert(),
                 "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_columns"_a);
    });
}
