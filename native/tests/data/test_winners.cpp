// margin/data/winners.hpp
#include "check.hpp"
#include "margin/data/winners.hpp"
#include <limits>

using namespace margin;

TEST("the first of the largest wins, minus infinity included") {
    Monitor monitor;
    const double low = -std::numeric_limits<double>::infinity();
    const std::vector<double> scores{1, 3, 3, /**/ low, low, low, /**/ 2, low, 1};
    CHECK(data::winners(scores.data(), 3, 3, 1, monitor) == std::vector<std::int64_t>({1, 0, 0}));
    CHECK(data::winners(scores.data(), 9, 1, 2, monitor) == std::vector<std::int64_t>(9, 0));
    CHECK(data::winners(nullptr, 0, 3, 2, monitor).empty());
}
