// margin/neighbors/mixed*.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/mixed/mixed_search.hpp"
#include <algorithm>

using namespace margin;
using namespace margin::neighbors;

namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

struct Rows {
    std::size_t n, p, c;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;

    MatrixView<const double> numeric() const { return {numbers.data(), n, p}; }
    MatrixView<const std::int32_t> nominal() const { return {codes.data(), n, c}; }
};

/// Few different cells, so that there are ties, and some of them missing.
Rows draw(std::size_t n, std::size_t p, std::size_t c, std::uint64_t seed) {
    Stream stream(seed, 1);
    Rows rows{n, p, c, std::vector<double>(n * p), std::vector<std::int32_t>(n * c)};
    for (double& cell : rows.numbers)
        cell = stream.below(10) == 0 ? absent : static_cast<double>(stream.below(20));
    for (std::int32_t& code : rows.codes)
        code = static_cast<std::int32_t>(stream.below(5)) - 1;
    return rows;
}

MixedIndex view(const OwnedMixedIndex& own) {
    const std::size_t n = own.place.size(), n_blocks = blocks_for(n);
    return {own.numeric,
            own.nominal,
            n,
            own.place.data(),
            own.numbers.data(),
            own.codes.data(),
            own.cells.data(),
            {own.blocks.edges.data(), own.blocks.sets.data(), n_blocks},
            {own.groups.edges.data(), own.groups.sets.data(), blocks_for(n_blocks)}};
}

template <class M>
std::vector<Found> all_sorted(const MixedIndex& index, MixedRow query) {
    std::vector<Found> all;
    for (std::size_t i = 0; i < index.n_rows; ++i)
        all.push_back({compared<M>(index.numeric, index.nominal, query, index.row(i)), index.place[i]});
    std::sort(all.begin(), all.end());
    for (Found& one : all)
        one.distance = M::finish(one.distance);
    return all;
}

template <class M>
void agrees_with_sorting(std::size_t n, std::size_t p, std::size_t c, std::size_t k, double radius) {
    Monitor monitor;
    const Rows rows = draw(n, p, c, n + p), queries = draw(7, p, c, 99);
    std::vector<double> weights(p + c, 1.0);
    for (std::size_t j = 0; j < weights.size(); j += 3)
        weights[j] = 0.25;
    const OwnedMixedIndex own = index_mixed<M>(rows.numeric(), rows.nominal(), weights, 3, monitor);
    const MixedIndex index = view(own);
    std::vector<double> distance(7 * k);
    std::vector<std::int64_t> place(7 * k);
    nearest_mixed<M>(index, {queries.numeric(), queries.nominal()}, k, distance.data(), place.data(), 3, monitor);
    const auto within = within_mixed<M>(index, {queries.numeric(), queries.nominal()}, radius, 3, monitor);
    for (std::size_t q = 0; q < 7; ++q) {
        const auto all = all_sorted<M>(index, {queries.numbers.data() + q * p, queries.codes.data() + q * c});
        for (std::size_t i = 0; i < k; ++i) {
            CHECK(place[q * k + i] == all[i].row);
            CHECK(distance[q * k + i] == all[i].distance);
        }
        std::size_t inside = 0;
        while (inside < n && all[inside].distance <= radius)
            ++inside;
        CHECK(within[q].size() == inside);
        for (std::size_t i = 0; i < inside; ++i)
            CHECK(within[q][i].row == all[i].row);
    }
}

} // namespace

TEST("the nearest mixed rows are those that sorting all distances gives") {
    for (const auto [n, p, c] :
         {std::array<std::size_t, 3>{1, 1, 1}, {33, 3, 0}, {100, 0, 3}, {2500, 3, 4}, {200, 2, 300}})
        for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(n, 5), n}) {
            agrees_with_sorting<Heom>(n, p, c, k, 1.0);
            agrees_with_sorting<Gower>(n, p, c, k, 0.4);
        }
}

TEST("a missing cell differs by 1 in HEOM and does not count in Gower") {
    const std::vector<NumberColumn> numeric{{2, 0, 4, std::numeric_limits<double>::infinity(), 0, 1, 1, 1}};
    const std::vector<NominalColumn> nominal{{1, 1}, {1, 0}};
    const double a[1] = {absent}, b[1] = {3};
    const std::int32_t red_big[2] = {0, 1}, red_small[2] = {0, 0}, unknown_small[2] = {-1, 0};
    CHECK(compared<Heom>(numeric, nominal, {a, red_big}, {b, red_small}) == 3);
    CHECK(compared<Gower>(numeric, nominal, {a, red_big}, {b, red_small}) == 0.5);
    CHECK(compared<Heom>(numeric, nominal, {a, unknown_small}, {b, red_small}) == 3);
    CHECK(compared<Gower>(numeric, nominal, {a, unknown_small}, {b, red_small}) == 0);
}

TEST("the index holds every row once, whatever the order") {
    Monitor monitor;
    const Rows rows = draw(5000, 2, 2, 3);
    OwnedMixedIndex own = index_mixed<Heom>(rows.numeric(), rows.nominal(), std::vector<double>(4, 1.0), 2, monitor);
    std::sort(own.place.begin(), own.place.end());
    for (std::size_t i = 0; i < own.place.size(); ++i)
        CHECK(own.place[i] == static_cast<std::int64_t>(i));
}
