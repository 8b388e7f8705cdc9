#pragma once
// Labels of any whole-number type, booleans included, as they lie in memory.
#include "bindings/arrays.hpp"
#include "margin/metrics/labels.hpp"

namespace margin::bindings {

// To be written: memory that NumPy has asked for comes in large pages, which are filled by all threads.
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InLabels = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline metrics::Labels labels(const InLabels& array) {
    const nb::dlpack::dtype type = array.dtype();
    const bool is_signed = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int);
    const bool is_whole = is_signed || type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) ||
                          type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool);
    if (!is_whole || type.lanes != 1 || type.bits > 64)
        throw nb::type_error("labels must be whole numbers or booleans");
    return {array.data(), array.size(), type.bits / 8U, is_signed};
}

/// The least label as the number that it is.
inline nb::object least(const metrics::Labels& of, const metrics::Range& range) {
    return of.is_signed ? nb::object(nb::int_(static_cast<std::int64_t>(range.low - of.sign())))
                        : nb::object(nb::int_(range.low));
}

/// The range that begins with a label and is that wide.
inline metrics::Range range_from(const metrics::Labels& of, nb::handle low, std::size_t width) {
    const std::uint64_t first = of.is_signed ? static_cast<std::uint64_t>(nb::cast<std::int64_t>(low)) + of.sign()
                                             : nb::cast<std::uint64_t>(low);
    return {first, first + width - 1};
}

} // namespace margin::bindings
