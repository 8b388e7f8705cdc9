#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/splits/level_order.hpp"

using namespace margin;
using namespace margin::tree;

namespace {

void check_sorted(std::vector<double> keys) {
    std::vector<Ranking> order;
    for (std::uint32_t g = 0; g < keys.size(); ++g)
        order.push_back({keys[g], g});
    auto expected = order;
    std::ranges::stable_sort(expected, {}, &Ranking::key);
    sort_by_key(order);
    for (std::size_t i = 0; i < order.size(); ++i)
        CHECK(order[i].level == expected[i].level);
}

} // namespace

TEST("levels are sorted by any keys, equal ones by level") {
    Stream stream(7, 0);
    for (const std::size_t n : {0, 1, 2, 24, 25, 300, 2000})
        for (const double spread : {0.0, 2.0, 1e3, 1e9}) {
            std::vector<double> keys;
            for (std::size_t i = 0; i < n; ++i)
                keys.push_back(spread > 0 ? std::floor(stream.uniform01() * spread) / spread : 0.5);
            check_sorted(keys);
            if (n > 2) {
                keys[n / 2] = 1e6; // all others share a bucket
                check_sorted(keys);
                keys[n / 3] = -1e300;
                keys[0] = 1e300;
                check_sorted(keys);
            }
        }
    std::vector<double> close;
    for (int i = 100; i > 0; --i)
        close.push_back(i * std::numeric_limits<double>::denorm_min());
    check_sorted(close);
}

TEST("the main direction of points along a line is that line") {
    const std::vector<double> rows{3, -3, -1, 1, 2, -2, .5, -.5};
    const auto direction = main_direction(rows, 2);
    CHECK_NEAR(direction[0] / direction[1], -1, 1e-12);
    CHECK(main_direction(std::vector<double>(6, 0.0), 3) == std::vector<double>(3, 0.0));
}
