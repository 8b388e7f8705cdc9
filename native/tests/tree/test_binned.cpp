// margin/tree/splits/cuts.hpp, bins.hpp, bin_rows.hpp, grow_binned.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/binned/grow_binned.hpp"
#include "tree/growing.hpp"
#include <cmath>
#include <limits>

using namespace margin;
using namespace margin::tree;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan_ = std::numeric_limits<double>::quiet_NaN();

struct Rows {
    std::size_t n, d, n_coded;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> n_levels;
    std::vector<std::uint8_t> nominal;
    std::vector<std::int32_t> y;
    std::vector<double> value, weight;

    Table<double> table() const { return {{numbers.data(), n, d}, {codes.data(), n, n_coded}, n_levels, nominal}; }
};

Rows random_rows(std::size_t n, std::size_t d, std::size_t n_values, std::size_t n_classes, std::uint64_t seed) {
    Stream stream(seed, 0);
    Rows rows{n, d, 2, {}, {}, {5, 7}, {1, 0}, {}, {}, {}};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < d; ++j)
            rows.numbers.push_back(stream.below(20) == 0 ? nan_ : static_cast<double>(stream.below(n_values)));
        rows.codes.push_back(static_cast<std::int32_t>(stream.below(6)) - 1);
        rows.codes.push_back(static_cast<std::int32_t>(stream.below(7)));
        const double x = rows.numbers[i * d];
        rows.value.push_back((std::isnan(x) ? 0 : x / static_cast<double>(n_values)) + stream.uniform01());
        rows.y.push_back(static_cast<std::int32_t>(rows.value.back() / 2 * static_cast<double>(n_classes)));
        rows.weight.push_back(0.1 + stream.uniform01());
    }
    return rows;
}

void check_equal(const GrownTree& a, const GrownTree& b) {
    CHECK(a.ask == b.ask && a.column == b.column && a.threshold == b.threshold && a.missing == b.missing);
    CHECK(a.value == b.value && a.cases == b.cases && a.weight == b.weight && a.impurity == b.impurity);
    CHECK(a.gain == b.gain && a.child_start == b.child_start && a.child == b.child);
    CHECK(a.detail_start == b.detail_start && a.detail == b.detail && a.surrogate_start == b.surrogate_start);
}

} // namespace

TEST("bins are closed when they have their share of what is left") {
    CHECK((cuts_between({1, 2, 3, 4}, {1, 1, 1, 1}, 2).at == std::vector{2.5}));
    CHECK((cuts_between({1, 2, 3, 4, 5}, {1, 1, 9, 1, 1}, 3).at == std::vector{2.5, 3.5}));
    CHECK((cuts_between({1, 2, 3}, {5, 5, 5}, 255).at == std::vector{1.5, 2.5}));
    CHECK(cuts_between({1}, {5}, 255).at.empty());
}

TEST("numbers find the bins that the definition gives them") {
    Stream stream(1, 0);
    for (const double power : {1.0, 3.0, 60.0})
        for (const std::size_t n : {0, 1, 2, 7, 254, 3000}) {
            Cuts cuts;
            for (std::size_t k = 0; k < n; ++k)
                cuts.at.push_back(std::pow(stream.normal(), power));
            std::ranges::sort(cuts.at);
            const CutFinder<double> wide(cuts);
            const CutFinder<float> narrow(cuts);
            std::array<double, 8> x{-infinity, infinity, 0, -1e300, 1e300};
            for (int round = 0; round < 20; ++round) {
                std::array<float, 8> x_narrow;
                std::array<std::uint32_t, 8> bin, bin_narrow;
                std::ranges::copy(x, x_narrow.begin());
                wide.find(x, bin);
                narrow.find(x_narrow, bin_narrow);
                for (std::size_t l = 0; l < x.size(); ++l) {
                    CHECK(bin[l] == cuts.bin(x[l]));
                    CHECK(bin_narrow[l] == cuts.bin(x_narrow[l]));
                }
                for (double& v : x)
                    v = n > 0 && stream.below(2) == 0 ? cuts.at[stream.below(n)] : std::pow(stream.normal(), power);
            }
        }
}

