// margin/bayes/density.hpp
#include "check.hpp"
#include "margin/bayes/density.hpp"
#include "margin/core/random.hpp"

using namespace margin;
using namespace margin::bayes;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

double by_definition(double x, const std::vector<double>& values, const std::vector<double>& log_weight, double steep) {
    double best = -inf, sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        best = std::max(best, log_weight[i] - steep * (x - values[i]) * (x - values[i]));
    for (std::size_t i = 0; i < values.size(); ++i)
        sum += std::exp(log_weight[i] - steep * (x - values[i]) * (x - values[i]) - best);
    return best + std::log(sum);
}

} // namespace

TEST("the exponential is right to the last digits") {
    for (double x = 0; x > -700; x -= 0.0137)
        CHECK_NEAR(bayes::detail::exp_below_0(x), std::exp(x), 5e-16 * std::exp(x));
    CHECK(bayes::detail::exp_below_0(0) == 1);
}

TEST("densities agree with the whole sum: near and far, narrow and wide, light and heavy values") {
    Stream stream(2, 0);
    for (const std::size_t n : {1, 2, 65, 400})
        for (const double steep : {1e-3, 0.5, 200.0, 1e6})
            for (const double unequal : {0.0, 3.0, 900.0}) {
                std::vector<double> values, log_weight;
                for (std::size_t i = 0; i < n; ++i) {
                    values.push_back(stream.uniform01() * 10);
                    log_weight.push_back(-unequal * stream.uniform01());
                }
                std::sort(values.begin(), values.end());
                const double heaviest = *std::max_element(log_weight.begin(), log_weight.end());
                for (const double x : {-1000.0, -3.0, 0.0, 2.5, values[n / 2], 5.123, 10.0, 42.0}) {
                    const double found =
                        bayes::detail::log_density(x, {values.data(), log_weight.data(), n, steep, heaviest});
                    const double expected = by_definition(x, values, log_weight, steep);
                    CHECK_NEAR(found, expected, 1e-12 * std::max(1.0, std::abs(expected)));
                }
            }
}

TEST("missing cells and classes without values add nothing; a cell beyond all values rules a class out") {
    Monitor monitor;
    const std::vector<double> x{std::numeric_limits<double>::quiet_NaN(), 1, 1e200}, values{0}, log_weight{0};
    const std::vector<std::int64_t> start{0, 1, 1};
    const std::vector<double> steep{2, 2}, off{-1, -1};
    const Kernels kernels{values.data(), log_weight.data(), start.data(), steep.data(), off.data()};
    std::vector<double> scores(6, 5);
    CHECK(add_kernels(x.data(), kernels, scores.data(), 3, 1, 2, 2, monitor));
    CHECK(scores == std::vector<double>({5, 5, 2, 5, -inf, 5}));
    CHECK(!add_kernels(nullptr, kernels, nullptr, 0, 1, 2, 2, monitor));
}
