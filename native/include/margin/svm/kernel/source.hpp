#pragma once
// Where kernel values come from: rows and a function, or a matrix that was computed before.
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace margin::svm {

/// Kernel values among n rows, in blocks; T is float or double.
///
/// Blocks are what a solver asks for: some rows against many. One call costs at least as much as packing its columns
/// (nothing, if they are all rows in order), so that few blocks of hundreds of rows are better than many small ones. The
/// same values come for any number of threads and for any block that they are asked in, and k(i, j) = k(j, i) to the
/// last bit wherever they are computed out of rows.
template <class T>
class Source {
public:
    virtual ~Source() = default;

    virtual std::size_t size() const noexcept = 0;

    /// out[r * stride + c] = k(rows[r], columns[c]). Requires stride >= columns.size().
    virtual void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, T* out,
                       std::size_t stride, std::size_t n_threads, Monitor& monitor) const = 0;

    /// out[i] = k(i, i).
    virtual void diagonal(T* out) const = 0;

    /// The same values among some of the rows, of which it keeps a copy that need not be packed again for every block;
    /// null where that saves nothing. For many small blocks against the same columns.
    virtual std::unique_ptr<const Source> among(std::span<const std::uint32_t>) const { return nullptr; }
};

} // namespace margin::svm
