// margin/bayes/scatter.hpp and margin/bayes/discriminant.hpp
#include "check.hpp"
#include "margin/bayes/discriminant.hpp"
#include "margin/bayes/scatter.hpp"

using namespace margin;
using namespace margin::bayes;

namespace {

struct Data {
    std::size_t rows, columns, classes;
    std::vector<double> x, w;
    std::vector<std::int32_t> y;

    Data(std::size_t rows_, std::size_t columns_, std::size_t classes_, double far = 0)
        : rows(rows_), columns(columns_), classes(classes_) {
        std::uint64_t state = 1;
        const auto next = [&state] {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return static_cast<double>(state >> 40) / (1 << 24);
        };
        for (std::size_t i = 0; i < rows; ++i) {
            y.push_back(static_cast<std::int32_t>(next() * static_cast<double>(classes)));
            w.push_back(0.5 + next());
            for (std::size_t j = 0; j < columns; ++j)
                x.push_back(far + next() + y.back());
        }
    }

    Scatter found(bool pooled, bool squares, std::size_t n_threads) const {
        Monitor monitor;
        return scatter(x.data(), y.data(), w.data(), rows, columns, classes, pooled, squares, n_threads, monitor);
    }
};

/// sum of w (x_a - mean_a)(x_b - mean_b) over the rows of class k, or of all classes.
double slow_product(const Data& data, const Scatter& found, int k, std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = 0; i < data.rows; ++i) {
        if (k >= 0 && data.y[i] != k)
            continue;
        const std::size_t at = static_cast<std::size_t>(data.y[i]) * data.columns;
        const auto away = [&](std::size_t j) {
            return data.x[i * data.columns + j] - found.shift[at + j] - found.offset[at + j];
        };
        sum += data.w[i] * away(a) * away(b);
    }
    return sum;
}

} // namespace

TEST("two classes by hand") {
    Monitor monitor;
    const std::vector<double> x{1, 10, /**/ 3, 20, /**/ 5, 5, /**/ 7, 5};
    const std::vector<std::int32_t> y{0, 0, 1, 1};
    const auto found =
        scatter(x.data(), y.data(), static_cast<const double*>(nullptr), 4, 2, 2, true, false, 1, monitor);
    CHECK(found.weight == std::vector<double>({2, 2}));
    CHECK(found.weight2 == std::vector<double>({2, 2}));
    for (std::size_t c = 0; c < 4; ++c)
        CHECK_NEAR(found.shift[c] + found.offset[c], std::vector<double>({2, 15, 6, 5})[c], 1e-15);
    CHECK(found.products == std::vector<double>({4, 10, 10, 50}));
    CHECK(found.low == std::vector<double>({1, 5}));
    CHECK(found.high == std::vector<double>({7, 20}));
}

TEST("products are those of the definition, pooled and by class, near and far from zero") {
    for (const double far : {0.0, 1e7})
        for (const std::size_t columns : {1, 5, 12, 17}) {
            const Data data(3000, columns, 3, far);
            const auto pooled = data.found(true, false, 2), own = data.found(false, false, 2);
            for (std::size_t a = 0; a < columns; ++a)
                for (std::size_t b = 0; b < columns; ++b) {
                    const double expected = slow_product(data, pooled, -1, a, b);
                    CHECK_NEAR(pooled.products[a * columns + b], expected, 1e-6 + 1e-9 * std::abs(expected));
                    for (int k = 0; k < 3; ++k)
                        CHECK_NEAR(own.products[(k * columns + a) * columns + b], slow_product(data, own, k, a, b),
                                   1e-6);
                }
        }
}

TEST("any number of threads finds the same bits") {
    const Data data(20000, 7, 4);
    for (const bool pooled : {true, false}) {
        const auto one = data.found(pooled, !pooled, 1);
        for (const std::size_t n : {2, 5}) {
            const auto many = data.found(pooled, !pooled, n);
            CHECK(many.products == one.products);
            CHECK(many.offset == one.offset);
        }
    }
}

TEST("squares stand behind the columns, measured from the shift") {
    const Data data(500, 3, 2);
    const auto found = data.found(false, true, 1);
    CHECK(found.width == 6);
    for (int k = 0; k < 2; ++k)
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) {
                double fourth = 0;
                for (std::size_t i = 0; i < data.rows; ++i)
                    if (data.y[i] == k) {
                        const double u = data.x[i * 3 + a] - found.shift[k * 3 + a];
                        const double v = data.x[i * 3 + b] - found.shift[k * 3 + b];
                        fourth += data.w[i] * u * u * v * v;
                    }
                CHECK_NEAR(found.products[k * 36 + (3 + a) * 6 + 3 + b], fourth, 1e-9);
            }
}

