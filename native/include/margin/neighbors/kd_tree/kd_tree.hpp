#pragma once
// A kd-tree as plain arrays: how rows, boxes and nodes are laid out.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace margin::neighbors::kd {

// Rows stand in the order of the leaves, sixteen to a block. A search meets them first in float32 (the *sketch*), with
// the columns of a block one after another and its rows side by side, so that sixteen rows are looked at with a few
// instructions; only rows that float32 cannot rule out are compared in double (see kd_tree_sieve.hpp).
inline constexpr std::size_t block_rows = 16;

// A node has up to eight children, and their boxes stand side by side too: one step down is three steps of a tree of
// two, and what it costs hardly depends on how it comes out.
inline constexpr std::size_t fan_bits = 3, fan = 1 << fan_bits;

// What `size` says of a child: 0 that there is none, a number above 0 that it is a leaf of so many blocks, and this
// that it is a node.
inline constexpr std::int32_t is_node = -1;

// A place that is beyond all.
inline constexpr std::int32_t no_place = std::numeric_limits<std::int32_t>::max();

// Nodes on the longest way down. Fewer than 2^31 rows are halved at most 27 times before they fit in one block, and at
// most 12 levels of two stand above that for what the first partition leaves unequal.
inline constexpr std::size_t deepest = 40;

/// What is stored; plain arrays, so that they can be saved and come back at each call.
struct Tree {
    const float* sketch; // [block][column][row of the block]: (cell - shift of the column) * scale, rounded
    const void* rows;    // [row][column] in the order of the leaves, or null if the sketch is exact (float32)
    const std::int32_t*
        place;          // [row]: which row of the caller's this is; -1 for what fills up the last block of a leaf
    const float* boxes; // [node][column][lowest, highest][child]: of the sketch
    const std::int32_t* first;  // [node][child]: node or block
    const std::int32_t* size;   // [node][child]: as above
    const std::int32_t* lowest; // [node][child]: the smallest place in it
    const double* shift;        // [column]
    double scale;               // a power of two
    std::size_t columns, n_blocks;
};

/// Memory that is written before it is read: filling it with zeros first costs as much as building the tree. It begins
/// where a line of the cache does, so that a column of a block is one line. A lot of it asks for large pages: searches
/// jump about, and the places of small pages are more than a processor remembers.
template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t n) : size_(n) {
        constexpr std::size_t line = 64, page = std::size_t{2} << 20;
        const std::size_t unit = n * sizeof(T) >= 2 * page ? page : line;
        const std::size_t bytes = (n * sizeof(T) + unit - 1) / unit * unit;
        data_.reset(static_cast<T*>(std::aligned_alloc(unit, std::max(bytes, unit))));
        if (!data_)
            throw std::bad_alloc();
#ifdef __linux__
        if (unit == page)
            madvise(data_.get(), bytes, MADV_HUGEPAGE); // a wish: it works without
#endif
    }
    T* get() const { return data_.get(); }
    std::size_t size() const { return size_; }
    /// Whoever takes it gives it to std::free.
    T* release() { return data_.release(); }

private:
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

/// A tree with the memory that it stands in. `rows` is empty if the sketch is exact.
template <class T>
struct Grown {
    Buffer<float> sketch, boxes;
    Buffer<T> rows;
    Buffer<std::int32_t> place, first, size, lowest;
    std::vector<double> shift;
    double scale = 1;
    std::size_t columns = 0, n_blocks = 0, n_nodes = 0;
};

} // namespace margin::neighbors::kd
