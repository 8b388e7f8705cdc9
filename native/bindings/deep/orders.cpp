// margin._core.deep: the order in which rows are visited, and the lists of what there is to choose from.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/deep/activation.hpp"
#include "margin/deep/optimizer.hpp"
#include "margin/deep/row_order.hpp"
#include <nanobind/stl/array.h>
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
Out<std::int64_t> row_order(InMatrix<T> x, InMatrix<double> last, std::size_t n_threads) {
    return give(with_monitor([&](Monitor& monitor) {
        return deep::row_order(x.data(), x.shape(0), x.shape(1), last.data(), last.shape(1), n_threads, monitor);
    }));
}

template <class T>
Out<std::int64_t> sparse_order(In<T> cells, In<std::int32_t> columns, In<std::int64_t> starts, std::size_t width,
                               InMatrix<double> last, std::size_t n_threads) {
    return give(with_monitor([&](Monitor& monitor) {
        return deep::row_order(csr(cells, columns, starts, width), last.data(), last.shape(1), n_threads, monitor);
    }));
}

Out<std::int64_t> shuffled(In<std::int64_t> order, std::uint64_t seed, std::uint64_t epoch) {
    std::vector<std::int64_t> drawn(order.data(), order.data() + order.size());
    Stream(seed, epoch).shuffle(std::span(drawn));
    return give(std::move(drawn));
}

} // namespace

MARGIN_BINDINGS(deep) {
    for_each_type<double, float>([&]<class T>() {
        deep.def("row_order", &row_order<T>, "x"_a.noconvert(), "last"_a.noconvert(), "n_threads"_a,
                 "Places of rows in an order that depends on what stands in them alone.");
        deep.def("sparse_order", &sparse_order<T>, "cells"_a.noconvert(), "columns"_a.noconvert(),
                 "starts"_a.noconvert(), "width"_a, "last"_a.noconvert(), "n_threads"_a,
                 "The same order for the same rows kept sparse.");
    });
    deep.def("shuffled", &shuffled, "order"_a.noconvert(), "seed"_a, "epoch"_a,
             "The same places as an epoch visits them.");
    deep.def("activations", [] { return deep::Activations::names(); }, "The names of the functions between layers.");
    deep.def("optimizers", [] { return deep::Optimizers::names(); }, "The names of the ways to make a step.");
}
