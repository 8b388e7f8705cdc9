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

/// Whole numbers as SciPy keeps the places and starts of CSR: int32 or int64.
struct Places {
    In<std::int32_t> narrow;
    In<std::int64_t> wide; // one of the two is there

    std::size_t size() const { return narrow.is_valid() ? narrow.size() : wide.size(); }
};

/// CSR as kernels are compiled for it, columns int32 and starts int64; what comes as the other type is copied. A column
/// that does not fit becomes -1, which is outside of every matrix too.
template <class T>
struct Stored : data::Csr<T, std::int32_t> {
    Stored(const In<T>& values, const Places& places, const Places& starts, std::size_t width_) {
        this->values = values.data();
        this->rows = starts.size() == 0 ? 0 : starts.size() - 1;
        this->width = width_;
        if (places.narrow.is_valid()) {
            this->columns = places.narrow.data();
        } else {
            constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
            copied_columns_.resize(places.size());
            std::transform(places.wide.data(), places.wide.data() + places.size(), copied_columns_.begin(),
                           [](std::int64_t c) { return c < 0 || c > most ? -1 : static_cast<std::int32_t>(c); });
            this->columns = copied_columns_.data();
        }
        if (starts.wide.is_valid() && starts.size() > 0) {
            this->start = starts.wide.data();
        } else {
            if (starts.narrow.is_valid())
                copied_starts_.assign(starts.narrow.data(), starts.narrow.data() + starts.size());
            copied_starts_.resize(this->rows + 1); // one start at least, of no rows
            this->start = copied_starts_.data();
        }
    }
    Stored(const Stored&) = delete;
    Stored& operator=(const Stored&) = delete;

private:
    std::vector<std::int32_t> copied_columns_;
    std::vector<std::int64_t> copied_starts_;
};

/// What is made of it must not outlive it.
template <class T>
Stored<T> csr(const In<T>& values, const Places& columns, const Places& start, std::size_t width) {
    return {values, columns, start, width};
}

template <class T, class Index>
data::Csr<T, Index> csr(const In<T>& values, const In<Index>& columns, const In<std::int64_t>& start,
                        std::size_t width) {
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

/// Arrays of either type, never converted.
template <>
struct nanobind::detail::type_caster<margin::bindings::Places> {
    using Narrow = make_caster<margin::bindings::In<std::int32_t>>;
    using Wide = make_caster<margin::bindings::In<std::int64_t>>;
    NB_TYPE_CASTER(margin::bindings::Places, union_name(Narrow::Name, Wide::Name))

    bool from_python(handle from, std::uint8_t flags, cleanup_list* cleanup) noexcept {
        Narrow narrow;
        if (narrow.from_python(from, flags, cleanup)) {
            value = {std::move(narrow.value), {}};
            return true;
        }
        Wide wide;
        if (!wide.from_python(from, flags, cleanup))
            return false;
        value = {{}, std::move(wide.value)};
        return true;
    }
};
