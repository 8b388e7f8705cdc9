#pragma once
// What the tests of kernel values share.
#include "margin/core/views.hpp"
#include "margin/data/csr.hpp"
#include "margin/svm/kernel/source.hpp"
#include "svm/kernels.hpp"
#include <cmath>
#include <cstdint>
#include <vector>

namespace tests {

using margin::Matrix, margin::MatrixView, margin::Monitor;

/// Rows far from 0, so that centring matters; with `some` only every so many cells are not 0.
inline Matrix<double> some_rows(std::size_t n, std::size_t d, std::size_t some = 1) {
    Matrix<double> x(n, d);
    for (std::size_t i = 0; i < x.size(); ++i)
        if ((i * 7919 % 1009) % some == 0)
            x.data()[i] = std::sin(static_cast<double>(i * i % 10'007)) + 3;
    return x;
}

inline MatrixView<const double> rows_of(const Matrix<double>& x) { return x.view(); }

inline std::vector<std::uint32_t> every(std::size_t n, std::size_t step = 1, std::size_t from = 0) {
    std::vector<std::uint32_t> list;
    for (std::size_t i = from; i < n; i += step)
        list.push_back(static_cast<std::uint32_t>(i));
    return list;
}

inline double definition(const Matrix<double>& x, std::size_t i, std::size_t j, const KernelCase& kernel) {
    double xz = 0, distance = 0;
    for (std::size_t c = 0; c < x.columns(); ++c) {
        xz += x(i, c) * x(j, c);
        distance += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
    }
    return definition(kernel, xz, distance);
}

template <class T>
std::vector<T> block(const margin::svm::Source<T>& source, const std::vector<std::uint32_t>& rows,
                     const std::vector<std::uint32_t>& columns, std::size_t n_threads = 1) {
    Monitor monitor;
    std::vector<T> out(rows.size() * columns.size());
    source.block(rows, columns, out.data(), columns.size(), n_threads, monitor);
    return out;
}

/// The stored cells of a matrix.
struct Stored {
    std::vector<double> values;
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> start{0};
    std::size_t width;

    explicit Stored(const Matrix<double>& x) : width(x.columns()) {
        for (std::size_t i = 0; i < x.rows(); ++i) {
            for (std::size_t c = 0; c < width; ++c)
                if (x(i, c) != 0) {
                    values.push_back(x(i, c));
                    columns.push_back(static_cast<std::int32_t>(c));
                }
            start.push_back(static_cast<std::int64_t>(values.size()));
        }
    }
    margin::data::Csr<double, std::int32_t> view() const {
        return {values.data(), columns.data(), start.data(), start.size() - 1, width};
    }
};

} // namespace tests
