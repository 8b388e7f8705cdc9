// margin/tree/grown/pessimistic.hpp
#include "check.hpp"
#include "margin/tree/grown/pessimistic.hpp"
#include "tree/growing.hpp"
#include "tree/tree_view.hpp"

using namespace margin;
using namespace margin::tree;

namespace {

constexpr double quarter = 0.6744897501960817; // the normal quantile of 1 - 0.25

struct Rows {
    std::vector<double> cells;
    std::vector<std::int32_t> y;
    std::size_t columns;
};

/// Class by the first column, some of it wrong; some cells of it missing.
Rows noisy(std::size_t n, std::size_t columns, double missing) {
    Rows rows{{}, {}, columns};
    Stream stream(1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < columns; ++j)
            rows.cells.push_back(stream.uniform01() < missing ? std::numeric_limits<double>::quiet_NaN()
                                                              : stream.uniform01());
        const double x = rows.cells[i * columns];
        rows.y.push_back(static_cast<std::int32_t>((std::isnan(x) || x > 0.5) != (stream.uniform01() < 0.2)));
    }
    return rows;
}

GrownTree grown(const Rows& rows, MissingSplit missing) {
    Monitor monitor;
    Settings settings;
    settings.missing = missing;
    const std::vector<std::int64_t> no_levels;
    const std::vector<std::uint8_t> no_kinds;
    const std::vector<std::int32_t> no_codes;
    const Table<double> table{
        {rows.cells.data(), rows.y.size(), rows.columns}, {no_codes.data(), rows.y.size(), 0}, no_levels, no_kinds};
    return grow_classes(table, rows.y, std::span<const double>{}, 2, "entropy", settings, 1, monitor);
}

Pruned pruned(const GrownTree& tree, const Rows& rows, bool raise) {
    Monitor monitor;
    return PessimisticPruning(view(tree), rows.cells, rows.columns, rows.y, {}, 0.25, quarter, raise, monitor).prune();
}

} // namespace

TEST("no errors among six cases are a fifth of them at worst") {
    CHECK_NEAR((extra_errors(6, 0, 0.25, quarter)) / 6, 0.2063, 1e-4);
    CHECK_NEAR(extra_errors(3, 2.8, 0.25, quarter), 0.2, 1e-12);
    CHECK(extra_errors(10, 3, 0.5, 0) == 0);
}

TEST("what is left holds all cases, in whole or in parts") {
    for (const auto missing : {MissingSplit::direction, MissingSplit::fractional})
        for (const double share : {0.0, 0.1})
            for (const bool raise : {false, true}) {
                const Rows rows = noisy(500, 3, share);
                const GrownTree tree = grown(rows, missing);
                const Pruned left = pruned(tree, rows, raise);
                CHECK(left.node.size() < tree.size());
                CHECK_NEAR(left.weight[0], 500.0, 1e-9);
                double at_leaves = 0;
                for (std::size_t i = 0; i < left.node.size(); ++i)
                    at_leaves += left.leaf[i] ? left.weight[i] : 0.0;
                CHECK_NEAR(at_leaves, 500.0, 1e-6);
            }
}

TEST("a chain of questions is pruned without recursion") {
    Rows rows{{}, {}, 1};
    for (std::size_t i = 0; i < 800; ++i) {
        rows.cells.push_back(static_cast<double>(i));
        rows.y.push_back(static_cast<std::int32_t>(i % 2));
    }
    const GrownTree tree = grown(rows, MissingSplit::direction);
    const Pruned left = pruned(tree, rows, true);
    CHECK(left.node.size() >= 1);
    CHECK(left.node.size() <= tree.size());
}
