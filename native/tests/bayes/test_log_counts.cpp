// margin/bayes/log_counts.hpp
#include "check.hpp"
#include "margin/bayes/log_counts.hpp"
#include <cmath>
#include <vector>

using namespace margin;

TEST("small whole counts and all others have the same logarithms") {
    const std::size_t classes = 2, columns = 3000;
    std::vector<double> counts(classes * columns);
    for (std::size_t c = 0; c < counts.size(); ++c)
        counts[c] = c % 3 == 0 ? static_cast<double>(c) : static_cast<double>(c) * 0.37;
    const double shift[] = {1.5, -2.0};
    Monitor monitor;
    const auto table = bayes::log_counts(counts.data(), 0.25, shift, classes, columns, 2, monitor);
    for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t j = 0; j < columns; ++j)
            CHECK_NEAR(table[j * classes + k], std::log(counts[k * columns + j] + 0.25) - shift[k], 1e-14);
}

TEST("no column is no table") {
    Monitor monitor;
    const double shift[] = {0.0};
    CHECK(bayes::log_counts(nullptr, 1.0, shift, 1, 0, 1, monitor).empty());
}