TEST("a column that is constant within the classes has no scatter at all, and rare classes are found") {
    Monitor monitor;
    const std::size_t n = 10000;
    std::vector<double> x(n, 0.1), w(n, 0.3);
    std::vector<std::int32_t> y(n, 0);
    y[9999] = 1;
    x[9999] = 1.0 / 3;
    const auto found = scatter(x.data(), y.data(), w.data(), n, 1, 3, true, false, 2, monitor);
    CHECK(found.products[0] == 0);
    CHECK(found.shift[0] == 0.1 && found.shift[1] == 1.0 / 3 && found.shift[2] == 0);
    CHECK(found.offset == std::vector<double>(3));
}

TEST("float cells are summed in double") {
    Monitor monitor;
    const std::vector<float> x{16777216.0F, 1.0F, 1.0F};
    const std::vector<std::int32_t> y{0, 0, 0};
    const auto found =
        scatter(x.data(), y.data(), static_cast<const double*>(nullptr), 3, 1, 1, true, false, 1, monitor);
    CHECK_NEAR(found.shift[0] + found.offset[0], 16777218.0 / 3, 1e-8);
}

TEST("linear scores are those of the definition for any number of rows and classes") {
    Monitor monitor;
    for (const std::size_t classes : {1, 3, 4, 7, 12, 13})
        for (const std::size_t rows : {1, 3, 4, 6, 97}) {
            const std::size_t columns = 5;
            const Data data(rows, columns, 2);
            std::vector<double> panels(panels_for(classes) * columns * panel_width), base(classes),
                center(columns, 0.5);
            const auto coef = [](std::size_t k, std::size_t j) { return static_cast<double>(k) - 0.3 * j; };
            for (std::size_t k = 0; k < classes; ++k) {
                base[k] = 0.1 * static_cast<double>(k);
                for (std::size_t j = 0; j < columns; ++j)
                    panels[(k / panel_width * columns + j) * panel_width + k % panel_width] = coef(k, j);
            }
            std::vector<double> scores(rows * classes);
            linear_scores(data.x.data(), center.data(), panels.data(), base.data(), scores.data(), rows, columns,
                          classes, 2, monitor);
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t k = 0; k < classes; ++k) {
                    double expected = base[k];
                    for (std::size_t j = 0; j < columns; ++j)
                        expected += (data.x[i * columns + j] - center[j]) * coef(k, j);
                    CHECK_NEAR(scores[i * classes + k], expected, 1e-12);
                }
            const auto winners = *linear_winners(data.x.data(), center.data(), panels.data(), base.data(), 1e150, rows,
                                                 columns, classes, 2, monitor);
            for (std::size_t i = 0; i < rows; ++i)
                CHECK(scores[i * classes + winners[i]] ==
                      *std::max_element(scores.begin() + i * classes, scores.begin() + (i + 1) * classes));
        }
}

TEST("quadratic scores are those of the definition for any number of columns") {
    Monitor monitor;
    for (const std::size_t columns : {1, 4, 5, 9, 12, 13, 26}) {
        const Data data(7, columns, 2);
        const auto triangle = [](std::size_t i, std::size_t j) { return i == j ? 1.5 : 0.1 * (i + 1.0) / (j + 1.0); };
        std::vector<double> panels, mean(columns, 0.25), scores(7);
        for (std::size_t first = 0; first < columns; first += panel_width)
            for (std::size_t j = first; j < columns; ++j)
                for (std::size_t i = first; i < first + panel_width; ++i)
                    panels.push_back(i <= j && i < columns ? triangle(i, j) : 0.0);
        CHECK(panels.size() == triangle_size(columns));
        const double base = -0.7;
        quadratic_scores(data.x.data(), mean.data(), panels.data(), &base, scores.data(), 7, columns, 1, 2, monitor);
        for (std::size_t r = 0; r < 7; ++r) {
            double norm = 0;
            for (std::size_t i = 0; i < columns; ++i) {
                double z = 0;
                for (std::size_t j = i; j < columns; ++j)
                    z += triangle(i, j) * (data.x[r * columns + j] - mean[j]);
                norm += z * z;
            }
            CHECK_NEAR(scores[r], base - 0.5 * norm, 1e-10);
        }
    }
}

TEST("nothing is answered where a cell is missing or too large") {
    Monitor monitor;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> center(2), base{0.0};
    const std::vector<double> panels(2 * panel_width);
    for (const double bad : {nan, 1e151, -std::numeric_limits<double>::infinity()}) {
        std::vector<double> x(1000, 1.0);
        CHECK(linear_winners(x.data(), center.data(), panels.data(), base.data(), 1e150, 500, 2, 1, 2, monitor));
        x[777] = bad;
        CHECK(!linear_winners(x.data(), center.data(), panels.data(), base.data(), 1e150, 500, 2, 1, 2, monitor));
    }
}
