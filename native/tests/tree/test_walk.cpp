// margin/tree/grown/walk.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/grown/walk.hpp"
#include "tree/tree_view.hpp"

using namespace margin;
using namespace margin::tree;

namespace {

constexpr double gone = std::numeric_limits<double>::quiet_NaN();

struct Asked {
    Ask ask = Ask::nothing;
    std::int32_t column = -1;
    double threshold = 0;
    std::int32_t missing = 0;
    std::vector<std::int32_t> children{};
    std::vector<double> detail{};
};

void add(GrownTree& t, const Asked& node, double value, double weight) {
    t.width = 1;
    t.ask.push_back(static_cast<std::uint8_t>(node.ask));
    t.column.push_back(node.column);
    t.threshold.push_back(node.threshold);
    t.missing.push_back(node.missing);
    t.value.push_back(value);
    t.weight.push_back(weight);
    t.child.insert(t.child.end(), node.children.begin(), node.children.end());
    t.child_start.push_back(static_cast<std::int64_t>(t.child.size()));
    t.detail.insert(t.detail.end(), node.detail.begin(), node.detail.end());
    t.detail_start.push_back(static_cast<std::int64_t>(t.detail.size()));
    t.surrogate_start.push_back(static_cast<std::int64_t>(t.surrogate_column.size()));
}

std::vector<std::int32_t> leaves(const Walker& walker, const std::vector<double>& x, std::size_t d,
                                 const std::vector<std::vector<std::int32_t>>& codes, std::size_t n_threads = 1) {
    Monitor monitor;
    std::vector<const std::int32_t*> columns;
    for (const auto& column : codes)
        columns.push_back(column.data());
    const std::size_t n = d > 0 ? x.size() / d : codes[0].size();
    std::vector<std::int32_t> leaf(n);
    walker.leaves<double>({{x.data(), n, d}, columns}, leaf.data(), n_threads, monitor);
    return leaf;
}

} // namespace

TEST("thresholds: equal goes left, missing cells go their way") {
    GrownTree t;
    add(t, {Ask::threshold, 0, 1.0, 1, {1, 2}}, 0, 3);
    add(t, {}, 1, 1);
    add(t, {Ask::threshold, 1, -2.0, 0, {3, 4}}, 2, 2);
    add(t, {}, 3, 1);
    add(t, {}, 4, 1);
    const Walker walker(view(t));
    CHECK(leaves(walker, {1, 0, 2, -2, 2, 5, gone, gone, 0.5, gone}, 2, {}) ==
          (std::vector<std::int32_t>{1, 3, 4, 3, 1}));
}

TEST("levels, subsets beyond one word, intervals") {
    GrownTree t;
    add(t, {Ask::level, 1, 0, 2, {1, 2, 5}}, 0, 9);
    add(t, {}, 1, 2);
    add(t, {Ask::subset, 2, 0, 1, {3, 4}, {0, 64, 129}}, 2, 4);
    add(t, {}, 3, 1);
    add(t, {}, 4, 3);
    add(t, {Ask::interval, 0, 0, 1, {6, 7, 8}, {-1, 1}}, 5, 3);
    add(t, {}, 6, 1);
    add(t, {}, 7, 1);
    add(t, {}, 8, 1);
    const Walker walker(view(t));
    const std::vector<double> x{0, 0, 0, 0, 0, 0, -1, -0.5, 1, 1.5, gone};
    const std::vector<std::int32_t> level{0, 1, 1, 1, 1, 1, 2, 2, 2, -1, 2};
    const std::vector<std::int32_t> code{0, 0, 64, 129, 130, -1, 0, 0, 0, 0, 0};
    CHECK(leaves(walker, x, 1, {level, code}) == (std::vector<std::int32_t>{1, 3, 3, 3, 4, 4, 6, 7, 7, 8, 7}));
}

TEST("a level asked of a number, as in a damaged file, leads to one of the branches") {
    for (const std::int32_t missing : {0, -1}) { // with -1 the tree itself is walked, not its layout
        GrownTree t;
        add(t, {Ask::level, 0, 0, missing, {1, 2}}, 0, 2);
        add(t, {}, 1, 1);
        add(t, {}, 2, 1);
        const Walker walker(view(t));
        const double far = std::numeric_limits<double>::infinity();
        CHECK(leaves(walker, {-7e9, -far, -0.5, 0.9, 1, 3, 1e300, far}, 1, {}) ==
              (std::vector<std::int32_t>{1, 1, 1, 1, 2, 2, 2, 2}));
        CHECK(leaf_of(view(t), std::array{-3.0}.data()) == 1);
    }
}

TEST("missing cells go down all branches in parts, by surrogates first") {
    GrownTree t;
    t.surrogate_column = {1};
    t.surrogate_threshold = {0.5};
    t.surrogate_low = {1};
    t.surrogate_detail_start = {0, 0};
    add(t, {Ask::threshold, 0, 0.0, -1, {1, 2}}, 0, 4);
    add(t, {}, 10, 3);
    add(t, {}, 20, 1);
    const Walker walker(view(t));
    Monitor monitor;
    const std::vector<double> x{gone, 0, gone, 1, gone, gone, -1, gone};
    std::vector<double> out(4);
    walker.values<double>({{x.data(), 4, 2}, {}}, false, out.data(), 1, monitor);
    CHECK(out == (std::vector<double>{20, 10, 12.5, 10}));
    CHECK(leaves(walker, x, 2, {}) == (std::vector<std::int32_t>{2, 1, 1, 1}));
    const auto parts = walker.parts<double>({{x.data(), 4, 2}, {}}, 1, monitor);
    CHECK(parts.start == (std::vector<std::int64_t>{0, 1, 2, 4, 5}));
    CHECK(parts.leaf == (std::vector<std::int32_t>{2, 1, 1, 2, 1}));
    CHECK(parts.part == (std::vector<double>{1, 1, 0.75, 0.25, 1}));
}

TEST("many rows end where one row would, on any number of threads") {
    GrownTree t;
    for (std::int32_t i = 0; i < 2000; ++i)
        add(t, {Ask::threshold, i % 3, i * 0.001 - 1, i % 2, {4000 - i, i + 1}}, 0, 1);
    for (std::int32_t i = 2000; i <= 4000; ++i)
        add(t, {}, i, 1);
    const Walker walker(view(t));
    Stream stream(3, 0);
    std::vector<double> x(3 * 10'001);
    for (double& cell : x)
        cell = stream.uniform01() < 0.1 ? gone : 2 * stream.uniform01();
    const auto found = leaves(walker, x, 3, {});
    CHECK(found == leaves(walker, x, 3, {}, 3));
    for (std::size_t i = 0; i < found.size(); i += 97)
        CHECK(found[i] == static_cast<std::int32_t>(leaf_of(view(t), x.data() + 3 * i)));
}

TEST("a leaf alone, and no rows") {
    GrownTree t;
    add(t, {}, 1, 1);
    const Walker walker(view(t));
    CHECK(leaves(walker, {1, gone}, 1, {}) == (std::vector<std::int32_t>{0, 0}));
    CHECK(leaves(walker, {}, 1, {}).empty());
}
