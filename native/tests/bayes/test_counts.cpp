// margin/bayes/counts.hpp and shares.hpp
#include "check.hpp"
#include "margin/bayes/shares.hpp"
#include "margin/core/random.hpp"

using namespace margin;
using namespace margin::bayes;

namespace {

const std::vector<std::int64_t> first{0, 2, 4};

} // namespace

TEST("levels are counted by class, missing cells left out, from columns and from a matrix") {
    Monitor monitor;
    const std::vector<std::int32_t> a{0, 1, 0}, b{1, -1, 0}, y{0, 1, 1};
    const std::vector<double> w{1, 1, 2}, by_weight{1, 2, 0, 1, 0, 2, 1, 0}, by_row{1, 1, 0, 1, 0, 1, 1, 0};
    CHECK(count_columns({a.data(), b.data()}, first.data(), y.data(), w.data(), 3, 2, 1, monitor) == by_weight);
    CHECK(count_columns({a.data(), b.data()}, first.data(), y.data(), nullptr, 3, 2, 1, monitor) == by_row);
    const std::vector<std::int64_t> whole{0, 1, 1, -1, 0, 0};
    CHECK(count_matrix(whole.data(), first.data(), y.data(), nullptr, 3, 2, 2, 1, monitor) == by_row);
    const std::vector<float> real{0, 1, 1, std::numeric_limits<float>::quiet_NaN(), 0, 0};
    CHECK(count_matrix(real.data(), first.data(), y.data(), w.data(), 3, 2, 2, 1, monitor) == by_weight);
}

TEST("without rows or columns there is nothing to count") {
    Monitor monitor;
    CHECK(count_columns({nullptr, nullptr}, first.data(), nullptr, nullptr, 0, 1, 2, monitor) ==
          std::vector<double>(4));
    CHECK(count_columns({}, first.data(), nullptr, nullptr, 0, 3, 2, monitor).empty());
    CHECK(count_matrix<double>(nullptr, first.data(), nullptr, nullptr, 0, 2, 1, 2, monitor) == std::vector<double>(4));
}

TEST("counts of many rows are the same for any number of threads, and for columns and matrix") {
    Monitor monitor;
    Stream stream(1, 0);
    const std::size_t rows = 70'003;
    for (const std::int64_t levels : {3, 5000}) {
        const std::vector<std::int64_t> both{0, levels, 2 * levels};
        std::vector<std::int32_t> a, b, y, matrix;
        for (std::size_t i = 0; i < rows; ++i) {
            a.push_back(static_cast<std::int32_t>(stream.uniform01() * static_cast<double>(levels + 1)) - 1);
            b.push_back(static_cast<std::int32_t>(i % static_cast<std::size_t>(levels)));
            y.push_back(static_cast<std::int32_t>(i % 3));
            matrix.insert(matrix.end(), {a.back(), b.back()});
        }
        const auto one = count_columns({a.data(), b.data()}, both.data(), y.data(), nullptr, rows, 3, 1, monitor);
        double total = 0;
        for (const double count : one)
            total += count;
        CHECK(total == static_cast<double>(2 * rows) - static_cast<double>(std::count(a.begin(), a.end(), -1)));
        for (std::size_t threads : {2, 5}) {
            CHECK(count_columns({a.data(), b.data()}, both.data(), y.data(), nullptr, rows, 3, threads, monitor) ==
                  one);
            CHECK(count_matrix(matrix.data(), both.data(), y.data(), nullptr, rows, 2, 3, threads, monitor) == one);
        }
    }
}

TEST("shares are added, and what is no level adds nothing") {
    Monitor monitor;
    const std::vector<double> log_share{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    const std::vector<std::int32_t> a{1, 7}, b{-1, 0};
    std::vector<double> scores{1, 1, 1, 1};
    CHECK(!add_columns({a.data(), b.data()}, first.data(), log_share.data(), scores.data(), 2, 2, 1, monitor));
    CHECK_NEAR(scores[0], 1.3, 1e-15);
    CHECK_NEAR(scores[3], 1.6, 1e-15);
    for (const double cell : {-1.0, 0.5, 2.0, 1e300, -1e300, 0x1p63, std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()}) {
        const std::vector<double> row{cell, 1};
        std::vector<double> score{0, 0};
        CHECK(!add_matrix(row.data(), first.data(), log_share.data(), score.data(), 1, 2, 2, 1, monitor));
        CHECK(score == std::vector<double>({0.7, 0.8}));
    }
}

TEST("a share of nothing is told, for any number of classes") {
    Monitor monitor;
    for (std::size_t classes : {1, 2, 3, 4, 5, 9}) {
        std::vector<double> log_share(4 * classes, 0.0), scores(classes);
        log_share.back() = -std::numeric_limits<double>::infinity();
        const std::vector<std::int32_t> row{1, 1}, other{1, 0};
        CHECK(!add_matrix(other.data(), first.data(), log_share.data(), scores.data(), 1, 2, classes, 1, monitor));
        CHECK(add_matrix(row.data(), first.data(), log_share.data(), scores.data(), 1, 2, classes, 1, monitor));
        CHECK(scores.back() == log_share.back());
    }
}
