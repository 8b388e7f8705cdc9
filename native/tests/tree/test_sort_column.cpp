#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/exact/ranks.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace margin;
using namespace margin::tree;

namespace {

const double nan_cell = std::numeric_limits<double>::quiet_NaN();

/// Rows by number, then by row, missing ones last.
std::vector<std::uint32_t> by_definition(const std::vector<double>& x) {
    std::vector<std::uint32_t> rows(x.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i)
        rows[i] = i;
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
        return x[a] < x[b] || (!std::isnan(x[a]) && std::isnan(x[b]));
    });
    return rows;
}

void check_ranks(const std::vector<double>& x, std::size_t n_threads = 1) {
    Monitor monitor;
    const Table<double> table{{x.data(), x.size(), 1}, {nullptr, x.size(), 0}, {}, {}};
    const Ranked ranked = rank_columns(table, n_threads, monitor);
    const auto rows = by_definition(x);
    const Column& column = ranked.columns[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Entry e = ranked.entries[i];
        CHECK(e.place == rows[i]);
        CHECK(std::isnan(x[e.place]) ? e.code == missing_code : column.value[e.code] == x[e.place]);
    }
    CHECK(std::is_sorted(column.value.begin(), column.value.end()));
    CHECK(std::adjacent_find(column.value.begin(), column.value.end()) == column.value.end());
    CHECK(column.n_codes == column.value.size());
}

template <class Make>
std::vector<double> column_of(std::size_t n, Make&& make) {
    Stream random(1, n);
    std::vector<double> x(n);
    for (double& v : x)
        v = make(random);
    return x;
}

} // namespace

TEST("a single row, and rows without a number, are in order") {
    check_ranks({7});
    check_ranks({nan_cell});
    check_ranks({nan_cell, 1, nan_cell, 1, 0});
}

TEST("numbers of every distribution are sorted") {
    for (const std::size_t n : {2, 17, 300, 5000}) {
        check_ranks(column_of(n, [](Stream& r) { return r.normal(); }));
        check_ranks(column_of(n, [](Stream& r) { return std::exp(30 * r.normal()); }));
        check_ranks(column_of(n, [](Stream& r) { return static_cast<double>(r.below(5)); }));
        check_ranks(column_of(n, [](Stream& r) { return r.below(9) ? 0.0 : r.normal(); }));
        check_ranks(column_of(n, [](Stream& r) { return r.below(7) ? r.normal() : nan_cell; }));
        check_ranks(column_of(n, [](Stream& r) { return r.below(50) ? r.uniform01() * 1e-9 : 1e300; }));
    }
}

TEST("long columns, which have a digit more, are sorted") {
    check_ranks(column_of(270000, [](Stream& r) { return r.below(7) ? r.normal() : nan_cell; }));
    check_ranks(column_of(270000, [](Stream& r) { return std::exp(30 * r.normal()); }));
}

TEST("the ends of the doubles are sorted") {
    const double largest = std::numeric_limits<double>::max(), smallest = 5e-324;
    check_ranks({largest, -largest, 0.0, smallest, -smallest, 1.0});
    check_ranks(
        column_of(1000, [&](Stream& r) { return r.below(2) ? smallest * static_cast<double>(r.below(3)) : 0.0; }));
    check_ranks(column_of(1000, [&](Stream& r) { return (r.uniform01() - 0.5) * 2 * largest; }));
}

TEST("zero has one sign") {
    Monitor monitor;
    const std::vector<double> x{0.0, -0.0, 1.0};
    const Table<double> table{{x.data(), 3, 1}, {nullptr, 3, 0}, {}, {}};
    const Ranked ranked = rank_columns(table, 1, monitor);
    CHECK(ranked.columns[0].n_codes == 2);
    CHECK(!std::signbit(ranked.columns[0].value[0]));
}

TEST("codes are sorted by counting, missing ones last") {
    Monitor monitor;
    const std::vector<std::int32_t> codes{2, -1, 0, 2, 0};
    const std::vector<std::int64_t> n_levels{4};
    const std::vector<std::uint8_t> nominal{1};
    const Table<double> table{{nullptr, 5, 0}, {codes.data(), 5, 1}, n_levels, nominal};
    const Ranked ranked = rank_columns(table, 1, monitor);
    const std::vector<std::uint32_t> rows{2, 4, 0, 3, 1};
    for (std::size_t i = 0; i < rows.size(); ++i)
        CHECK(ranked.entries[i].place == rows[i]);
    CHECK(ranked.entries[4].code == missing_code);
    CHECK(ranked.columns[0].n_codes == 4);
}
