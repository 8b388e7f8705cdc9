// margin/data/csr.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/data/csr.hpp"

using namespace margin;
using namespace margin::data;

namespace {

/// The vectors hold exactly what they say: a sanitizer notices a cell read beside them.
template <class Index>
CsrSurvey look(const std::vector<double>& values, const std::vector<Index>& columns,
               const std::vector<std::int64_t>& start, std::size_t width) {
    Monitor monitor;
    const Csr<double, Index> x{values.data(), columns.data(), start.data(), start.size() - 1, width};
    return survey(x, values.size(), 1e300, 2, monitor);
}

} // namespace

TEST("a canonical matrix, one out of order, a damaged one and one with an unusable cell are told apart") {
    using V = std::vector<std::int32_t>;
    using Starts = std::vector<std::int64_t>;
    std::vector<double> values{1, 2, 3, 4};
    CHECK(look(values, V{0, 2, 1, 2}, Starts{0, 2, 2, 4}, 3).state == CsrState::canonical);
    CHECK(look(values, V{2, 0, 1, 2}, Starts{0, 2, 2, 4}, 3).state == CsrState::unordered);
    CHECK(look(values, V{0, 0, 1, 2}, Starts{0, 2, 2, 4}, 3).state == CsrState::unordered);
    const auto outside = look(values, V{0, 2, 1, 3}, Starts{0, 2, 2, 4}, 3);
    CHECK(outside.state == CsrState::damaged && outside.at == 2);
    values[3] = std::numeric_limits<double>::infinity();
    const auto infinite = look(values, V{0, 2, 1, 2}, Starts{0, 2, 2, 4}, 3);
    CHECK(infinite.state == CsrState::unusable && infinite.at == 3);
    values[3] = std::numeric_limits<double>::quiet_NaN();
    values[0] = -1;
    const auto gaps = look(values, V{0, 2, 1, 2}, Starts{0, 2, 2, 4}, 3);
    CHECK(gaps.state == CsrState::canonical && gaps.missing && gaps.negative);
}

TEST("nothing is read outside of the arrays, whatever they hold") {
    Stream stream(3, 0);
    const auto strange = [&] {
        const std::int64_t wild[] = {-1,
                                     0,
                                     1,
                                     3,
                                     4,
                                     5,
                                     1000,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()};
        return wild[static_cast<std::size_t>(stream.uniform01() * 9)];
    };
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<std::int64_t> columns(4), start(6);
        for (auto& column : columns)
            column = strange();
        for (auto& place : start)
            place = strange();
        const auto found = look(std::vector<double>(4, 1.0), columns, start, 3);
        bool fits = start[0] == 0 && start[5] == 4;
        for (std::size_t i = 0; i < 5; ++i)
            fits &= start[i] <= start[i + 1];
        for (const auto column : columns)
            fits &= column >= 0 && column < 3;
        CHECK((found.state != CsrState::damaged) == fits);
        CHECK(fits || (found.at >= 0 && found.at < 5));
    }
}

TEST("a matrix without rows or without cells is canonical") {
    CHECK(look<std::int32_t>({}, {}, {0}, 0).state == CsrState::canonical);
    CHECK(look<std::int32_t>({}, {}, {0, 0, 0}, 2).state == CsrState::canonical);
    CHECK(look<std::int32_t>({1}, {0}, {0}, 2).state == CsrState::damaged);
}
