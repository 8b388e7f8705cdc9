// margin/linear/scores/scores.hpp, scores_csr.hpp
#include "check.hpp"
#include "margin/linear/scores/scores_csr.hpp"
#include <limits>

using namespace margin;
using namespace margin::linear;

namespace {

// Exactly as many cells as there are: a sanitizer sees every read beyond them.
struct Example {
    std::vector<double> x, coef, intercept;
    std::vector<float> narrow;
    std::size_t rows, columns, n_scores;

    Example(std::size_t n, std::size_t d, std::size_t k) : rows(n), columns(d), n_scores(k) {
        for (std::size_t i = 0; i < n * d; ++i)
            x.push_back(static_cast<double>((i * 37) % 11) - 5);
        for (std::size_t i = 0; i < k * d; ++i)
            coef.push_back(static_cast<double>((i * 29) % 7) - 3);
        for (std::size_t i = 0; i < k; ++i)
            intercept.push_back(static_cast<double>(i) / 4);
        narrow.assign(x.begin(), x.end());
        x.shrink_to_fit(), coef.shrink_to_fit(), intercept.shrink_to_fit(), narrow.shrink_to_fit();
    }

    Layer layer() const { return {coef.data(), intercept.data(), nullptr, nullptr, n_scores, columns}; }

    std::vector<double> expected() const {
        std::vector<double> found;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < n_scores; ++k) {
                double sum = intercept[k];
                for (std::size_t j = 0; j < columns; ++j)
                    sum += x[i * columns + j] * coef[k * columns + j]; // whole numbers: no rounding in any order
                found.push_back(sum);
            }
        return found;
    }
};

struct Stored {
    std::vector<double> values;
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> start{0};

    explicit Stored(const Example& from) {
        for (std::size_t i = 0; i < from.rows; ++i) {
            for (std::size_t j = 0; j < from.columns; ++j)
                if (const double cell = from.x[i * from.columns + j]; cell != 0)
                    values.push_back(cell), columns.push_back(static_cast<std::int32_t>(j));
            start.push_back(static_cast<std::int64_t>(values.size()));
        }
        values.shrink_to_fit(), columns.shrink_to_fit(), start.shrink_to_fit();
    }

    data::Csr<double, std::int32_t> view(std::size_t width) const {
        return {values.data(), columns.data(), start.data(), start.size() - 1, width};
    }
};

} // namespace

TEST("scores of every shape are the sums they are defined by, also of stored cells") {
    Monitor monitor;
    for (const std::size_t n : {0, 1, 3, 4, 6, 300})
        for (const std::size_t d : {1, 2, 3, 4, 5, 8, 13})
            for (const std::size_t k : {1, 2, 3, 4, 7, 13}) {
                const Example e(n, d, k);
                std::vector<double> found(n * k);
                CHECK(answer_dense<Scores>(e.x.data(), n, e.layer(), 1e100, found.data(), 2, monitor));
                CHECK(found == e.expected());
                CHECK(answer_dense<Scores>(e.narrow.data(), n, e.layer(), 1e30f, found.data(), 2, monitor));
                CHECK(found == e.expected());
                const Stored s(e);
                CHECK(answer_csr<Scores>(s.view(d), s.values.size(), e.layer(), 1e100, found.data(), 2, monitor));
                CHECK(found == e.expected());
            }
}

TEST("rows are put on the scale of the coefficients first") {
    Monitor monitor;
    const std::vector<double> x{3, 10}, coef{2, 1}, intercept{1}, center{1, 0}, spread{2, 5};
    const Layer layer{coef.data(), intercept.data(), center.data(), spread.data(), 1, 2};
    double found = 0;
    CHECK(answer_dense<Scores>(x.data(), 1, layer, 1e100, &found, 1, monitor));
    CHECK(found == 5); // 2 (3 - 1) / 2 + 10 / 5 + 1
}

TEST("a cell that cannot be used is noticed, wherever it is") {
    Monitor monitor;
    for (const double cell :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 1e101})
        for (const std::size_t at : {0, 7, 2999}) {
            Example e(1000, 3, 2);
            e.x[at] = cell;
            std::vector<std::int64_t> found(1000);
            CHECK(!answer_dense<Winners>(e.x.data(), 1000, e.layer(), 1e100, found.data(), 2, monitor));
            const Stored s(e);
            CHECK(!answer_csr<Winners>(s.view(3), s.values.size(), e.layer(), 1e100, found.data(), 2, monitor));
        }
}

TEST("a sum that overflows is noticed, and the other rows are answered") {
    Monitor monitor;
    const std::vector<double> x{1e300, 2}, coef{1e300}, intercept{0};
    const Layer layer{coef.data(), intercept.data(), nullptr, nullptr, 1, 1};
    std::vector<double> found(2);
    CHECK(!answer_dense<Scores>(x.data(), 2, layer, std::numeric_limits<double>::max(), found.data(), 1, monitor));
    CHECK(found[1] == 2e300);
}

TEST("a damaged matrix of stored cells is not followed") {
    Monitor monitor;
    const Example e(4, 3, 2);
    std::vector<double> found(8);
    Stored beyond(e), back(e), tail(e);
    beyond.columns[1] = 1000;
    back.start[2] = 100;
    tail.start[4] = 1;
    for (const Stored* s : {&beyond, &back, &tail})
        CHECK(!answer_csr<Scores>(s->view(3), s->values.size(), e.layer(), 1e100, found.data(), 1, monitor));
}

TEST("probabilities add up to 1, and a class that is never answered has none") {
    const std::vector<double> scores{1, never, 3, /**/ -900, never, -901, /**/ 700, never, 800};
    const auto check_rows = [](const std::vector<double>& p) {
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(p[3 * i + 1] == 0);
            CHECK(std::abs(p[3 * i] + p[3 * i + 2] - 1) < 1e-15);
        }
    };
    std::vector<double> p(9);
    Softmax::answer(scores.data(), 3, 3, p.data()), check_rows(p);
    CHECK(std::abs(p[3] - 1 / (1 + std::exp(-1.0))) < 1e-15);
    OneVsRest::answer(scores.data(), 3, 3, p.data()), check_rows(p);
    CHECK(std::abs(p[3] - 1 / (1 + std::exp(-1.0))) < 1e-15);
    Clipped::answer(scores.data(), 3, 3, p.data()), check_rows(p);
    CHECK(p[3] == 0.5);
}
