// margin/linear/dense/gram.hpp and margin/linear/dense/gram_single.hpp
#include "check.hpp"
#include "margin/linear/dense/gram.hpp"
#include "margin/linear/dense/gram_single.hpp"
#include <numeric>

using namespace margin;

namespace {

struct Data {
    std::size_t rows, columns;
    std::vector<double> x, w, shift, scale;
    std::vector<std::int64_t> at;

    Data(std::size_t n, std::size_t d) : rows(n), columns(d), x(n * d), w(n), shift(d), scale(d), at(n) {
        for (std::size_t c = 0; c < x.size(); ++c)
            x[c] = std::sin(static_cast<double>(7 * c + 1));
        for (std::size_t i = 0; i < n; ++i)
            w[i] = static_cast<double>(i % 4);
        for (std::size_t j = 0; j < d; ++j) {
            shift[j] = 0.125 * static_cast<double>(j % 3);
            scale[j] = j % 2 ? 2.0 : 0.5;
        }
        std::iota(at.begin(), at.end(), 0);
    }

    double cell(std::size_t i, std::size_t j) const {
        return j == columns ? 1 : (x[i * columns + j] - shift[j]) * scale[j];
    }

    double product(std::size_t a, std::size_t b, bool weighted) const {
        double sum = 0;
        for (const auto i : at)
            sum += (weighted ? w[static_cast<std::size_t>(i)] : 1) * cell(static_cast<std::size_t>(i), a) *
                   cell(static_cast<std::size_t>(i), b);
        return sum;
    }
};

} // namespace

TEST("products of columns in their units, the constant last, are those of the definition") {
    for (std::size_t n : {0, 1, 128, 300})
        for (std::size_t d : {1, 11, 12, 30})
            for (const bool weighted : {false, true}) {
                const Data data(n, d);
                Monitor monitor;
                const auto found = linear::gram(data.x.data(), weighted ? data.w.data() : nullptr, data.shift.data(),
                                                data.scale.data(), n, d, 2, monitor);
                for (std::size_t a = 0; a <= d; ++a)
                    for (std::size_t b = 0; b <= d; ++b)
                        CHECK_NEAR(found[a * (d + 1) + b], data.product(a, b, weighted), 1e-9);
            }
}

TEST("products in float32 are those of the definition, for all rows and for some") {
    for (std::size_t n : {1, 256, 2100})
        for (std::size_t d : {1, 23, 24, 25}) {
            Data data(n, d);
            Monitor monitor;
            for (const bool some : {false, true}) {
                if (some) {
                    data.at.clear();
                    for (std::size_t i = 0; i < n; i += 3)
                        data.at.push_back(static_cast<std::int64_t>(i));
                }
                std::vector<double> weights;
                for (const auto i : data.at)
                    weights.push_back(data.w[static_cast<std::size_t>(i)]);
                const auto found = linear::gram_single(data.x.data(), data.at.data(), weights.data(), data.shift.data(),
                                                       data.scale.data(), data.at.size(), d, 2, monitor);
                for (std::size_t a = 0; a <= d; ++a)
                    for (std::size_t b = 0; b <= d; ++b)
                        CHECK_NEAR(found[a * (d + 1) + b], data.product(a, b, true),
                                   1e-5 * static_cast<double>(n) + 1e-5);
            }
        }
}

TEST("any number of threads gives the same products") {
    const Data data(3000, 26);
    Monitor monitor;
    CHECK(linear::gram(data.x.data(), data.w.data(), data.shift.data(), data.scale.data(), 3000, 26, 1, monitor) ==
          linear::gram(data.x.data(), data.w.data(), data.shift.data(), data.scale.data(), 3000, 26, 3, monitor));
    CHECK(linear::gram_single(data.x.data(), data.at.data(), data.w.data(), data.shift.data(), data.scale.data(), 3000,
                              26, 1, monitor) == linear::gram_single(data.x.data(), data.at.data(), data.w.data(),
                                                                     data.shift.data(), data.scale.data(), 3000, 26, 3,
                                                                     monitor));
}
