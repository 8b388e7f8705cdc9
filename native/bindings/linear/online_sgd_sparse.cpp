// margin._core.linear: an epoch of stochastic gradient descent over rows of which only cells that are not 0 are stored.
#include "online_sgd.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T, class... Rest>
nb::tuple sparse(In<T> a, const Places& b, const Places& c, std::size_t width, Rest... rest) {
    return sgd_over(linear::SparseRows<T, std::int32_t>{csr(a, b, c, width)}, rest...);
}

/// The front of sgd_over with its first argument exchanged for the three arrays of CSR and the number of columns.
template <class T, class... Rest>
auto front(nb::tuple (*)(const linear::SparseRows<T, std::int32_t>&, Rest...)) {
    return &sparse<T, Rest...>;
}

} // namespace

MARGIN_BINDINGS(linear) {
    for_each_type<double, float>([&]<class T>() {
        bind_sgd(linear, front(&sgd_over<margin::linear::SparseRows<T, std::int32_t>>), "data"_a.noconvert(),
                 "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_columns"_a);
    });
}
