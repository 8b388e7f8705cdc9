// margin/metrics/losses.hpp and calibration.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/metrics/calibration.hpp"
#include "margin/metrics/losses.hpp"

using namespace margin;
using namespace margin::metrics;

namespace {

struct Cases {
    std::vector<double> p, weight;
    std::vector<std::int64_t> truth;
    std::size_t rows, columns;

    Cases(std::size_t n, std::size_t classes) : rows(n), columns(classes) {
        Stream stream(n, classes);
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < classes; ++k) {
                p.push_back(stream.uniform01());
                sum += p.back();
            }
            for (std::size_t k = 0; k < classes; ++k)
                p[i * classes + k] /= sum;
            truth.push_back(static_cast<std::int64_t>(stream.below(classes)));
            weight.push_back(stream.uniform01());
        }
    }
    Shares shares() const { return {p.data(), rows, columns}; }
};

} // namespace

TEST("losses are those of their definitions, and their sum the same bits for any number of threads") {
    Monitor monitor;
    for (const std::size_t classes : {2, 3, 10}) {
        const Cases cases(40'001, classes);
        std::vector<double> logs(cases.rows), squares(cases.rows);
        const auto run = [&](std::size_t threads) {
            return std::pair(
                case_losses<LogLoss>(cases.shares(), cases.truth.data(), cases.weight.data(), 1e-15, logs.data(),
                                     threads, monitor),
                case_losses<Brier>(cases.shares(), cases.truth.data(), nullptr, 0, squares.data(), threads, monitor));
        };
        const auto [log_sum, square_sum] = run(1);
        double expected_logs = 0, expected_squares = 0;
        for (std::size_t i = 0; i < cases.rows; ++i) {
            double square = 0;
            for (std::size_t k = 0; k < classes; ++k)
                square += std::pow(cases.p[i * classes + k] - (static_cast<std::int64_t>(k) == cases.truth[i]), 2);
            square = classes == 2 ? square / 2 : square;
            const double loss = -std::log(cases.shares().of(i, cases.truth[i]));
            CHECK_NEAR(logs[i], loss, 1e-14 * (1 + loss));
            CHECK_NEAR(squares[i], square, 1e-14);
            expected_logs += cases.weight[i] * loss;
            expected_squares += square;
        }
        CHECK_NEAR(log_sum, expected_logs, 1e-9 * expected_logs);
        CHECK_NEAR(square_sum, expected_squares, 1e-9 * expected_squares);
        CHECK(run(2) == std::pair(log_sum, square_sum) && run(7) == std::pair(log_sum, square_sum));
        CHECK(case_losses<Brier>(cases.shares(), cases.truth.data(), nullptr, 0, nullptr, 3, monitor) == square_sum);
    }
}

TEST("impossible answers cost what the least probability costs, certain ones nearly nothing") {
    Monitor monitor;
    const std::vector<double> p{0, 1, 1};
    const std::vector<std::int64_t> truth{1, 1, 0};
    std::vector<double> loss(3);
    case_losses<LogLoss>({p.data(), 3, 1}, truth.data(), nullptr, 1e-10, loss.data(), 1, monitor);
    CHECK_NEAR(loss[0], -std::log(1e-10), 1e-12);
    CHECK_NEAR(loss[1], 1e-10, 1e-15);
    CHECK_NEAR(loss[2], -std::log(1e-10), 1e-12);
}

TEST("rows that are no probabilities are counted, and the first is known") {
    Monitor monitor;
    Cases cases(50'000, 3);
    CHECK(bad_rows(cases.shares(), 1e-4, 2, monitor).count == 0);
    CHECK(bad_rows(cases.shares(), 1e-4, 2, monitor).first == 50'000);
    cases.p[3 * 40'000] += 0.01;                                    // does not add up
    cases.p[3 * 45'000] = std::numeric_limits<double>::quiet_NaN(); // nor does this
    cases.p[3 * 30'001] = -0.5, cases.p[3 * 30'001 + 1] = 1.5;      // does, with 0 for the third
    cases.p[3 * 30'001 + 2] = 0;
    const auto bad = bad_rows(cases.shares(), 1e-4, 2, monitor);
    CHECK(bad.count == 3 && bad.first == 30'001);
    const std::vector<double> single{0.5, 0, 1, 1.0001};
    CHECK(bad_rows({single.data(), 4, 1}, 1e-4, 1, monitor).first == 3);
    CHECK(bad_rows({nullptr, 0, 4}, 1e-4, 1, monitor).count == 0);
}

TEST("classes ahead of the true one are the stronger ones, and of equal ones those before it") {
    Monitor monitor;
    const std::vector<double> strengths{-1, 7, 7, 2, /**/ 3, 3, 3, 3, /**/ 5, 1, 0, -2};
    const std::vector<std::int64_t> truth{2, 3, 0};
    std::vector<double> ahead(3);
    case_losses<Ahead>({strengths.data(), 3, 4}, truth.data(), nullptr, 0, ahead.data(), 2, monitor);
    CHECK(ahead == std::vector<double>({1, 3, 0}));
}

TEST("the most probable class is the first of equal ones") {
    Monitor monitor;
    const std::vector<double> p{0.25, 0.5, 0.25, 0.4, 0.2, 0.4}, single{0.5, 0.75};
    const std::vector<std::int64_t> truth{1, 2};
    std::vector<double> confidence(2);
    std::vector<std::uint8_t> right(2);
    top_answers({p.data(), 2, 3}, truth.data(), confidence.data(), right.data(), 1, monitor);
    CHECK(confidence == std::vector<double>{0.5, 0.4} && right == std::vector<std::uint8_t>{1, 0});
    top_answers({single.data(), 2, 1}, truth.data(), confidence.data(), right.data(), 1, monitor);
    CHECK(confidence == std::vector<double>{0.5, 0.75} && right == std::vector<std::uint8_t>{0, 0});
}

TEST("cases on an edge belong to the bin below it, and sums are the same for any number of threads") {
    Monitor monitor;
    const std::vector<double> x{0, 0.1, 0.5, 0.50001, 1, 1.5, -1}, edges{0, 0.5, 0.9, 1};
    const std::vector<std::uint8_t> right{1, 0, 1, 0, 1, 0, 0};
    const auto found = calibration_bins(x.data(), 1, right.data(), nullptr, 7, edges, 2, monitor);
    CHECK(found.weight == std::vector<double>{4, 1, 2} && found.right == std::vector<double>{2, 0, 1});
    const Cases cases(100'000, 2);
    std::vector<std::uint8_t> hits(cases.rows);
    for (std::size_t i = 0; i < cases.rows; ++i)
        hits[i] = cases.truth[i] == 1;
    const auto run = [&](std::size_t threads) {
        return calibration_bins(cases.p.data() + 1, 2, hits.data(), cases.weight.data(), cases.rows, edges, threads,
                                monitor);
    };
    const auto one = run(1);
    for (const std::size_t threads : {2, 5}) {
        const auto other = run(threads);
        CHECK(other.weight == one.weight && other.confidence == one.confidence && other.right == one.right);
    }
}
