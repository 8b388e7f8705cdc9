// margin/svm/dual/dual.hpp and what it stands on
#include "check.hpp"
#include "margin/svm/dual/dual.hpp"
#include <limits>

using namespace margin;
using namespace margin::svm;

namespace {

/// A matrix that counts the values it was asked for.
struct Table final : Source<double> {
    std::size_t n;
    std::vector<double> k;
    mutable std::atomic<std::size_t> asked{0};

    explicit Table(std::size_t n_) : n(n_), k(n_ * n_) {}
    std::size_t size() const noexcept override { return n; }
    void block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, double* out,
               std::size_t stride, std::size_t, Monitor&) const override {
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t c = 0; c < columns.size(); ++c)
                out[r * stride + c] = k[rows[r] * n + columns[c]];
        asked += rows.size() * columns.size();
    }
    void diagonal(double* out) const override {
        for (std::size_t i = 0; i < n; ++i)
            out[i] = k[i * n + i];
    }
};

/// exp(-(x_i - x_j)^2) for points that stand evenly, with signs that mostly change at 0.
struct Line {
    Table table;
    std::vector<std::uint32_t> rows;
    std::vector<double> sign, upper, start; // start is of a = s b
    mutable std::vector<double> low, high, first;

    explicit Line(std::size_t n, double c = 1) : table(n), rows(n), sign(n), upper(n, c) {
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = static_cast<std::uint32_t>(i);
            sign[i] = (i % 7 == 0) != (i < n / 2) ? -1 : 1;
            for (std::size_t j = 0; j < n; ++j)
                table.k[i * n + j] = std::exp(
                    -std::pow(6.0 / static_cast<double>(n) * (static_cast<double>(i) - static_cast<double>(j)), 2));
        }
    }
    DualProblem problem() const {
        low.assign(rows.size(), 0), high.assign(rows.size(), 0), first.resize(start.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            (sign[i] > 0 ? high : low)[i] = sign[i] * upper[i];
        for (std::size_t i = 0; i < start.size(); ++i)
            first[i] = sign[i] * start[i];
        return {rows, sign, low, high, first};
    }
    DualSolution solve(const DualSettings& settings) {
        Monitor monitor;
        return svm::solve<double>(table, problem(), settings, monitor);
    }
};

double violation_by_definition(const Line& line, const DualSolution& found) {
    double high = -infinity, low = infinity;
    for (std::size_t i = 0; i < line.rows.size(); ++i) {
        double e = line.sign[i];
        for (std::size_t j = 0; j < line.rows.size(); ++j)
            e -= found.b[j] * line.table.k[i * line.rows.size() + j];
        const bool full = std::abs(found.b[i]) >= line.upper[i], empty = found.b[i] == 0;
        if (line.sign[i] > 0 ? !full : !empty)
            high = std::max(high, e);
        if (line.sign[i] > 0 ? !empty : !full)
            low = std::min(low, e);
    }
    return high - low;
}

} // namespace

TEST("one step of a pair solves two points") {
    Monitor monitor;
    Variables<double> v(2);
    v.upper = {10, 0}, v.lower = {0, -10}, v.diagonal.assign(chunk, 4), v.diagonal[1] = 0;
    v.set_residual(0, 1), v.set_residual(1, -1);
    std::vector<double> row(chunk), other(chunk);
    row[0] = 4; // k of the points 2 and 0
    const Walk walk = smo(v, [&](std::size_t i) { return i == 0 ? row.data() : other.data(); }, 1e-12, 100, monitor);
    CHECK(walk.steps == 1);
    CHECK_NEAR(v.b[0], 0.5, 1e-15);
    CHECK_NEAR(v.b[1], -0.5, 1e-15);
    CHECK_NEAR(v.residual(0), -1, 1e-15); // minus the bias: f(x) = x - 1
    CHECK_NEAR(v.residual(1), -1, 1e-15);
}

