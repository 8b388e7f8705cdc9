#include "check.hpp"
#include "margin/boosting/gradient/booster.hpp"
#include <limits>

using namespace margin;
using namespace margin::boosting;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Two columns of numbers, one with missing cells, a column of seven words and one of six hundred.
struct SomeRows {
    std::size_t n;
    std::vector<double> numbers, y;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> n_levels{7, 600};
    std::vector<std::uint8_t> nominal{1, 1};

    explicit SomeRows(std::size_t n_rows) : n(n_rows) {
        Stream stream(7, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const double x = stream.normal(), z = stream.normal();
            const auto word = static_cast<std::int32_t>(stream.below(8)) - 1;
            const auto place = static_cast<std::int32_t>(stream.below(600));
            numbers.insert(numbers.end(), {x, stream.below(5) == 0 ? missing : z});
            codes.insert(codes.end(), {word, place});
            y.push_back(x * z + (word == 3) + (place % 7 == 0) + stream.normal() / 4 > 0.5 ? 1 : 0);
        }
    }

    tree::Table<double> table() const { return {{numbers.data(), n, 2}, {codes.data(), n, 2}, {n_levels}, {nominal}}; }
};

std::vector<double> losses(const SomeRows& rows, const Settings& settings, const std::string& loss = "log_loss") {
    Monitor monitor;
    const Targets targets{rows.y, {}, settings.nominal_smooth, settings.seed};
    Boosting boosting(bin_rows(rows.table(), 255, &targets, {}, settings.n_threads, monitor), settings, loss,
                      {rows.y, {}, std::vector<double>(rows.n)}, 1);
    return boosting.run(0, 6, true, monitor).loss;
}

Settings small() {
    Settings settings;
    settings.max_leaves = 16;
    settings.min_cases = 5;
    settings.learning_rate = 0.3;
    return settings;
}

void check_falls(const std::vector<double>& loss) {
    CHECK(loss.size() == 6);
    CHECK(loss.back() < loss.front());
}

} // namespace

