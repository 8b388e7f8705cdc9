// margin/svm/kernel/expansion.hpp: sums in parts against the definition, for dense and stored vectors.
#include "check.hpp"
#include "margin/svm/kernel/expansion.hpp"
#include "svm/rows.hpp"

using namespace margin;
using namespace tests;

namespace {

constexpr std::size_t n_sums = 4; // three at once, and one alone

/// coef[s][j] for the vectors at their places, with readable zeros behind them.
template <class T>
std::vector<T> coefficients(std::span<const std::int64_t> parts, std::span<const std::int64_t> places) {
    const auto stride = static_cast<std::size_t>(places.back()) + svm::spread_rows<T>;
    std::vector<T> coef(n_sums * stride);
    for (std::size_t part = 0; part + 1 < parts.size(); ++part)
        for (std::int64_t j = parts[part]; j < parts[part + 1]; ++j)
            for (std::size_t s = 0; s < n_sums; ++s)
                coef[s * stride + static_cast<std::size_t>(places[part] + j - parts[part])] =
                    static_cast<T>(std::cos(static_cast<double>(j) + 10.0 * static_cast<double>(s)));
    return coef;
}

std::vector<double> by_definition(const Matrix<double>& both, std::size_t n_rows, std::span<const std::int64_t> parts,
                                  const KernelCase& kernel) {
    std::vector<double> sums(n_rows * (parts.size() - 1) * n_sums);
    for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t part = 0; part + 1 < parts.size(); ++part)
            for (std::int64_t j = parts[part]; j < parts[part + 1]; ++j)
                for (std::size_t s = 0; s < n_sums; ++s)
                    sums[(i * (parts.size() - 1) + part) * n_sums + s] +=
                        std::cos(static_cast<double>(j) + 10.0 * static_cast<double>(s)) *
                        definition(both, i, n_rows + static_cast<std::size_t>(j), kernel);
    return sums;
}

template <class T, class Vectors, class MakeRows>
std::vector<double> sums_of(const Vectors& vectors, const svm::Kernel& kernel, std::span<const std::int64_t> parts,
                            std::span<const std::int64_t> places, std::size_t n, MakeRows make_rows,
                            std::size_t n_threads) {
    const auto coef = coefficients<T>(parts, places);
    std::vector<double> out(n * (parts.size() - 1) * n_sums, -1);
    Monitor monitor;
    svm::expansion_sums<T>(vectors, kernel, {coef.data(), coef.size() / n_sums, n_sums, places}, n, make_rows,
                           out.data(), n_threads, monitor);
    return out;
}

void check_near(const std::vector<double>& found, const std::vector<double>& truth, double tolerance) {
    double largest = 1;
    for (const double value : truth)
        largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < truth.size(); ++i)
        CHECK_NEAR(found[i], truth[i], tolerance * largest);
}

/// Rows 0 … n - 1 of a matrix are asked about, the others are the vectors.
template <class T>
void check_all(std::size_t n, std::span<const std::int64_t> parts, double tolerance) {
    const auto m = static_cast<std::size_t>(parts.back());
    const auto both = some_rows(n + m, 13, 3);
    const auto rows = rows_of(both).slice(0, n), those = rows_of(both).slice(n, n + m);
    Matrix<double> upper(n, 13), lower(m, 13);
    std::copy_n(rows.data(), rows.size(), upper.data());
    std::copy_n(those.data(), those.size(), lower.data());
    for (const KernelCase& tried : kernels()) {
        const svm::Kernel& kernel = tried.made;
        const auto truth = by_definition(both, n, parts, tried);
        const auto mean = kernel.of_distance() ? svm::column_means(those) : std::vector<double>{};
        const svm::PackedVectors<T> packed(those, parts, mean, kernel);
        const auto dense = [&](std::size_t n_threads) {
            return sums_of<T>(
                svm::DenseVectors<T>{packed.panels.data(), packed.squares.data(), 13}, kernel, parts, packed.bounds, n,
                [&](std::size_t a, std::size_t b) { return svm::DenseRows<T>(rows.slice(a, b), mean, kernel); },
                n_threads);
        };
        check_near(dense(1), truth, tolerance);
        CHECK(dense(1) == dense(3));
        const svm::CsrRows<T> asked(Stored(upper).view(), kernel), kept(Stored(lower).view(), kernel);
        const auto stored = [&]<class Vectors>(const Vectors& vectors, std::size_t n_threads) {
            return sums_of<T>(
                vectors, kernel, parts, parts, n,
                [&](std::size_t a, std::size_t b) { return typename Vectors::Rows(asked.view(), a, b); }, n_threads);
        };
        const auto spread = stored(svm::CsrVectors<T>{kept.view()}, 3);
        check_near(spread, truth, tolerance);
        CHECK(spread == stored(svm::PassingVectors<T>{kept.view()}, 1));
    }
}

} // namespace

TEST("sums of every kernel are those of the definition, for dense vectors and stored ones, however they are laid out") {
    const std::int64_t one[] = {0, 1}, several[] = {0, 3, 3, 160, 201};
    check_all<double>(1, one, 1e-12);
    check_all<double>(70, several, 1e-12);
    check_all<float>(1, several, 1e-5);
    check_all<float>(70, several, 1e-5);
}

TEST("kernel values of all rows with all vectors stand where they belong") {
    const auto both = some_rows(90, 5);
    const auto rows = rows_of(both).slice(0, 20), those = rows_of(both).slice(20, 90);
    const KernelCase rbf("rbf", {0.3, 0, 3});
    const svm::Kernel& kernel = rbf.made;
    const auto mean = svm::column_means(those);
    const std::int64_t parts[] = {0, 70};
    const svm::PackedVectors<double> packed(those, parts, mean, kernel);
    std::vector<double> out(20 * 70);
    Monitor monitor;
    svm::kernel_values<double>(
        svm::DenseVectors<double>{packed.panels.data(), packed.squares.data(), 5}, kernel, 70, 20,
        [&](std::size_t a, std::size_t b) { return svm::DenseRows<double>(rows.slice(a, b), mean, kernel); },
        out.data(), 2, monitor);
    for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < 70; ++j)
            CHECK_NEAR(out[i * 70 + j], definition(both, i, 20 + j, rbf), 1e-13);
}
