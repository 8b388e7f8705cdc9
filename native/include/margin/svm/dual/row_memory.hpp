#pragma once
// Memory for kernel rows, asked of the system once.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace margin::svm {

/// Room for rows in large slabs, which is used again after clear(). Fresh memory costs a fault for each page, as much
/// time as the kernel values that are written there: slabs are of large pages where the system has them.
template <class T>
class RowMemory {
public:
    /// Room for `count` cells that stays until clear(); the cells hold anything.
    T* take(std::size_t count) {
        while (slab_ < slabs_.size() && used_ + count > slabs_[slab_].size)
            ++slab_, used_ = 0;
        if (slab_ == slabs_.size())
            slabs_.emplace_back(count);
        T* taken = slabs_[slab_].cells.get() + used_;
        used_ += count;
        return taken;
    }

    void clear() noexcept { slab_ = used_ = 0; }

private:
    static constexpr std::size_t page = std::size_t{1} << 21;
    static constexpr std::size_t slab =
        8 * page; // what is not written to costs nothing; little is lost at the end of one

    struct Free {
        void operator()(void* cells) const noexcept { std::free(cells); }
    };

    struct Slab {
        std::unique_ptr<T[], Free> cells;
        std::size_t size;

        explicit Slab(std::size_t count) {
            const std::size_t bytes = (std::max(count * sizeof(T), slab) + page - 1) / page * page;
            cells.reset(static_cast<T*>(std::aligned_alloc(page, bytes)));
            if (!cells)
                throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
            madvise(cells.get(), bytes, MADV_HUGEPAGE);
#endif
            size = bytes / sizeof(T);
        }
    };

    std::vector<Slab> slabs_;
    std::size_t slab_ = 0, used_ = 0;
};

} // namespace margin::svm
