// margin/svm/*_source.hpp: the definition, cell by cell; the same bits in every block.
#include "check.hpp"
#include "margin/svm/kernel/csr_source.hpp"
#include "margin/svm/kernel/dense_source.hpp"
#include "margin/svm/kernel/matrix_source.hpp"
#include "svm/rows.hpp"

using namespace margin;
using namespace tests;

namespace {

template <class T>
void check_definition(const svm::Source<T>& source, const Matrix<double>& x, const KernelCase& kernel,
                      double tolerance) {
    const auto rows = every(x.rows(), 2), columns = every(x.rows(), 3);
    const auto found = block(source, rows, columns);
    std::vector<T> diagonal(x.rows());
    source.diagonal(diagonal.data());
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const double truth = definition(x, rows[r], columns[c], kernel);
            const T value = found[r * columns.size() + c];
            CHECK_NEAR(static_cast<double>(value), truth, tolerance * (1 + std::abs(truth)));
            if (rows[r] == columns[c])
                CHECK(value == diagonal[rows[r]]);
        }
}

/// Kernel values by their definition.
template <class T>
Matrix<T> matrix_of(const Matrix<double>& x, const KernelCase& kernel) {
    Matrix<T> values(x.rows(), x.rows());
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < x.rows(); ++j)
            values(i, j) = static_cast<T>(definition(x, i, j, kernel));
    return values;
}

template <class T>
void check_definitions(double tolerance) {
    for (const auto& [n, d] : {std::pair{1UL, 1UL}, {7UL, 3UL}, {61UL, 5UL}, {130UL, 33UL}})
        for (const KernelCase& kernel : kernels()) {
            const auto x = some_rows(n, d), sparse = some_rows(n, d, 4);
            const auto values = matrix_of<T>(x, kernel);
            check_definition<T>(svm::MatrixSource<T>(values.view()), x, kernel, tolerance);
            check_definition<T>(svm::DenseSource<T>(rows_of(x), kernel.made), x, kernel, tolerance);
            check_definition<T>(svm::CsrSource<T>(Stored(sparse).view(), kernel.made), sparse, kernel, tolerance);
        }
}

template <class T>
void check_same_bits(const svm::Source<T>& source) {
    const std::size_t n = source.size();
    const auto whole = block(source, every(n), every(n), 3);
    CHECK(whole == block(source, every(n), every(n), 1));
    for (std::size_t i = 0; i < n; i += 17)
        for (std::size_t j = 0; j < n; ++j)
            CHECK(whole[i * n + j] == whole[j * n + i]);
    for (const auto& columns : {every(n, 3, 1), every(600, 1, 24), every(n, 1, 5), every(1)})
        for (const auto& rows : {every(n, 100), every(1, 1), every(n, 7, 3)}) {
            const auto part = block(source, rows, columns, 2);
            for (std::size_t r = 0; r < rows.size(); ++r)
                for (std::size_t c = 0; c < columns.size(); ++c)
                    CHECK(part[r * columns.size() + c] == whole[rows[r] * n + columns[c]]);
        }
}

template <class T>
void check_ones() {
    auto x = some_rows(90, 9, 2);
    for (std::size_t c = 0; c < 9; ++c)
        x(33, c) = x(2, c);
    const auto rbf = svm::Kernel::of<svm::Rbf>({0.7, 0, 3});
    CHECK(block(svm::DenseSource<T>(rows_of(x), rbf), {2, 33}, {2, 33}) == std::vector<T>(4, T(1)));
    CHECK(block(svm::CsrSource<T>(Stored(x).view(), rbf), {2, 33}, {2, 33}) == std::vector<T>(4, T(1)));
}

} // namespace

TEST("blocks of every kernel of the family, and of one more, hold what the definition says") {
    check_definitions<double>(1e-12);
    check_definitions<float>(2e-5);
}

TEST("a value is the same in every block, for any number of threads, and in its mirror image") {
    const std::size_t n = 700; // more than one band of rows, panels that are not full
    const auto x = some_rows(n, 7), sparse = some_rows(n, 70, 9);
    for (const auto name : OneMore::names()) {
        const KernelCase kernel(name, {0.3, 0.5, 1.5});
        check_same_bits<double>(svm::DenseSource<double>(rows_of(x), kernel.made));
        check_same_bits<float>(svm::DenseSource<float>(rows_of(x), kernel.made));
        check_same_bits<double>(svm::CsrSource<double>(Stored(sparse).view(), kernel.made));
        check_same_bits<float>(svm::CsrSource<float>(Stored(sparse).view(), kernel.made));
    }
}

TEST("equal rows have an RBF kernel of exactly 1") {
    check_ones<float>();
    check_ones<double>();
}

TEST("rows without columns or without cells are all the same") {
    const Matrix<double> x(5, 0), zeros(60, 3);
    const auto rbf = svm::Kernel::of<svm::Rbf>(), linear = svm::Kernel::of<svm::Linear>();
    CHECK(block(svm::DenseSource<double>(rows_of(x), rbf), every(5), every(5)) == std::vector<double>(25, 1.0));
    CHECK(block(svm::DenseSource<double>(rows_of(x), linear), every(5), every(5)) == std::vector<double>(25, 0.0));
    CHECK(block(svm::CsrSource<double>(Stored(x).view(), rbf), every(5), every(5)) == std::vector<double>(25, 1.0));
    CHECK(block(svm::CsrSource<float>(Stored(zeros).view(), rbf), every(60), {3, 59}) == std::vector<float>(120, 1.0F));
}

TEST("no cell is too large for an RBF kernel") {
    for (const double huge : {1e20, 1e160, 1e308}) {
        Matrix<double> x(4, 2);
        x(0, 0) = huge, x(1, 0) = -huge, x(2, 1) = 1;
        const auto rbf = svm::Kernel::of<svm::Rbf>();
        const auto single = block(svm::DenseSource<float>(rows_of(x), rbf), every(4), every(4));
        const auto full = block(svm::DenseSource<double>(rows_of(x), rbf), every(4), every(4));
        const auto sparse = block(svm::CsrSource<float>(Stored(x).view(), rbf), every(4), every(4));
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(single[i * 5] == 1 && full[i * 5] == 1 && sparse[i * 5] == 1);
            CHECK(i == 0 || (single[i] == 0 && full[i] == 0 && sparse[i] == 0));
        }
    }
}

TEST("a matrix that was computed before is read as it is") {
    const auto values = some_rows(50, 50);
    const svm::MatrixSource<double> source(rows_of(values));
    const auto found = block<double>(source, {3, 49}, {0, 7, 7, 48}, 2);
    CHECK(found == std::vector<double>{values(3, 0), values(3, 7), values(3, 7), values(3, 48), values(49, 0),
                                       values(49, 7), values(49, 7), values(49, 48)});
    std::vector<double> diagonal(50);
    source.diagonal(diagonal.data());
    CHECK(diagonal[21] == values(21, 21));
}
