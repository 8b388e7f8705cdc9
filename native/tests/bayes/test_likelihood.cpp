// margin/bayes/likelihood.hpp
#include "check.hpp"
#include "margin/bayes/likelihood.hpp"
#include <limits>

using namespace margin;
using namespace margin::bayes;

TEST("levels are counted by class, missing cells left out") {
    Monitor monitor;
    const std::vector<std::int32_t> codes{0, 1, /**/ 1, -1, /**/ 0, 0};
    const std::vector<std::int64_t> first{0, 2};
    const std::vector<std::int32_t> y{0, 1, 1};
    const std::vector<double> w{1, 1, 2};
    const auto counts = count_levels(codes.data(), first.data(), y.data(), w.data(), 3, 2, 4, 2, 1, monitor);
    //                                   column 0: level 0, level 1; column 1: level 0, level 1
    CHECK(counts == std::vector<double>({1, 2, 0, 1, 0, 2, 1, 0}));
}

TEST("normal log-densities are added, and a missing cell adds nothing") {
    Monitor monitor;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t columns : {1, 7, 8, 9, 31}) {
        std::vector<double> x(2 * columns, 3.0), mean(columns, 1.0), steep(columns, 0.5), off(columns, -0.25);
        x[columns] = nan; // the first cell of the second row
        const std::vector<double> peak{-0.25 * static_cast<double>(columns)};
        std::vector<double> scores{7, 7};
        add_normal(x.data(), mean.data(), steep.data(), off.data(), peak.data(), scores.data(), 2, columns, 1, 1,
                   monitor);
        const double term = -0.25 - 0.5 * 4;
        CHECK_NEAR(scores[0], 7 + term * static_cast<double>(columns), 1e-12);
        CHECK_NEAR(scores[1], 7 + term * static_cast<double>(columns - 1), 1e-12);
    }
}

TEST("shares are added, and code -1 adds nothing") {
    Monitor monitor;
    const std::vector<std::int32_t> codes{1, -1};
    const std::vector<std::int64_t> first{0, 2};
    const std::vector<double> log_share{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    std::vector<double> scores{1, 1};
    add_shares(codes.data(), first.data(), log_share.data(), scores.data(), 1, 2, 2, 1, monitor);
    CHECK_NEAR(scores[0], 1.3, 1e-15);
    CHECK_NEAR(scores[1], 1.4, 1e-15);
}
