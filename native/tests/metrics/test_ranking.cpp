// margin/metrics/sorting.hpp, sides.hpp and ranking.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/metrics/ranking.hpp"

using namespace margin;
using namespace margin::metrics;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Cases {
    std::vector<double> score, weight;
    std::vector<std::uint8_t> positive;

    Cases(std::size_t n, std::uint64_t different) {
        Stream stream(n, different);
        for (std::size_t i = 0; i < n; ++i) {
            score.push_back(static_cast<double>(stream.below(different)) / 8 - 100);
            weight.push_back(static_cast<double>(1 + stream.below(4)));
            positive.push_back(stream.below(3) == 0);
        }
    }
    Scored scored(bool weighted) const {
        return {score.data(), 1, positive.data(), weighted ? weight.data() : nullptr, score.size()};
    }
};

/// Chance that a positive case stands above another, pair by pair.
double slow_area(const Cases& cases, bool weighted) {
    double above = 0, all = 0;
    for (std::size_t i = 0; i < cases.score.size(); ++i)
        for (std::size_t j = 0; j < cases.score.size(); ++j)
            if (cases.positive[i] && !cases.positive[j]) {
                const double w = weighted ? cases.weight[i] * cases.weight[j] : 1;
                above += cases.score[i] > cases.score[j] ? w : cases.score[i] == cases.score[j] ? w / 2 : 0;
                all += w;
            }
    return above / all;
}

} // namespace

TEST("keys order as doubles do, both zeros are one key, and keys turn back into doubles") {
    const std::vector<double> ascending{-infinity, -1e300, -1, -5e-324, 0, 5e-324, 2.5, 1e300, infinity};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        CHECK(number_of(key_of(ascending[i])) == ascending[i]);
        if (i > 0)
            CHECK(key_of(ascending[i - 1]) < key_of(ascending[i]));
    }
    CHECK(key_of(-0.0) == key_of(0.0));
}

TEST("keys are sorted, equal ones left in order, by any number of threads") {
    Monitor monitor;
    for (const std::size_t n : {0, 1, 100, 2048, 70'001})
        for (const std::uint64_t different : {std::uint64_t{1}, std::uint64_t{5}, ~std::uint64_t{0}})
            for (const std::size_t threads : {1, 3}) {
                Stream stream(n, different);
                Scratch<RowKey> keys(n);
                Scratch<std::uint64_t> plain(n);
                std::vector<RowKey> expected;
                for (std::size_t i = 0; i < n; ++i) {
                    plain[i] = stream.below(different) << (different == 5 ? 40 : 0);
                    keys[i] = {plain[i], i};
                    expected.push_back(keys[i]);
                }
                std::stable_sort(expected.begin(), expected.end());
                sort_keys(keys, threads, monitor);
                sort_keys(plain, threads, monitor);
                for (std::size_t i = 0; i < n; ++i)
                    CHECK(keys[i].key == expected[i].key && keys[i].row == expected[i].row && plain[i] == keys[i].key);
            }
}

TEST("areas agree with the count of all pairs, with and without weights") {
    Monitor monitor;
    for (const std::uint64_t different : {2, 30, 1'000'000}) {
        const Cases cases(400, different);
        const auto plain = sorted_sides<std::uint64_t>(cases.scored(false), 2, monitor);
        const auto weighted = sorted_sides<RowKey>(cases.scored(true), 2, monitor);
        CHECK_NEAR(rank_totals(plain, 2, monitor).area, slow_area(cases, false), 1e-13);
        CHECK_NEAR(rank_totals(weighted, 2, monitor).area, slow_area(cases, true), 1e-13);
        std::vector<double> placed(400);
        placements(weighted, placed.data(), 2, monitor);
        double sum = 0, all = 0;
        for (std::size_t i = 0; i < 400; ++i)
            if (cases.positive[i])
                sum += placed[i] * cases.weight[i], all += cases.weight[i];
        CHECK_NEAR(sum / all, slow_area(cases, true), 1e-13);
    }
}

TEST("one side alone has no area, and without cases there is nothing") {
    Monitor monitor;
    Cases cases(10, 100);
    for (const std::uint8_t side : {0, 1}) {
        std::fill(cases.positive.begin(), cases.positive.end(), side);
        const auto found = rank_totals(sorted_sides<std::uint64_t>(cases.scored(false), 1, monitor), 1, monitor);
        CHECK(std::isnan(found.area) && std::isnan(found.variance));
        CHECK(side ? found.average_precision == 1 : std::isnan(found.average_precision));
    }
    const auto none = sorted_sides<RowKey>({nullptr, 1, nullptr, nullptr, 0}, 1, monitor);
    CHECK(rank_curve(none, 1, monitor).thresholds.empty());
    CHECK(std::isnan(rank_totals(none, 1, monitor).area));
}

TEST("scores that are NaN are counted and nothing is sorted") {
    Monitor monitor;
    Cases cases(100'000, 1000);
    cases.score[70'000] = cases.score[90'000] = std::numeric_limits<double>::quiet_NaN();
    const auto sides = sorted_sides<RowKey>(cases.scored(true), 2, monitor);
    CHECK(sides.missing == 2 && sides.first_missing == 70'000 && sides.positives.size() == 0);
}

TEST("many cases give the same bits for any number of threads, ties across pieces included") {
    Monitor monitor;
    for (const std::uint64_t different : {3, 1'000'000}) {
        const Cases cases(200'003, different);
        const auto of_curve = [&](std::size_t threads) {
            const auto sides = sorted_sides<RowKey>(cases.scored(true), threads, monitor);
            return std::pair(rank_curve(sides, threads, monitor), rank_totals(sides, threads, monitor));
        };
        const auto [one, totals] = of_curve(1);
        CHECK(one.thresholds.size() == (different == 3 ? 3 : one.thresholds.size()));
        double area = 0;
        for (std::size_t k = 0; k < one.thresholds.size(); ++k)
            area += (one.alarms[k] - (k ? one.alarms[k - 1] : 0)) * (one.hits[k] + (k ? one.hits[k - 1] : 0)) / 2;
        CHECK_NEAR(totals.area, area / (one.hits.back() * one.alarms.back()), 1e-12);
        for (const std::size_t threads : {2, 5}) {
            const auto [curve, other] = of_curve(threads);
            CHECK(curve.thresholds == one.thresholds && curve.hits == one.hits && curve.alarms == one.alarms);
            CHECK(other.area == totals.area && other.average_precision == totals.average_precision);
        }
    }
}
