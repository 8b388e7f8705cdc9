#pragma once
// Arrays whose cells may be of several types, weights that may be left out, and columns with memory of their own.
#include "arrays.hpp"
#include "margin/data/csr.hpp"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <nanobind/stl/vector.h>

namespace margin::bindings {

template <class T>
using Columns = std::vector<In<T>>;

/// bind.operator()<T>() for each type of cell.
template <class... Ts, class Bind>
void for_each_type(Bind&& bind) {
    (bind.template operator()<Ts>(), ...);
}

/// For each type of stored cells and of the two arrays of places, which have one type.
template <class Bind>
void for_each_csr_type(Bind&& bind) {
    bind.template operator()<double, std::int32_t>();
    bind.template operator()<double, std::int64_t>();
    bind.template operator()<float, std::int32_t>();
    bind.template operator()<float, std::int64_t>();
}

template <class T, class Index>
data::Csr<T, Index> csr(const In<T>& values, const In<Index>& columns, const In<Index>& start, std::size_t width) {
    return {values.data(), columns.data(), start.data(), start.size() == 0 ? 0 : start.size() - 1, width};
}

/// Null for None.
template <class Array>
auto optional(const Array& array) -> decltype(array.data()) {
    return array.is_valid() ? array.data() : nullptr;
}

template <class T>
std::vector<const T*> pointers(const Columns<T>& columns) {
    std::vector<const T*> list;
    for (const auto& column : columns)
        list.push_back(column.data());
    return list;
}

/// The largest magnitude that is fine. The largest double is beyond the largest float: nothing finite is too large then.
template <class T>
T limit(double largest) {
    return static_cast<T>(std::min(largest, static_cast<double>(std::numeric_limits<T>::max())));
}

} // namespace margin::bindings
