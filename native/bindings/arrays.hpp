#pragma once
// The only array types that cross from Python: contiguous, on the CPU, never converted.
#include "margin/core/views.hpp"
#include "module.hpp"
#include <nanobind/ndarray.h>
#include <span>
#include <vector>

namespace margin::bindings {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>; // a vector to read
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>; // rows one after another
template <class T>
using InOutMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>; // rows to add to
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using OutMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T>
std::span<const T> span(const In<T>& a) {
    return {a.data(), a.size()};
}

template <class T>
MatrixView<const T> view(const InMatrix<T>& a) {
    return {a.data(), a.shape(0), a.shape(1)};
}

/// Hand a finished vector to NumPy without a copy.
template <class T>
Out<T> give(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(kept->data(), {kept->size()}, owner);
}

template <class T>
OutMatrix<T> give(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return OutMatrix<T>(kept->data(), {rows, columns}, owner);
}

} // namespace margin::bindings