TEST("the passes over residuals agree with their definition, first of equals included") {
    const std::size_t n = 3 * chunk;
    std::vector<double> rising(n), falling(n), k_i(n), k_j(n), diagonal(n, 1.0);
    for (std::size_t t = 0; t < n; ++t) {
        rising[t] = t % 3 == 0 ? -infinity : std::sin(static_cast<double>(t));
        falling[t] = t % 5 == 0 ? infinity : std::sin(static_cast<double>(t));
        k_i[t] = std::exp(-0.01 * static_cast<double>(t)), k_j[t] = 0.25;
    }
    rising[70] = rising[150] = 5, k_i[70] = k_i[150] = 0.5;
    const auto before = falling;
    const Extremes found = svm::detail::take_step(rising.data(), falling.data(), k_i.data(), k_j.data(), 0.5, n);
    CHECK(found.at == 70);
    CHECK_NEAR(found.high, 5 - 0.5 * 0.25, 1e-15);
    CHECK(rising[0] == -infinity);
    CHECK(falling[5] == infinity);
    CHECK_NEAR(falling[4], before[4] - 0.5 * (k_i[4] - 0.25), 1e-15);
    CHECK(found.low == *std::min_element(falling.begin(), falling.end()));
    const std::size_t j = svm::detail::partner(falling.data(), k_i.data(), diagonal.data(), found.high, 1.0, n);
    const auto promise = [&](std::size_t t) {
        return std::pow(std::max(0.0, found.high - falling[t]), 2) / (2 - 2 * k_i[t]);
    };
    for (std::size_t t = 1; t < n; ++t) // k_i[0] = 1: no curvature, and it may not fall
        CHECK(promise(t) <= promise(j) * (1 + 1e-5));
}

TEST("any cache gives a solution, and memory for a working set no larger than it") {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 18, std::size_t{200} << 20}) {
        Line line(1300);
        DualSettings settings;
        settings.cache_bytes = bytes;
        settings.tol = 1e-4;
        const auto found = line.solve(settings);
        CHECK(found.violation <= 1e-4);
        CHECK_NEAR(violation_by_definition(line, found), found.violation, 1e-9);
        CHECK(found.gap < 1e-3);
    }
}

TEST("a small problem reads few rows of the kernel") {
    Line line(600);
    for (std::size_t i = 0; i < 600; ++i)
        line.sign[i] = i < 300 ? 1 : -1;
    line.solve({});
    CHECK(line.table.asked < 600 * 600 / 2);
}

TEST("the working set has both sides when it is cut, and the worst pair always") {
    Line line(200);
    const auto problem = line.problem();
    DualState state(problem);
    for (std::size_t i = 0; i < 200; ++i)
        state.e[i] = line.sign[i] > 0 ? 2 + 0.001 * static_cast<double>(i) : -0.1 - 0.001 * static_cast<double>(i);
    const auto chosen = next_set(state, extremes(state), {}, 0.1, 40);
    CHECK(chosen.size() == 40);
    CHECK(std::is_sorted(chosen.begin(), chosen.end()));
    CHECK(std::count_if(chosen.begin(), chosen.end(), [&](auto i) { return line.sign[i] > 0; }) == 20);
    const auto two = next_set(state, extremes(state), {}, 0.1, 2);
    CHECK(two.size() == 2 && line.sign[two[0]] * line.sign[two[1]] < 0);
}

