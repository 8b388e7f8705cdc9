// margin/linear/rows.hpp, online_perceptron.hpp, online_sgd.hpp and online_order.hpp
#include "check.hpp"
#include "margin/linear/online/online_order.hpp"
#include "margin/linear/online/online_perceptron.hpp"
#include "margin/linear/online/online_sgd.hpp"

using namespace margin;
using namespace margin::linear;

namespace {

/// Rows of small whole numbers, of which some are 0, dense and as CSR.
struct Example {
    std::vector<double> cells, values;
    std::vector<std::int32_t> columns, y;
    std::vector<std::int64_t> start{0};
    std::size_t rows, width;

    Example(std::size_t n, std::size_t d, std::size_t n_classes) : rows(n), width(d) {
        Stream stream(5, d);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < d; ++j) {
                const double cell = stream.below(2) ? static_cast<double>(stream.below(9)) - 4 : 0;
                cells.push_back(cell);
                if (cell != 0)
                    values.push_back(cell), columns.push_back(static_cast<std::int32_t>(j));
            }
            start.push_back(static_cast<std::int64_t>(values.size()));
            y.push_back(static_cast<std::int32_t>(stream.below(n_classes)));
        }
    }
    DenseRows<double> dense() const { return {cells.data(), rows, width}; }
    SparseRows<double, std::int32_t> sparse() const {
        return {{values.data(), columns.data(), start.data(), rows, width}};
    }
};

struct Learnt {
    std::vector<double> w, b, sum;
    std::vector<std::int64_t> mistakes;
    double loss = 0;
    bool operator==(const Learnt&) const = default;
};

template <class Rows>
Learnt perceptron(const Example& example, const Rows& rows, std::size_t n_scores) {
    Monitor monitor;
    const std::size_t width = padded(example.width), cells = n_scores * width;
    Learnt found{std::vector<double>(cells), std::vector<double>(n_scores), std::vector<double>(cells), {}};
    std::vector<double> late_b(n_scores), voters(3 * (cells + n_scores)), survived(3);
    PerceptronState state{
        found.w.data(), found.b.data(), found.sum.data(), late_b.data(), {voters.data(), survived.data(), 3},
        n_scores,       width};
    PerceptronPass pass{{nullptr, example.rows}, example.y.data()};
    pass.log_room = 5;
    for (int k = 0; k < 3; ++k)
        for (const auto row : perceptron_pass(rows, pass, state, monitor).rows)
            found.mistakes.push_back(row);
    CHECK(state.age == 3.0 * static_cast<double>(example.rows));
    return found;
}

template <class Loss, class Rows>
Learnt descent(const Example& example, const Rows& rows, std::size_t n_scores, double l1_ratio) {
    Monitor monitor;
    const std::size_t width = padded(example.width), cells = n_scores * width;
    Learnt found{std::vector<double>(cells), std::vector<double>(n_scores), std::vector<double>(cells), {}};
    std::vector<double> sum_b(n_scores), averaged(n_scores), paid(cells), owed(n_scores), eta(n_scores, 0.125);
    const std::vector<char> active(n_scores, 1);
    SgdState state{n_scores,         width,
                   found.w.data(),   found.b.data(),
                   found.sum.data(), sum_b.data(),
                   averaged.data(),  l1_ratio > 0 ? paid.data() : nullptr,
                   owed.data(),      reinterpret_cast<const bool*>(active.data())};
    const auto order = shuffled_visits(example.rows, 1, 2, monitor);
    SgdEpoch epoch{{order.data(), order.size()}, example.y.data()};
    epoch.eta = eta.data();
    epoch.alpha = 0.5, epoch.l1_ratio = l1_ratio, epoch.average_from = 1;
    found.loss = sgd_epoch<Loss>(rows, epoch, state, monitor)[0];
    return found;
}

} // namespace

TEST("a product by hand, beyond the end of the rows included") {
    const std::vector<float> cells{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    std::vector<double> w(16);
    for (std::size_t j = 0; j < 9; ++j)
        w[j] = static_cast<double>(j + 1);
    const DenseRows<float> rows(cells.data(), 2, 9);
    CHECK(rows.dot(0, w.data()) == 285);
    CHECK(rows.dot(1, w.data()) == 45);
    rows.add(1, 2, w.data());
    CHECK(w[8] == 11);
    CHECK(w[9] == 0);
}

TEST("dense and sparse rows give the same bits for all widths") {
    for (const std::size_t width : {1, 2, 7, 8, 9, 17})
        for (const std::size_t n : {1, 3, 50}) {
            const Example two(n, width, 2), three(n, width, 3);
            CHECK(perceptron(two, two.dense(), 1) == perceptron(two, two.sparse(), 1));
            CHECK(perceptron(three, three.dense(), 3) == perceptron(three, three.sparse(), 3));
            CHECK(descent<Hinge>(two, two.dense(), 1, 0) == descent<Hinge>(two, two.sparse(), 1, 0));
            CHECK(descent<LogLoss>(three, three.dense(), 3, 0).w == descent<LogLoss>(three, three.sparse(), 3, 0).w);
            const auto dense = descent<LogLoss>(two, two.dense(), 1, 0.5),
                       sparse = descent<LogLoss>(two, two.sparse(), 1, 0.5);
            for (std::size_t j = 0; j < width; ++j)
                CHECK_NEAR(dense.w[j], sparse.w[j], 1e-12);
        }
}

TEST("no more mistakes are listed than there is room for") {
    const Example example(50, 3, 2);
    CHECK(perceptron(example, example.dense(), 1).mistakes.size() <= 15);
}

TEST("slopes and values without libm are those of the loss") {
    for (double m = -40; m <= 40; m += 0.37) {
        CHECK_NEAR(linear::detail::slope_inlined<LogLoss>(m), LogLoss::slope(m), 1e-15);
        CHECK_NEAR(linear::detail::value_inlined<LogLoss>(m), LogLoss::value(m), 1e-14);
    }
    CHECK(linear::detail::slope_inlined<SquaredError>(-1e300) == -1e12);
}

TEST("an order holds every row once, and is another in the next pass") {
    Monitor monitor;
    for (const std::size_t n : {0, 1, 5, 16384, 16385, 40000}) {
        const auto order = shuffled_visits(n, 3, 0, monitor);
        std::vector<bool> seen(n);
        for (const auto row : order)
            seen[row] = true;
        CHECK(order.size() == n);
        CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
        CHECK(n < 5 || order != shuffled_visits(n, 3, 1, monitor));
    }
}

TEST("a pass can be stopped") {
    const Example example(50, 3, 2);
    Monitor monitor;
    monitor.cancel();
    std::vector<double> w(8), b(1);
    PerceptronState state{w.data(), b.data(), nullptr, nullptr, {}, 1, 8};
    const PerceptronPass pass{{nullptr, 50}, example.y.data()};
    CHECK_THROWS(Cancelled, perceptron_pass(example.dense(), pass, state, monitor));
}
