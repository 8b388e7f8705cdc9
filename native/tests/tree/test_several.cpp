#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/exact/grow_several.hpp"
#include "margin/tree/targets/tails.hpp"
#include "tree/growing.hpp"

using namespace margin;
using namespace margin::tree;

namespace {

struct Rows {
    std::size_t n = 400, d = 3, m = 2;
    std::vector<double> x, values;
    std::vector<std::int32_t> classes;
    std::vector<std::int64_t> n_classes{3, 2};

    Rows() {
        Stream random(3, 1);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < d; ++j)
                x.push_back(random.uniform01() < 0.1 ? std::numeric_limits<double>::quiet_NaN()
                                                     : std::floor(random.normal() * 8));
            const double cell = std::isnan(x[i * d]) ? 0 : x[i * d], other = random.normal();
            classes.push_back(cell > 4 ? 2 : cell > 0 ? 1 : 0);
            classes.push_back(other > 0 ? 1 : 0);
            values.push_back(cell + 0.1 * random.normal());
            values.push_back(1000 * other);
        }
    }
    Table<double> table() const { return {{x.data(), n, d}, {nullptr, n, 0}, {}, {}}; }
    MatrixView<const std::int32_t> labels() const { return {classes.data(), n, m}; }
    MatrixView<const double> numbers() const { return {values.data(), n, m}; }
};

} // namespace

TEST("losses of several outputs are means of those of each") {
    const double sum[] = {6, 1, 2, 3, 6, 0};
    CHECK_NEAR(SeveralGini::loss(sum, 6, 6), (Gini::loss(sum + 1, 3, 6) + Gini::loss(sum + 4, 2, 6)) / 2, 1e-12);
    CHECK_NEAR(SeveralEntropy::loss(sum, 6, 6), (Entropy::loss(sum + 1, 3, 6) + Entropy::loss(sum + 4, 2, 6)) / 2,
               1e-12);
    const double numbers[] = {4, 6, -2};
    CHECK_NEAR(SeveralSquaredError::loss(numbers, 3, 4), -(36.0 / 4 + 4.0 / 4) / 2, 1e-12);
}

TEST("trees of several outputs are the same on any number of threads, with any way of missing cells") {
    const Rows rows;
    Monitor monitor;
    for (const MissingSplit missing : {MissingSplit::direction, MissingSplit::fractional, MissingSplit::surrogate})
        for (const std::size_t max_leaves : {unlimited, std::size_t{9}}) {
            Settings settings;
            settings.missing = missing;
            settings.max_leaves = max_leaves;
            for (const std::string_view criterion : {"gini", "entropy"}) {
                const auto one = grow_several_classes(rows.table(), rows.labels(), {}, rows.n_classes, criterion,
                                                      settings, 1, monitor);
                const auto four = grow_several_classes(rows.table(), rows.labels(), {}, rows.n_classes, criterion,
                                                       settings, 4, monitor);
                CHECK(one.threshold == four.threshold);
                CHECK(one.value == four.value);
                CHECK(one.size() > 5);
            }
            if (missing == MissingSplit::fractional)
                continue;
            const auto one =
                grow_several_values(rows.table(), rows.numbers(), {}, "squared_error", settings, 1, monitor);
            const auto four =
                grow_several_values(rows.table(), rows.numbers(), {}, "squared_error", settings, 4, monitor);
            CHECK(one.threshold == four.threshold);
            CHECK(one.value == four.value);
        }
}

TEST("tails of the hypergeometric distribution") {
    CHECK_NEAR(hypergeometric_tail(6, 6, 6, 12), 1.0 / 924, 1e-15);
    CHECK_NEAR(hypergeometric_tail(0, 6, 6, 12), 1, 0);
    CHECK_NEAR(hypergeometric_tail(7, 6, 6, 12), 0, 0);
    CHECK_NEAR(fisher_p(6, 6, 6, 12), 2.0 / 924, 1e-15);
    CHECK_NEAR(fisher_p(0, 6, 6, 12), 2.0 / 924, 1e-15);
    CHECK_NEAR(fisher_p(3, 6, 6, 12), 1, 1e-12);
}