TEST("every way to grow lowers the loss, on the fine grid and on the coarse one, alike for any threads") {
    for (const std::size_t n : {900, 18'000}) {
        const SomeRows rows(n);
        for (const int way : {0, 1, 2}) {
            Settings settings = small();
            settings.by_depth = way == 1;
            settings.symmetric = way == 2;
            const auto loss = losses(rows, settings);
            check_falls(loss);
            settings.n_threads = 3;
            CHECK(losses(rows, settings) == loss);
        }
    }
}

TEST("rows drawn by size, columns that may not meet, and leaves that are bound quantiles") {
    const SomeRows rows(900);
    Settings drawn = small();
    drawn.row_share = 0.4;
    drawn.by_size = true;
    check_falls(losses(rows, drawn));
    Settings apart = small();
    apart.interactions = {{0}, {1, 2}, {3}};
    check_falls(losses(rows, apart));
    Settings bound = small();
    bound.monotone = {1, -1, 0, 0};
    bound.alpha = 0.5;
    const auto loss = losses(rows, bound, "quantile");
    CHECK(loss.back() <= loss.front());
    check_falls(losses(rows, small(), "focal"));
}

TEST("a level is put where rows of other folds say, and rows of one level that differ in fold may stand apart") {
    const SomeRows rows(3'000);
    Monitor monitor;
    const Targets targets{rows.y, {}, 10, 0};
    const BinnedTable binned = bin_rows(rows.table(), 255, &targets, {}, 1, monitor);
    CHECK(binned.by_targets[3]);
    CHECK(!binned.by_targets[2]);
    std::size_t n_levels = 0;
    for (const auto& levels : binned.columns[3].levels_of)
        n_levels += levels.size();
    CHECK(n_levels > 550 && n_levels <= 600);
    for (std::size_t i = 0; i < rows.n; ++i)
        CHECK(binned.code(i, 3) < binned.columns[3].n_bins);
}

TEST("rounds that leave others out lower the loss, alike for any threads") {
    for (const std::size_t n : {900, 18'000}) {
        const SomeRows rows(n);
        Settings settings = small();
        settings.drop_share = 0.3;
        const auto loss = losses(rows, settings);
        check_falls(loss);
        CHECK(loss != losses(rows, small()));
        settings.n_threads = 3;
        CHECK(losses(rows, settings) == loss);
    }
}

TEST("whole weights cut columns as repeated rows do") {
    const SomeRows rows(900);
    std::vector<double> weight(rows.n), numbers;
    for (std::size_t i = 0; i < rows.n; ++i) {
        weight[i] = static_cast<double>(1 + i % 4);
        for (std::size_t k = 0; k <= i % 4; ++k)
            numbers.insert(numbers.end(), {rows.numbers[2 * i], rows.numbers[2 * i + 1]});
    }
    Monitor monitor;
    const tree::Table<double> once{{rows.numbers.data(), rows.n, 2}, {nullptr, rows.n, 0}, {}, {}};
    const tree::Table<double> repeated{
        {numbers.data(), numbers.size() / 2, 2}, {nullptr, numbers.size() / 2, 0}, {}, {}};
    const auto weighted = tree::find_bins(once, 40, 1, monitor, weight);
    const auto by_rows = tree::find_bins(repeated, 40, 1, monitor);
    const auto plain = tree::find_bins(once, 40, 1, monitor);
    for (std::size_t j = 0; j < 2; ++j) {
        CHECK(weighted[j].cuts.at == by_rows[j].cuts.at);
        CHECK(weighted[j].cuts.at != plain[j].cuts.at);
    }
}

TEST("exclusive columns share the codes of one, and each is read off it as it was") {
    constexpr std::size_t n = 3000, d = 40;
    std::vector<double> cells(n * d);
    Stream stream(3, 0);
    for (std::size_t i = 0; i < n; ++i)
        cells[i * d + stream.below(d - 1)] = stream.below(9) == 0 ? missing : static_cast<double>(1 + stream.below(3));
    for (std::size_t i = 0; i < n; ++i)
        cells[i * d + d - 1] = stream.normal();
    const tree::Table<double> table{{cells.data(), n, d}, {nullptr, n, 0}, {}, {}};
    Monitor monitor;
    const BinnedTable made = bin_rows(table, 255, nullptr, {}, 2, monitor);
    CHECK(made.bundles.any());
    CHECK(made.width() == 2);
    const Codes plain = code_rows(table, made.columns, 1, monitor);
    bool same = true;
    for (std::size_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < d; ++j)
            same &= made.code(i, j) == plain[i * d + j];
    CHECK(same);
}

TEST("cells of two bytes lower the loss alike for any threads, and their sets hold what was put in") {
    const SomeRows rows(2'000);
    std::vector<std::vector<double>> losses;
    for (const std::size_t n_threads : {1, 3}) {
        Settings settings = small();
        settings.n_threads = n_threads;
        Monitor monitor;
        const Targets targets{rows.y, {}, settings.nominal_smooth, settings.seed};
        Boosting boosting(bin_rows(rows.table(), 1000, &targets, {}, n_threads, monitor), settings, "log_loss",
                          {rows.y, {}, std::vector<double>(rows.n)}, 1);
        CHECK(boosting.table().columns[0].n_bins > 255);
        CHECK(boosting.table().columns[3].n_bins <= 255);
        losses.push_back(boosting.run(0, 6, true, monitor).loss);
        check_falls(losses.back());
    }
    CHECK(losses[0] == losses[1]);
    CodeSet set;
    put_first(set, 300);
    put(set, 700);
    CHECK(holds(set, 0) && holds(set, 255) && holds(set, 299) && holds(set, 700));
    CHECK(!holds(set, 300) && !holds(set, 699) && !holds(set, 701));
}
