// margin/svm/linear/linear_dual.hpp, linear_crammer_singer.hpp
#include "check.hpp"
#include "margin/svm/linear/crammer_singer.hpp"
#include "margin/svm/linear/linear_dual.hpp"
#include "svm/linear_data.hpp"

using namespace margin;
using namespace margin::svm;

TEST("dense and sparse rows have one optimum, and its gap is closed") {
    const Data data(200, 5);
    const auto sign = data.signs(1);
    Monitor monitor;
    for (const bool squared : {true, false})
        for (const bool intercept : {true, false}) {
            const LinearDualSettings settings{intercept, 1e-9, 20000, 7};
            const HingeDual loss{squared};
            const auto dense = solve_linear_dual(WholeRows<double>(data.x.data(), 200, 5), loss, std::span(sign),
                                                 std::span(data.bound), settings, 1, monitor);
            const auto sparse = solve_linear_dual(StoredRows<double, std::int32_t>{data.csr()}, loss, std::span(sign),
                                                  std::span(data.bound), settings, 3, monitor);
            CHECK(dense.converged);
            CHECK(sparse.converged);
            CHECK_NEAR(dense.primal, sparse.primal, 1e-6 * dense.primal);
            double by_hand = 0;
            for (std::size_t i = 0; i < 200; ++i) {
                const double left = std::max(0.0, 1 - sign[i] * data.score(i, dense.w.data(), dense.intercept));
                by_hand += data.bound[i] * (squared ? left * left : left);
            }
            for (const double w : dense.w)
                by_hand += 0.5 * w * w;
            CHECK_NEAR(dense.primal, by_hand, 1e-9 * by_hand);
            CHECK((intercept || dense.intercept == 0));
        }
}

TEST("a quantity in a tube has one optimum, and its gap is closed") {
    const Data data(200, 5);
    std::vector<double> y;
    for (std::size_t i = 0; i < 200; ++i)
        y.push_back(0.5 * data.x[5 * i] - data.x[5 * i + 1] + 0.3 * static_cast<double>(data.y[i]));
    Monitor monitor;
    for (const bool squared : {true, false})
        for (const double tube : {0.0, 0.2}) {
            const LinearDualSettings settings{true, 1e-9, 20000, 7};
            const TubeDual loss{squared, tube};
            const auto dense = solve_linear_dual(WholeRows<double>(data.x.data(), 200, 5), loss, std::span(y),
                                                 std::span(data.bound), settings, 1, monitor);
            const auto sparse = solve_linear_dual(StoredRows<double, std::int32_t>{data.csr()}, loss, std::span(y),
                                                  std::span(data.bound), settings, 3, monitor);
            CHECK(dense.converged);
            CHECK(sparse.converged);
            CHECK_NEAR(dense.primal, sparse.primal, 1e-6 * dense.primal);
            double by_hand = 0;
            for (std::size_t i = 0; i < 200; ++i) {
                const double off = y[i] - data.score(i, dense.w.data(), dense.intercept);
                const double left = std::max(0.0, std::abs(off) - tube);
                by_hand += data.bound[i] * (squared ? left * left : left);
            }
            for (const double w : dense.w)
                by_hand += 0.5 * w * w;
            CHECK_NEAR(dense.primal, by_hand, 1e-9 * by_hand);
        }
}

TEST("the multipliers of a row are the best that add up to 0 below their bounds") {
    std::vector<double> alpha(4), room;
    Stream stream(1, 0);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> b(4);
        for (double& v : b)
            v = stream.normal();
        const double a = 0.1 + stream.uniform01(), c = 2 * stream.uniform01();
        const std::size_t y = trial % 4;
        svm::detail::solve_row(b.data(), a, c, y, 4, alpha.data(), room);
        double sum = 0, lowest = 1e9, highest = -1e9;
        for (std::size_t k = 0; k < 4; ++k) {
            const double upper = k == y ? c : 0.0, slope = a * alpha[k] + b[k];
            CHECK(alpha[k] <= upper + 1e-12);
            sum += alpha[k];
            highest = std::max(highest, slope);
            if (alpha[k] < upper - 1e-12)
                lowest = std::min(lowest, slope);
        }
        CHECK_NEAR(sum, 0, 1e-12);
        CHECK(highest <= lowest + 1e-9); // none that can grow has a smaller slope than one that may shrink
    }
}

TEST("Crammer and Singer's rows, dense in single precision and sparse, close the gap") {
    const Data data(150, 4);
    Monitor monitor;
    for (const bool intercept : {true, false}) {
        const CrammerSingerSettings settings{intercept, 1e-7, 20000, 1};
        const auto dense = solve_crammer_singer(WholeRows<float>(data.single.data(), 150, 4), std::span(data.y),
                                                std::span(data.bound), 3, settings, monitor);
        const auto sparse = solve_crammer_singer(StoredRows<double, std::int32_t>{data.csr()}, std::span(data.y),
                                                 std::span(data.bound), 3, settings, monitor);
        CHECK(dense.converged);
        CHECK(sparse.converged);
        CHECK_NEAR(dense.primal, sparse.primal, 1e-5 * sparse.primal);
    }
}

TEST("a cancelled descent stops") {
    const Data data(300, 5);
    const auto sign = data.signs(0);
    Monitor monitor;
    monitor.cancel();
    bool stopped = false;
    try {
        solve_linear_dual(WholeRows<double>(data.x.data(), 300, 5), HingeDual{false}, std::span(sign),
                          std::span(data.bound), {true, 1e-9, 1000, 0}, 1, monitor);
    } catch (const Cancelled&) {
        stopped = true;
    }
    CHECK(stopped);
}
