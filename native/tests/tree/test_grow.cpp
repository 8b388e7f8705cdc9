#include "check.hpp"
#include "margin/core/random.hpp"
#include "tree/growing.hpp"
#include <cmath>
#include <limits>

using namespace margin;
using namespace margin::tree;

namespace {

struct Rows {
    std::size_t n, d;
    std::vector<double> x;
    std::vector<std::int32_t> y;
    std::vector<double> score, weight;

    Rows(std::size_t n_, std::size_t d_, std::int32_t n_classes, double missing = 0) : n(n_), d(d_), x(n_ * d_) {
        Stream random(7, n);
        for (double& v : x)
            v = random.uniform01() < missing ? std::numeric_limits<double>::quiet_NaN() : random.normal();
        for (std::size_t i = 0; i < n; ++i) {
            const double cell = x[i * d] * x[i * d + 1];
            score.push_back((std::isnan(cell) ? 0 : cell) + 0.3 * random.normal());
            y.push_back(
                std::clamp(static_cast<std::int32_t>(std::floor(score.back() * 2)) + n_classes / 2, 0, n_classes - 1));
            weight.push_back(random.uniform01() + 0.1);
        }
    }

    Table<double> table() const { return {{x.data(), n, d}, {nullptr, n, 0}, {}, {}}; }
};

GrownTree grow(const Rows& rows, std::size_t n_classes, std::string_view criterion, const Settings& settings,
               std::size_t n_threads, bool weighted = false) {
    Monitor monitor;
    const std::vector<double> weight = weighted ? rows.weight : std::vector<double>();
    if (ValueCriteria::contains(criterion))
        return grow_values(rows.table(), rows.score, weight, criterion, settings, n_threads, monitor);
    return grow_classes(rows.table(), rows.y, weight, n_classes, criterion, settings, n_threads, monitor);
}

void check_same(const GrownTree& a, const GrownTree& b) {
    CHECK(a.ask == b.ask);
    CHECK(a.column == b.column);
    CHECK(a.threshold == b.threshold);
    CHECK(a.missing == b.missing);
    CHECK(a.value == b.value);
    CHECK(a.cases == b.cases);
    CHECK(a.weight == b.weight);
    CHECK(a.impurity == b.impurity);
    CHECK(a.gain == b.gain);
    CHECK(a.child_start == b.child_start);
    CHECK(a.child == b.child);
}

/// Children come behind their parents, and hold as many cases together.
void check_preorder(const GrownTree& tree) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
        std::int64_t cases = 0, expected = static_cast<std::int64_t>(i) + 1;
        for (std::int64_t c = tree.child_start[i]; c < tree.child_start[i + 1]; ++c) {
            const std::int32_t child = tree.child[static_cast<std::size_t>(c)];
            CHECK(child >= expected);
            if (c == tree.child_start[i])
                CHECK(child == expected);
            cases += tree.cases[static_cast<std::size_t>(child)];
            expected = child + 1;
        }
        CHECK(tree.child_start[i] == tree.child_start[i + 1] || cases == tree.cases[i]);
    }
}

} // namespace

TEST("a tree is the same for any number of threads, whatever it is grown with") {
    for (const double missing : {0.0, 0.03}) {
        const Rows rows(3000, 3, 3, missing);
        for (const std::string_view criterion : {"gini", "entropy", "error", "squared_error", "absolute_error"})
            for (const bool weighted : {false, true}) {
                Settings settings;
                settings.min_leaf = 10;
                const GrownTree alone = grow(rows, 3, criterion, settings, 1, weighted);
                check_preorder(alone);
                CHECK(alone.size() > 50);
                check_same(alone, grow(rows, 3, criterion, settings, 4, weighted));
            }
    }
}

