// margin._core.svm: kernel values of some rows with others.
#include "bindings/interrupt.hpp"
#include "margin/svm/kernel/expansion.hpp"
#include "source.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

OutMatrix<double> values(InMatrix<double> x, InMatrix<double> z, In<double> mean, const svm::Kernel& kernel,
                         std::size_t n_threads) {
    const auto rows = view(x), vectors = view(z);
    std::vector<double> out(rows.rows() * vectors.rows());
    with_monitor([&](Monitor& monitor) {
        const std::int64_t parts[] = {0, static_cast<std::int64_t>(vectors.rows())};
        const svm::PackedVectors<double> packed(vectors, parts, span(mean), kernel);
        svm::kernel_values<double>(
            svm::DenseVectors<double>{packed.panels.data(), packed.squares.data(), rows.columns()}, kernel,
            vectors.rows(), rows.rows(),
            [&](std::size_t begin, std::size_t end) {
                return svm::DenseRows<double>(rows.slice(begin, end), span(mean), kernel);
            },
            out.data(), n_threads, monitor);
    });
    return give(std::move(out), rows.rows(), vectors.rows());
}

/// sums[row, part, s] over the columns of a matrix of kernel values.
Out<double> matrix_sums(InMatrix<double> values, InMatrix<double> coef, In<std::int64_t> bounds,
                        std::size_t n_threads) {
    const auto k = view(values), by = view(coef);
    const std::size_t n_parts = bounds.size() - 1, width = n_parts * by.rows();
    std::vector<double> out(k.rows() * width);
    with_monitor([&](Monitor& monitor) {
        const std::size_t grain = 1 + (std::size_t{1} << 18) / (k.columns() * by.rows() + 1);
        parallel_for(k.rows(), grain, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin * width; i < end * width; ++i) {
                const std::size_t part = i % width / by.rows(), s = i % by.rows();
                const auto first = static_cast<std::size_t>(bounds.data()[part]);
                const std::size_t n = static_cast<std::size_t>(bounds.data()[part + 1]) - first;
                out[i] = dot(k.row(i / width).subspan(first, n), by.row(s).subspan(first, n));
            }
        });
    });
    return give(std::move(out));
}

} // namespace

MARGIN_BINDINGS(svm) {
    svm.def("kernel_values", &values, "x"_a.noconvert(), "z"_a.noconvert(), "mean"_a.noconvert(), "kernel"_a,
            "n_threads"_a, "The kernel of every row of x with every row of z.");
    svm.def("matrix_sums", &matrix_sums, "values"_a.noconvert(), "coef"_a.noconvert(), "bounds"_a.noconvert(),
            "n_threads"_a, "Sums over the columns of kernel values: rows, parts, sums.");
}