TEST("rows are dealt out in the order they have") {
    Monitor monitor;
    const std::size_t n = 70000;
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<double>(i * 7919 % 4);
    const auto bins =
        bin_table<std::uint8_t>(Table<double>{{x.data(), n, 1}, {nullptr, n, 0}, {}, {}}, 255, 3, monitor);
    BinRows<std::uint8_t, double> rows(bins, [](std::size_t i) { return static_cast<double>(i); }, 3, monitor);
    const std::array<std::uint8_t, 5> low{1, 0, 0, 1, 0};
    const auto n_low = static_cast<std::size_t>(std::ranges::count_if(x, [](double v) { return v == 0 || v == 3; }));
    rows.deal(0, 0, n, 0, low.data(), n_low, 3, monitor);
    std::vector<double> expected;
    for (const bool side : {true, false})
        for (std::size_t i = 0; i < n; ++i)
            if ((x[i] == 0 || x[i] == 3) == side)
                expected.push_back(static_cast<double>(i));
    for (std::size_t i = 0; i < n; ++i)
        CHECK(rows.item(1, i) == expected[i]);
}

TEST("classes give the tree of sorted columns where values are few") {
    Monitor monitor;
    for (const std::size_t n : {1, 3, 64, 65, 300, 2500})
        for (const std::size_t d : {1, 33})
            for (const std::size_t n_classes : {2, 3}) {
                if (n * d * n_classes > 150000)
                    continue; // sanitizers are slow
                Rows rows = random_rows(n, d, 30, n_classes, n + d);
                for (const std::size_t n_coded : {2, 0}) {
                    rows.n_coded = n_coded;
                    Settings settings;
                    settings.min_leaf = 1 + n % 2;
                    for (const std::string_view criterion : {"gini", "entropy", "error"}) {
                        const auto tree = grow_binned_classes(rows.table(), rows.y, {}, n_classes, criterion, settings,
                                                              n % 2 ? 255 : 256, 2, monitor);
                        check_equal(tree,
                                    grow_classes(rows.table(), rows.y, {}, n_classes, criterion, settings, 1, monitor));
                    }
                }
            }
}

TEST("weights and numbers give the tree of sorted columns where values are few") {
    Monitor monitor;
    for (const std::size_t n : {2, 40, 700, 2500}) {
        const Rows rows = random_rows(n, 4, 50, 2, n);
        Settings settings;
        settings.max_leaves = n == 700 ? 20 : unlimited;
        const std::array<std::int8_t, 6> monotone{1, 0, -1, 0, 0, 0};
        if (n == 40)
            settings.monotone = monotone;
        check_equal(grow_binned_classes(rows.table(), rows.y, rows.weight, 2, "gini", settings, 255, 2, monitor),
                    grow_classes(rows.table(), rows.y, rows.weight, 2, "gini", settings, 1, monitor));
        for (const std::vector<double>& weight : {std::vector<double>{}, rows.weight})
            check_equal(grow_binned_values(rows.table(), rows.value, weight, settings, 255, 2, monitor),
                        grow_values(rows.table(), rows.value, weight, "squared_error", settings, 1, monitor));
    }
}

TEST("columns are drawn alike for any number of threads") {
    Monitor monitor;
    const Rows rows = random_rows(3000, 5, 1000, 2, 5);
    Settings settings;
    settings.max_features = 3;
    settings.seed = 7;
    for (const std::size_t max_bins : {255, 400}) {
        check_equal(grow_binned_classes(rows.table(), rows.y, {}, 2, "gini", settings, max_bins, 1, monitor),
                    grow_binned_classes(rows.table(), rows.y, {}, 2, "gini", settings, max_bins, 3, monitor));
        check_equal(grow_binned_values(rows.table(), rows.value, {}, settings, max_bins, 1, monitor),
                    grow_binned_values(rows.table(), rows.value, {}, settings, max_bins, 3, monitor));
    }
}

TEST("a cancelled monitor ends growth") {
    Monitor monitor;
    const Rows rows = random_rows(5000, 9, 1000, 2, 5);
    monitor.cancel();
    CHECK_THROWS(Cancelled, grow_binned_classes(rows.table(), rows.y, {}, 2, "gini", {}, 255, 1, monitor));
}
