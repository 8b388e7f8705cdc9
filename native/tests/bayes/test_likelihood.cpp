// margin/bayes/likelihood.hpp
#include "check.hpp"
#include "margin/bayes/likelihood.hpp"
#include <limits>
#include <vector>

using namespace margin;
using namespace margin::bayes;

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
