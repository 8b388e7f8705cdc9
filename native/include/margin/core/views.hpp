#pragma once
// Rows one after another: the only matrix of the core, borrowed (MatrixView) or owned (Matrix).
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace margin {

/// A row-major matrix that belongs to someone else. MatrixView<const T> reads only; a MatrixView<T> turns into one by
/// itself. Bounds are asserted in debug and sanitizer builds.
template <class T>
class MatrixView {
public:
    MatrixView() = default;
    MatrixView(T* data, std::size_t rows, std::size_t columns) : data_(data), rows_(rows), columns_(columns) {}
    MatrixView(const MatrixView<std::remove_const_t<T>>& other)
        requires std::is_const_v<T>
        : MatrixView(other.data(), other.rows(), other.columns()) {}

    T* data() const noexcept { return data_; }
    std::size_t rows() const noexcept { return rows_; }
    std::size_t columns() const noexcept { return columns_; }
    std::size_t size() const noexcept { return rows_ * columns_; }
    bool empty() const noexcept { return size() == 0; }

    std::span<T> row(std::size_t i) const noexcept {
        assert(i < rows_);
        return {data_ + i * columns_, columns_};
    }

    T& operator()(std::size_t i, std::size_t j) const noexcept {
        assert(i < rows_ && j < columns_);
        return data_[i * columns_ + j];
    }

    /// Rows [begin, end), as parallel_for hands them out.
    MatrixView slice(std::size_t begin, std::size_t end) const noexcept {
        assert(begin <= end && end <= rows_);
        return {data_ + begin * columns_, end - begin, columns_};
    }

    std::span<T> cells() const noexcept { return {data_, size()}; }

private:
    T* data_ = nullptr;
    std::size_t rows_ = 0, columns_ = 0;
};

/// A row-major matrix with memory of its own. Turns into a view wherever one is asked for.
template <class T>
class Matrix {
    static_assert(!std::is_const_v<T> && !std::is_same_v<T, bool>,
                  "a matrix owns cells that have addresses and can change");

public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns, T value = T())
        : cells_(rows * columns, value), rows_(rows), columns_(columns) {}

    T* data() noexcept { return cells_.data(); }
    const T* data() const noexcept { return cells_.data(); }
    std::size_t rows() const noexcept { return rows_; }
    std::size_t columns() const noexcept { return columns_; }
    std::size_t size() const noexcept { return cells_.size(); }
    bool empty() const noexcept { return cells_.empty(); }

    MatrixView<T> view() noexcept { return {data(), rows_, columns_}; }
    MatrixView<const T> view() const noexcept { return {data(), rows_, columns_}; }
    operator MatrixView<T>() noexcept { return view(); }
    operator MatrixView<const T>() const noexcept { return view(); }

    std::span<T> row(std::size_t i) noexcept { return view().row(i); }
    std::span<const T> row(std::size_t i) const noexcept { return view().row(i); }
    T& operator()(std::size_t i, std::size_t j) noexcept { return view()(i, j); }
    const T& operator()(std::size_t i, std::size_t j) const noexcept { return view()(i, j); }

    /// Give the cells away, for example to NumPy; leaves an empty matrix.
    std::vector<T> release() noexcept {
        rows_ = columns_ = 0;
        return std::exchange(cells_, {});
    }

private:
    std::vector<T> cells_;
    std::size_t rows_ = 0, columns_ = 0;
};

} // namespace margin
