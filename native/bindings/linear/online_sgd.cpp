// margin._core.linear: an epoch of stochastic gradient descent over dense rows.
#include "online_sgd.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T, class... Rest>
nb::tuple dense(InMatrix<T> x, Rest... rest) {
    return sgd_over(linear::DenseRows<T>(x.data(), x.shape(0), x.shape(1)), rest...);
}

/// The front of sgd_over with its first argument exchanged for a matrix.
template <class T, class... Rest>
auto front(nb::tuple (*)(const linear::DenseRows<T>&, Rest...)) {
    return &dense<T, Rest...>;
}

} // namespace

MARGIN_BINDINGS(linear) {
    for_each_type<double, float>(
        [&]<class T>() { bind_sgd(linear, front(&sgd_over<margin::linear::DenseRows<T>>), "x"_a.noconvert()); });
}
