#pragma once
// Vectors that are not filled with zeros before they are written: at the size of a table that costs as much as the work.
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace margin::tree {

template <class T>
struct Unfilled : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = Unfilled<U>;
    };
    Unfilled() = default;
    template <class U>
    Unfilled(const Unfilled<U>&) noexcept {}

    template <class U>
    void construct(U* at) noexcept {
        ::new (static_cast<void*>(at)) U; // no value: whatever is there
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
};

/// A vector whose resize leaves new items as they are found.
template <class T>
using Buffer = std::vector<T, Unfilled<T>>;

} // namespace margin::tree
