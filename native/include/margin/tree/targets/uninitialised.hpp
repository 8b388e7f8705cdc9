#pragma once
// Vectors that are not filled with zeros before they are written: at the size of a table that costs as much as the work.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace margin::tree {

namespace detail {

/// A block of its own, which begins at a multiple of `page`: what is given back goes back to the system, where the heap
/// would keep it in pieces.
inline void* map_pages(std::size_t bytes, std::size_t page) {
#ifdef __linux__
    const std::size_t all = bytes + page;
    void* const mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        throw std::bad_alloc();
    std::byte* const first = static_cast<std::byte*>(mapped);
    const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(first) % page) % page;
    if (skipped > 0)
        munmap(first, skipped);
    std::byte* const block = first + skipped;
    const std::size_t end = (bytes + 4095) / 4096 * 4096;
    if (all - skipped > end)
        munmap(block + end, all - skipped - end);
    madvise(block, bytes / page * page, MADV_HUGEPAGE); // a wish: it works without
    return block;
#else
    return ::operator new(bytes, std::align_val_t(page));
#endif
}

inline void unmap_pages(void* block, std::size_t bytes, [[maybe_unused]] std::size_t page) noexcept {
#ifdef __linux__
    munmap(block, (bytes + 4095) / 4096 * 4096);
#else
    ::operator delete(block, bytes, std::align_val_t(page));
#endif
}

} // namespace detail

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
        return static_cast<T*>(bytes < page ? ::operator new(bytes) : detail::map_pages(bytes, page));
    }

    void deallocate(T* block, std::size_t n) noexcept {
        if (n * sizeof(T) < page)
            ::operator delete(block);
        else
            detail::unmap_pages(block, n * sizeof(T), page);
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

/// Give the memory of items that are not read again back to the system before their buffer ends, unless they are few;
/// what is found there afterwards is anything.
template <class T>
void give_back([[maybe_unused]] std::span<T> items) noexcept {
#ifdef __linux__
    constexpr std::uintptr_t page = 4096, few = 1 << 18; // bytes that are not worth a call
    const auto begin = (reinterpret_cast<std::uintptr_t>(items.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(items.data() + items.size()) / page * page;
    if (begin + few <= end)
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED); // a wish as well
#endif
}

} // namespace margin::tree
