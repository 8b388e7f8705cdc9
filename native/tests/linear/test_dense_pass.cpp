// margin/linear/dense/dense_pass.hpp
#include "check.hpp"
#include "margin/linear/dense/dense_pass.hpp"

using namespace margin;
using namespace margin::linear;

namespace {

struct Data {
    std::size_t rows, columns, scores;
    std::vector<double> x, w, coef, intercept, origin;
    std::vector<std::int32_t> y;

    Data(std::size_t n, std::size_t d, std::size_t k)
        : rows(n), columns(d), scores(k), x(n * d), w(n), coef(k * d), intercept(k), origin(d), y(n) {
        for (std::size_t c = 0; c < x.size(); ++c)
            x[c] = std::sin(static_cast<double>(7 * c + 1));
        for (std::size_t c = 0; c < coef.size(); ++c)
            coef[c] = std::cos(static_cast<double>(3 * c));
        for (std::size_t i = 0; i < n; ++i) {
            y[i] = static_cast<std::int32_t>((i * 5) % (k == 1 ? 2 : k));
            w[i] = 0.5 + static_cast<double>(i % 3);
        }
        for (std::size_t c = 0; c < k; ++c)
            intercept[c] = 0.1 * static_cast<double>(c);
        for (std::size_t j = 0; j < d; ++j)
            origin[j] = 0.25 * static_cast<double>(j % 4);
    }

    DenseProblem<double> problem(bool weighted, bool moved) const {
        return {x.data(),    y.data(),         weighted ? w.data() : nullptr,  rows, columns, scores,
                coef.data(), intercept.data(), moved ? origin.data() : nullptr};
    }
};

/// The definition, one row after another.
DenseSums slowly(const DenseProblem<double>& p, std::vector<double>& kept) {
    DenseSums sums{0, std::vector<double>(p.scores * p.columns), std::vector<double>(p.scores)};
    const std::size_t classes = p.scores == 1 ? 2 : p.scores;
    for (std::size_t i = 0; i < p.rows; ++i) {
        std::vector<double> f(classes);
        for (std::size_t k = 0; k < p.scores; ++k) {
            double& score = f[p.scores == 1 ? 1 : k];
            score = p.intercept[k];
            for (std::size_t j = 0; j < p.columns; ++j)
                score += p.coef[k * p.columns + j] * (p.x[i * p.columns + j] - (p.origin ? p.origin[j] : 0));
        }
        double total = 0;
        for (const double score : f)
            total += std::exp(score);
        const double weight = p.w ? p.w[i] : 1;
        const auto own = static_cast<std::size_t>(p.y[i]);
        sums.loss += weight * (std::log(total) - f[own]);
        for (std::size_t k = 0; k < p.scores; ++k) {
            const std::size_t of = p.scores == 1 ? 1 : k;
            const double probability = std::exp(f[of]) / total, residual = weight * (probability - (of == own));
            kept.push_back(probability);
            sums.intercept_gradient[k] += residual;
            for (std::size_t j = 0; j < p.columns; ++j)
                sums.gradient[k * p.columns + j] += residual * (p.x[i * p.columns + j] - (p.origin ? p.origin[j] : 0));
        }
    }
    return sums;
}

} // namespace

TEST("loss, gradient and probabilities are those of the definition, for any shape") {
    for (std::size_t n : {1, 5, 67, 300})
        for (std::size_t d : {1, 4, 7, 26})
            for (std::size_t k : {1, 3, 4, 13})
                for (int variant = 0; variant < 4; ++variant) {
                    const Data data(n, d, k);
                    const auto problem = data.problem(variant & 1, variant & 2);
                    std::vector<double> kept(n * k), expected_kept;
                    const auto expected = slowly(problem, expected_kept);
                    Monitor monitor;
                    const auto found = dense_sums(problem, kept.data(), 2, monitor);
                    CHECK_NEAR(found.loss, expected.loss, 1e-11 * static_cast<double>(n));
                    for (std::size_t c = 0; c < k * d; ++c)
                        CHECK_NEAR(found.gradient[c], expected.gradient[c], 1e-11 * static_cast<double>(n));
                    for (std::size_t c = 0; c < k; ++c)
                        CHECK_NEAR(found.intercept_gradient[c], expected.intercept_gradient[c],
                                   1e-11 * static_cast<double>(n));
                    for (std::size_t c = 0; c < n * k; ++c)
                        CHECK_NEAR(kept[c], expected_kept[c], 1e-13);
                }
}

TEST("any number of threads gives the same bits") {
    for (std::size_t k : {1, 5}) {
        const Data data(5000, 9, k);
        Monitor monitor;
        const auto one = dense_sums(data.problem(true, false), nullptr, 1, monitor);
        const auto many = dense_sums(data.problem(true, false), nullptr, 3, monitor);
        CHECK(one.loss == many.loss);
        CHECK(one.gradient == many.gradient);
        CHECK(one.intercept_gradient == many.intercept_gradient);
    }
}

TEST("scores far beyond the range of exp have finite losses") {
    for (std::size_t k : {1, 3}) {
        Data data(20, 4, k);
        for (double& c : data.coef)
            c *= 1e6;
        Monitor monitor;
        const auto found = dense_sums(data.problem(false, false), nullptr, 1, monitor);
        CHECK(std::isfinite(found.loss) && found.loss > 1e5);
        for (const double g : found.gradient)
            CHECK(std::isfinite(g));
    }
}
