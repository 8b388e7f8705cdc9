#include "check.hpp"
#include "margin/tree/targets/chance.hpp"

using namespace margin::tree;

TEST("tails of the chi-squared distribution") {
    CHECK_NEAR(chi_squared_tail(3.841458820694124, 1), 0.05, 1e-14);
    CHECK_NEAR(chi_squared_tail(2 * std::log(20.0), 2), 0.05, 1e-15); // exp(-x / 2)
    CHECK_NEAR(chi_squared_tail(18.307038053275146, 10), 0.05, 1e-14);
    CHECK_NEAR(chi_squared_tail(1000, 1000), 0.49405285382923964, 1e-12);
    CHECK_NEAR(chi_squared_tail(0, 3), 1, 0);
    CHECK_NEAR(chi_squared_tail(1e-300, 3), 1, 1e-15);
    CHECK_NEAR(chi_squared_tail(1e5, 3), 0, 0);
    CHECK_NEAR(chi_squared_tail(5, 0), 1, 0);                         // nothing can depend on a constant
    CHECK_NEAR(chi_squared_tail(100, 2) / std::exp(-50.0), 1, 1e-12); // far out in the tail
}

TEST("tails of the F distribution") {
    CHECK_NEAR(f_tail(4.964602743730711, 1, 10), 0.05, 1e-13);
    CHECK_NEAR(f_tail(3.0, 2, 4), std::pow(1 + 2 * 3.0 / 4, -2.0), 1e-14); // two degrees above: a power
    CHECK_NEAR(f_tail(1.0, 7, 7), 0.5, 1e-14);
    CHECK_NEAR(f_tail(0, 3, 5), 1, 0);
    CHECK_NEAR(f_tail(1e9, 3, 50), 0, 1e-12);
}

TEST("log gamma at whole and half numbers") {
    CHECK_NEAR(log_gamma(1), 0, 1e-14);
    CHECK_NEAR(log_gamma(5), std::log(24.0), 1e-14);
    CHECK_NEAR(log_gamma(0.5), 0.5 * std::log(std::numbers::pi), 1e-14);
    CHECK_NEAR(log_gamma(1e6) / 12815504.569147611, 1, 1e-14);
}

TEST("groups of different means are told from equal ones") {
    Segment<Values> cases;
    cases.n = 6;
    cases.columns = {0};
    const double y[] = {1, 2, 3, 4, 5, 6};
    for (std::uint32_t i = 0; i < 6; ++i) {
        cases.entries.push_back({i, i});
        cases.target.push_back({y[i], y[i]});
    }
    const std::vector<Column> columns(1);
    const Settings settings;
    const Node<Values> node{cases, columns, settings, 2, {6, 21}, 6, 0};
    Candidate split;
    split.ask = Ask::threshold;
    split.cut = 2;
    // Means 2 and 5: 13.5 between with 1 degree, 4 within with 4, so F = 13.5; five thresholds could have been chosen.
    CHECK_NEAR(chance(node, 0, split), 5 * f_tail(13.5, 1, 4), 1e-15);
}