TEST("free variables reach their balance, and a bound on the way holds") {
    Monitor monitor;
    // 1/2 b'b - (1, 0, 0)'b with sum 0: (2, -1, -1) / 3; with b_1 >= -0.2: (0.6, -0.2, -0.4).
    for (const double lower : {-5.0, -0.2}) {
        FreeFace face({1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, {1, 0, 0}, {-5, lower, -5}, {5, 5, 5}, 1e-14);
        const auto b = face.descend(monitor);
        CHECK_NEAR(b[1], std::max(lower, -1.0 / 3), 1e-12);
        CHECK_NEAR(b[0] + b[1] + b[2], 0, 1e-12);
        CHECK_NEAR(b[0] - b[2], 1, 1e-12); // residuals of the free ones are equal
    }
}

TEST("a value of the kernel that is not finite is refused, wherever it stands") {
    for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
        for (const std::size_t n : {40, 1200}) {
            Line line(n);
            for (std::size_t i = 0; i < n; ++i)
                line.table.k[i * n + n / 3] = line.table.k[n / 3 * n + i] = bad;
            CHECK_THROWS(std::domain_error, line.solve({}));
        }
}

TEST("a start is made feasible without leaving its bounds for rounding") {
    Line line(6);
    line.sign = {1, 1, 1, -1, -1, -1};
    line.start = {1, 1, 0.5 + 1e-12, 1, 1, 0.5};
    const auto b = feasible(line.problem());
    CHECK(b[0] == 1 && b[1] == 1 && b[3] == -1);
    double sum = 0;
    for (const double one : b)
        sum += one;
    CHECK_NEAR(sum, 0, 1e-15);
    line.start = {-1, 9, 1, 0.5, 0, 0};
    CHECK(feasible(line.problem()) == std::vector<double>({0, 0.25, 0.25, -0.5, 0, 0}));
}

TEST("large problems one after another and small ones side by side give what each gives alone") {
    Line line(900);
    Monitor monitor;
    const DualProblem whole = line.problem();
    std::vector<DualProblem> problems;
    for (const std::size_t n : {900, 30, 200, 0})
        problems.push_back({std::span(line.rows).first(n),
                            std::span(line.sign).first(n),
                            whole.lower.first(n),
                            whole.upper.first(n),
                            {}});
    DualSettings settings;
    settings.n_threads = 3;
    const auto together = solve_all<double>(line.table, problems, settings, monitor);
    for (std::size_t p = 0; p < problems.size(); ++p) {
        const auto alone = solve<double>(line.table, problems[p], {}, monitor);
        CHECK(alone.b == together[p].b);
        CHECK(alone.bias == together[p].bias);
    }
    CHECK(monitor.done() == 8);
}

TEST("regression with a tube, one variable for each row, ends where the conditions of optimality hold") {
    Line line(1500);
    std::vector<double> target(1500), lower(1500, -2), upper(1500, 2);
    for (std::size_t i = 0; i < 1500; ++i)
        target[i] = std::sin(0.02 * static_cast<double>(i)) + (i % 11 == 0 ? 0.5 : 0.0);
    DualProblem problem{line.rows, target, lower, upper, {}};
    problem.tube = 0.1;
    DualSettings settings;
    settings.tol = 1e-5;
    Monitor monitor;
    const auto found = svm::solve<double>(line.table, problem, settings, monitor);
    double high = -infinity, low = infinity, sum = 0;
    for (std::size_t i = 0; i < 1500; ++i) {
        double e = target[i];
        for (std::size_t j = 0; j < 1500; ++j)
            e -= found.b[j] * line.table.k[i * 1500 + j];
        CHECK_NEAR(e, found.residual[i], 1e-9);
        if (found.b[i] < 2)
            high = std::max(high, e - (found.b[i] >= 0 ? 0.1 : -0.1));
        if (found.b[i] > -2)
            low = std::min(low, e - (found.b[i] > 0 ? 0.1 : -0.1));
        sum += found.b[i];
    }
    CHECK(high - low <= 1.1e-5);
    CHECK_NEAR(sum, 0, 1e-9);
    CHECK(found.gap >= 0 && found.gap < 1e-4);
}

TEST("a sum that is kept stays what it was, all together and apart") {
    for (const Sum sum : {Sum::kept, Sum::kept_apart}) {
        Line line(1100);
        line.start.assign(1100, 0);
        std::fill_n(line.start.begin(), 300, 1.0);
        DualProblem problem = line.problem();
        const std::vector<double> nothing(1100);
        problem.target = nothing;
        problem.sum = sum;
        problem.unit = 0;
        DualSettings settings;
        settings.tol = 1e-6;
        Monitor monitor;
        const auto found = svm::solve<double>(line.table, problem, settings, monitor);
        double before[2] = {0, 0}, after[2] = {0, 0};
        for (std::size_t i = 0; i < 1100; ++i) {
            before[line.sign[i] > 0] += line.first[i];
            after[line.sign[i] > 0] += found.b[i];
        }
        if (sum == Sum::kept_apart)
            CHECK_NEAR(after[0], before[0], 1e-9);
        CHECK_NEAR(after[0] + after[1], before[0] + before[1], 1e-9);
        CHECK(found.gap > -1e-9 && found.gap < 1e-3);
    }
}

TEST("a cancelled run ends") {
    Line line(900, 1e6);
    Monitor monitor;
    monitor.cancel();
    CHECK_THROWS(Cancelled, svm::solve<double>(line.table, line.problem(), {}, monitor));
}
