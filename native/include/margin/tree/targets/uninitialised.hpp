#pragma once
// Vectors that are not filled with zeros before they are written: at the size of a table that costs as much as the work.
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace margin::tree {

/// Leaves new items as they are found. Large blocks are asked for in pages of 2 MB, where the system has them: cases
/// are looked up all over a node, and most of that time would go into looking up pages of 4 KB.
template <class T>
struct Unfilled {
    using value_type = T;
    static constexpr std::size_t page = std::size_t{1} << 21;

    Unfilled() = default;
    template <class U>
    Unfilled(const Unfilled<U>&) noexcept {}

    T* allocate(std::size_t n) {
        const std::size_t bytes = n * sizeof(T);
        if (bytes < page)
            return static_cast<T*>(::operator new(bytes));
        const std::size_t whole = (bytes + page - 1) / page * page;
        void* block = ::operator new(whole, std::align_val_t(page));
#ifdef __linux__
        madvise(block, whole, MADV_HUGEPAGE); // a wish: it works without
#endif
        return static_cast<T*>(block);
    }

    void deallocate(T* block, std::size_t n) noexcept {
        if (n * sizeof(T) < page)
            ::operator delete(block);
        else
            ::operator delete(block, std::align_val_t(page));
    }

    template <class U>
    void construct(U* at) noexcept {
        ::new (static_cast<void*>(at)) U; // no value: whatever is there
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
    friend bool operator==(const Unfilled&, const Unfilled&) noexcept { return true; }
};

/// A vector whose resize leaves new items as they are found.
template <class T>
using Buffer = std::vector<T, Unfilled<T>>;

} // namespace margin::tree
