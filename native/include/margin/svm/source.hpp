#pragma once
// Where kernel values come from: rows and a function, or a matrix that was computed before.
#include "kernel.hpp"
#include "margin/core/threads.hpp"
#include "margin/core/views.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::svm {

/// Kernel values among n rows, in blocks; T is float or double.
///
/// Blocks are what a solver asks for: some rows against many. One call costs at least as much as packing its rows, so
/// that few large blocks are better than many small ones. The same values come for any number of threads and for any
/// block that they are asked in.
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
};

/// Rows of a dense matrix, of which it keeps a copy in T.
template <class T>
class DenseSource final : public Source<T> {
public:
    template <class X>
    DenseSource(MatrixView<const X> x, Kernel kernel) : x_(x.rows(), x.columns()), kernel_(kernel), squares_(x.rows()) {
        for (std::size_t i = 0; i < x.size(); ++i)
            x_.data()[i] = static_cast<T>(x.data()[i]);
        for (std::size_t i = 0; i < x.rows(); ++i)
            squares_[i] = product(i, i);
    }

    std::size_t size() const noexcept override { return x_.rows(); }

    void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, T* out, std::size_t stride,
               std::size_t n_threads, Monitor& monitor) const override {
        parallel_for(rows.size(), 1, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t r = begin; r < end; ++r)
                for (std::size_t c = 0; c < columns.size(); ++c)
                    out[r * stride + c] = static_cast<T>(value(rows[r], columns[c]));
        });
    }

    void diagonal(T* out) const override {
        for (std::size_t i = 0; i < size(); ++i)
            out[i] = static_cast<T>(kernel_(squares_[i], squares_[i], squares_[i]));
    }

private:
    double product(std::size_t i, std::size_t j) const noexcept {
        double sum = 0;
        for (std::size_t c = 0; c < x_.columns(); ++c)
            sum += static_cast<double>(x_(i, c)) * static_cast<double>(x_(j, c));
        return sum;
    }
    double value(std::size_t i, std::size_t j) const noexcept {
        return kernel_(product(i, j), squares_[i], squares_[j]);
    }

    Matrix<T> x_;
    Kernel kernel_;
    std::vector<double> squares_;
};

} // namespace margin::svm
