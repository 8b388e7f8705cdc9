#pragma once
// Arrays read through Python's buffer protocol: a tenth of a microsecond each, where the general way takes a half. Only
// for calls that answer a single row, in which that is most of the time.
#include "module.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace margin::bindings {

/// A contiguous array, held while this lives; nothing is converted. `is` says whether there is one of the wanted form.
class Buffer {
public:
    explicit Buffer(nb::handle array, bool to_write = false) {
        if (array.is_none())
            return;
        held_ = PyObject_GetBuffer(array.ptr(), &view_,
                                   PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (to_write ? PyBUF_WRITABLE : 0)) == 0;
        if (!held_)
            PyErr_Clear();
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (held_)
            PyBuffer_Release(&view_);
    }

    /// Numbers of that type in the machine's own order, aligned, in so many dimensions.
    template <class T>
    bool is(int dimensions) const {
        return held_ && view_.ndim == dimensions && view_.itemsize == sizeof(T) && is_format<T>(view_.format) &&
               reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(T) == 0;
    }
    /// Memory, whatever stands in it.
    bool is_bytes() const { return held_; }
    std::span<const std::uint8_t> bytes() const {
        return {static_cast<const std::uint8_t*>(view_.buf), static_cast<std::size_t>(view_.len)};
    }
    std::size_t shape(int axis) const { return static_cast<std::size_t>(view_.shape[axis]); }
    template <class T>
    T* data() const {
        return static_cast<T*>(view_.buf);
    }

private:
    template <class T>
    static bool is_format(const char* format) {
        if (format[1] != '\0')
            return false;
        if constexpr (std::is_same_v<T, std::int64_t>)
            return format[0] == 'l' || format[0] == 'q';
        else
            return format[0] == (sizeof(T) == 8 ? 'd' : 'f');
    }

    Py_buffer view_{};
    bool held_ = false;
};

} // namespace margin::bindings