TEST("columns drawn by chance do not depend on the number of threads") {
    const Rows rows(4000, 6, 2);
    Settings settings;
    settings.max_features = 2;
    settings.seed = 11;
    const GrownTree alone = grow(rows, 2, "gini", settings, 1);
    check_same(alone, grow(rows, 2, "gini", settings, 3));
}

TEST("a limited number of leaves is grown best first, and numbered in preorder") {
    const Rows rows(3000, 4, 2, 0.02);
    for (const std::size_t most : {1, 2, 13, 200}) {
        Settings settings;
        settings.max_leaves = most;
        const GrownTree tree = grow(rows, 2, "gini", settings, 2);
        check_preorder(tree);
        CHECK(static_cast<std::size_t>(std::ranges::count(tree.column, -1)) == most);
        check_same(tree, grow(rows, 2, "gini", settings, 1));
    }
}

TEST("no leaf is smaller than allowed, and no node deeper") {
    const Rows rows(5000, 3, 4);
    Settings settings;
    settings.min_leaf = 40;
    settings.max_depth = 5;
    for (const std::string_view criterion : {"gini", "entropy", "squared_error"}) {
        const GrownTree tree = grow(rows, 4, criterion, settings, 2);
        CHECK(*std::ranges::min_element(tree.cases) >= 40);
        CHECK(tree.size() <= 63);
    }
}

TEST("monotone columns keep values in order, and bounds in the subtree") {
    const Rows rows(1000, 3, 2);
    const std::vector<std::int8_t> ways{1, -1, 0};
    Settings settings;
    settings.monotone = ways;
    settings.min_leaf = 10;
    for (const std::string_view criterion : {"gini", "squared_error", "absolute_error"}) {
        const GrownTree tree = grow(rows, 2, criterion, settings, 2);
        CHECK(tree.size() > 3);
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (tree.column[i] < 0 || ways[static_cast<std::size_t>(tree.column[i])] == 0)
                continue;
            const auto value = [&](std::int64_t b) {
                const auto child =
                    static_cast<std::size_t>(tree.child[static_cast<std::size_t>(tree.child_start[i] + b)]);
                return tree.width == 2 ? tree.value[2 * child + 1] / tree.weight[child] : tree.value[child];
            };
            CHECK((value(1) - value(0)) * ways[static_cast<std::size_t>(tree.column[i])] >= -1e-12);
        }
    }
}

TEST("a chain of nodes as long as the table is grown without recursion") {
    const std::size_t n = 2500;
    Rows rows(n, 1 + 1, 2);
    for (std::size_t i = 0; i < n; ++i) {
        rows.x[2 * i] = static_cast<double>(i);
        rows.x[2 * i + 1] = 0;
        rows.y[i] = i % 2;
    }
    const GrownTree tree = grow(rows, 2, "gini", {}, 2);
    CHECK(tree.size() == 2 * n - 1);
    check_preorder(tree);
}

TEST("a cancelled run stops") {
    const Rows rows(5000, 4, 2);
    Monitor monitor;
    monitor.cancel();
    CHECK_THROWS(Cancelled, grow_classes(rows.table(), rows.y, {}, 2, "gini", {}, 2, monitor));
}

TEST("a pass over one column under the absolute error ends when it is told to") {
    const Rows rows(20'000, 1 + 1, 2);
    Monitor monitor;
    Settings settings;
    Ranked ranked = rank_columns(rows.table(), 1, monitor);
    const double centre = centre_of(rows.score, {});
    const auto root = root_segment<Values>(ranked, value_items(rows.score, {}, centre), {});
    const Node<Values> node{root, ranked.columns, settings, 2, sum_of(root, 2), 20'000, absolute_loss(root).loss};
    TargetRanks ranks;
    ranks.take(root, centre);
    CHECK(best_absolute(node, 0, ranks, nullptr).found);
    CHECK(best_absolute(node, 0, ranks, &monitor).found);
    monitor.cancel();
    CHECK_THROWS(Cancelled, best_absolute(node, 0, ranks, &monitor));
}
