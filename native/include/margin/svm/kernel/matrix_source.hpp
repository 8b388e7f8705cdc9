#pragma once
// Kernel values that someone else computed.
#include "source.hpp"

namespace margin::svm {

/// The values of a square matrix, which must outlive this.
template <class T>
class MatrixSource final : public Source<T> {
public:
    explicit MatrixSource(MatrixView<const T> values) : values_(values) {}

    std::size_t size() const noexcept override { return values_.rows(); }

    void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, T* out, std::size_t stride,
               std::size_t n_threads, Monitor& monitor) const override {
        const std::size_t grain = 1 + (std::size_t{1} << 17) / (columns.size() + 1);
        parallel_for(rows.size(), grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t r = begin; r < end; ++r) {
                const T* from = values_.row(rows[r]).data();
                for (std::size_t c = 0; c < columns.size(); ++c)
                    out[r * stride + c] = from[columns[c]];
            }
        });
    }

    void diagonal(T* out) const override {
        for (std::size_t i = 0; i < size(); ++i)
            out[i] = values_(i, i);
    }

private:
    MatrixView<const T> values_;
};

} // namespace margin::svm
