#include "check.hpp"
#include "margin/tree/exact/fractional_cases.hpp"

using namespace margin::tree;

namespace {

/// Two columns: one to split on, whose last cells are missing, and the number of the case.
template <class Target>
Segment<Target> some_cases(std::size_t n_known, std::size_t n_missing) {
    Segment<Target> cases;
    cases.n = n_known + n_missing;
    cases.columns = {0, 1};
    for (std::uint32_t i = 0; i < cases.n; ++i)
        cases.entries.push_back({i < n_known ? i % 3 : missing_code, i});
    std::ranges::stable_sort(cases.entries, {}, &Entry::code);
    for (std::uint32_t i = 0; i < cases.n; ++i)
        cases.entries.push_back({i, i});
    return cases;
}

Candidate by_level() {
    Candidate split;
    split.ask = Ask::level;
    split.n_branches = 4;
    split.missing = -1;
    return split;
}

} // namespace

TEST("parts of a case add up to it, and columns stay sorted") {
    auto cases = some_cases<Classes>(7, 5);
    cases.target.resize(12);
    for (std::size_t i = 0; i < 12; ++i)
        cases.target[i] = static_cast<std::uint16_t>(i % 2);
    const auto parts = divide_in_parts(cases, 0, by_level(), steps_for(cases));
    CHECK(parts.size() == 4);
    CHECK(parts[0].n == 8 && parts[1].n == 7 && parts[2].n == 7 && parts[3].n == 0);
    double total = 0;
    for (const auto& part : parts) {
        for (const double w : part.weight)
            total += w;
        CHECK(part.weight.size() == part.n && part.target.size() == part.n);
        CHECK(part.entries.size() == part.n * part.columns.size());
        for (std::size_t k = 0; k < part.columns.size(); ++k)
            CHECK(std::ranges::is_sorted(part.column(k), {}, &Entry::code));
    }
    CHECK_NEAR(total, 12, 1e-13);
    CHECK_NEAR(parts[0].weight[3], 3.0 / 7, 1e-14); // the fourth case there is the first in parts
}

TEST("sums of parts are the same in any order") {
    auto cases = some_cases<Classes>(1000, 999);
    cases.target.assign(1999, 0);
    const auto parts = divide_in_parts(cases, 0, by_level(), steps_for(cases));
    double up = 0, down = 0;
    for (std::size_t i = 0; i < parts[1].n; ++i) {
        up += parts[1].weight[i];
        down += parts[1].weight[parts[1].n - 1 - i];
    }
    CHECK(up == down);
}

TEST("numbers have parts of weight and of weight times number") {
    auto cases = some_cases<Values>(3, 1);
    cases.target = {{1, 1}, {2, 2}, {3, 3}, {6, 6}};
    const auto parts = divide_in_parts(cases, 0, by_level(), steps_for(cases));
    for (std::size_t b = 0; b < 3; ++b) {
        CHECK(parts[b].target[1].y == 6);
        CHECK_NEAR(parts[b].target[1].part, 2, 1e-14);
        CHECK_NEAR(parts[b].weight[1], 1.0 / 3, 1e-14);
    }
}

TEST("a part too small for the grid is dropped") {
    auto cases = some_cases<Classes>(2, 1);
    cases.target.assign(3, 0);
    cases.weight = {1e16, 4, 4};
    const auto parts = divide_in_parts(cases, 0, by_level(), steps_for(cases));
    CHECK(parts[0].n == 2 && parts[1].n == 1);
    CHECK(parts[1].columns.empty()); // a single case varies nowhere
}
