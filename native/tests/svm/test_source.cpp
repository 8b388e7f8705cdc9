// margin/svm/dense_source.hpp: the definition, cell by cell; the same bits in every block.
#include "check.hpp"
#include "margin/svm/dense_source.hpp"
#include <numeric>

using namespace margin;
using svm::Kernel, svm::Kind;

namespace {

Matrix<double> some_rows(std::size_t n, std::size_t d) {
    Matrix<double> x(n, d);
    for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] = std::sin(static_cast<double>(i * i % 10'007)) + 3; // far from 0, so that centring matters
    return x;
}

MatrixView<const double> rows_of(const Matrix<double>& x) { return x.view(); }

std::vector<std::uint32_t> every(std::size_t n, std::size_t step = 1, std::size_t from = 0) {
    std::vector<std::uint32_t> list;
    for (std::size_t i = from; i < n; i += step)
        list.push_back(static_cast<std::uint32_t>(i));
    return list;
}

double definition(const Matrix<double>& x, std::size_t i, std::size_t j, const Kernel& kernel) {
    double xz = 0, distance = 0;
    for (std::size_t c = 0; c < x.columns(); ++c) {
        xz += x(i, c) * x(j, c);
        distance += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
    }
    return kernel.kind == Kind::rbf ? std::exp(-kernel.gamma * distance) : kernel(xz, 0, 0);
}

template <class T>
std::vector<T> block(const svm::Source<T>& source, const std::vector<std::uint32_t>& rows,
                     const std::vector<std::uint32_t>& columns, std::size_t n_threads = 1) {
    Monitor monitor;
    std::vector<T> out(rows.size() * columns.size());
    source.block(rows, columns, out.data(), columns.size(), n_threads, monitor);
    return out;
}

const Kernel kernels[] = {{Kind::linear, 1, 0, 3},
                          {Kind::polynomial, 0.1, 1, 3},
                          {Kind::polynomial, 0.1, 1, 1.5},
                          {Kind::rbf, 0.3, 0, 3},
                          {Kind::sigmoid, 0.01, -0.2, 3}};

template <class T>
void check_definition(double tolerance) {
    for (const auto& [n, d] : {std::pair{1UL, 1UL}, {7UL, 3UL}, {61UL, 5UL}, {130UL, 33UL}})
        for (const Kernel& kernel : kernels) {
            const auto x = some_rows(n, d);
            const svm::DenseSource<T> source(rows_of(x), kernel);
            const auto rows = every(n, 2), columns = every(n, 3);
            const auto found = block(source, rows, columns);
            std::vector<T> diagonal(n);
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
}

template <class T>
void check_same_bits() {
    const std::size_t n = 1300; // more than one band of rows, panels that are not full
    const auto x = some_rows(n, 7);
    for (const Kernel& kernel : kernels) {
        const svm::DenseSource<T> source(rows_of(x), kernel);
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
}

} // namespace

TEST("blocks hold what the definition says") {
    check_definition<double>(1e-12);
    check_definition<float>(2e-5);
}

TEST("a value is the same in every block, for any number of threads, and in its mirror image") {
    check_same_bits<double>();
    check_same_bits<float>();
}

TEST("equal rows have an RBF kernel of exactly 1") {
    Matrix<double> x = some_rows(40, 9);
    for (std::size_t c = 0; c < 9; ++c)
        x(33, c) = x(2, c);
    const svm::DenseSource<float> source(rows_of(x), {Kind::rbf, 0.7, 0, 3});
    CHECK(block(source, {2, 33}, {2, 33}) == std::vector<float>(4, 1.0F));
}

TEST("rows without columns are all the same") {
    const Matrix<double> x(5, 0);
    const svm::DenseSource<double> rbf(rows_of(x), {Kind::rbf, 1, 0, 3}), linear(rows_of(x), {Kind::linear, 1, 0, 3});
    CHECK(block(rbf, every(5), every(5)) == std::vector<double>(25, 1.0));
    CHECK(block(linear, every(5), every(5)) == std::vector<double>(25, 0.0));
}

TEST("no cell is too large for an RBF kernel") {
    for (const double huge : {1e20, 1e160, 1e308}) {
        Matrix<double> x(4, 2);
        x(0, 0) = huge, x(1, 0) = -huge, x(2, 1) = 1;
        const svm::DenseSource<float> single(rows_of(x), {Kind::rbf, 1, 0, 3});
        const svm::DenseSource<double> full(rows_of(x), {Kind::rbf, 1, 0, 3});
        const auto a = block(single, every(4), every(4));
        const auto b = block(full, every(4), every(4));
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(a[i * 5] == 1 && b[i * 5] == 1);
            CHECK(i == 0 || (a[i] == 0 && b[i] == 0));
        }
    }
}
