#include "check.hpp"
#include "margin/boosting/class_rounds.hpp"
#include "margin/boosting/logit_step.hpp"

using namespace margin;
using namespace margin::boosting;

namespace {

/// Numbers that nearly all differ, and what a step at 0.3 of the second column leaves of noise.
struct Regression {
    std::size_t n, d = 3;
    std::vector<double> numbers, weight, z;

    explicit Regression(std::size_t n_rows) : n(n_rows) {
        Stream stream(3, 0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < d; ++j)
                numbers.push_back(stream.normal());
            weight.push_back(0.1 + static_cast<double>(stream.below(10)));
            z.push_back((numbers[i * d + 1] > 0.3) + stream.normal() / 3);
        }
    }

    tree::Table<double> table() const { return {{numbers.data(), n, d}, {nullptr, n, 0}, {}, {}}; }

    ValueTree tree(std::size_t max_bins, std::size_t n_threads) const {
        Monitor monitor;
        const RankedTable ranked(max_bins == 0 ? ensemble::code_exactly(table(), n_threads, monitor)
                                               : ensemble::code_bins(table(), max_bins, n_threads, monitor),
                                 n_threads, monitor);
        return grow_values(ranked, weight, z, 2, n_threads, monitor);
    }
};

struct Responses {
    std::vector<double> weight, z;
    LogitStanding standing;
};

Responses respond(const std::vector<double>& sums, std::size_t width, const std::vector<std::int32_t>& y,
                  std::size_t n_threads, double z_max = 4) {
    const std::size_t n = y.size();
    const std::vector<double> ones(n, 1.0);
    Responses found{std::vector<double>(n * width), std::vector<double>(n * width), {}};
    Monitor monitor;
    found.standing = logit_step({sums.data(), n, width}, y, ones, z_max,
                                {{found.weight.data(), width, n}, {found.z.data(), width, n}}, n_threads, monitor);
    return found;
}

} // namespace

TEST("no side within a bucket beats its bound") {
    Stream stream(1, 0);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<Moments::Item> items;
        for (int i = 0; i < 12; ++i)
            items.push_back({static_cast<sum_t>(1 + stream.below(9)), static_cast<sum_t>(stream.below(41)) - 20});
        std::array<sum_t, 3> total{}, low{}, high{}, left{};
        for (std::size_t i = 0; i < items.size(); ++i) {
            Moments::add(total.data(), items[i]);
            if (i < 4)
                Moments::add(low.data(), items[i]);
            if (i < 8)
                Moments::add(high.data(), items[i]);
        }
        const double bound = Moments::bound(total.data(), low.data(), high.data());
        left = low;
        for (std::size_t i = 4; i < 8; ++i) {
            Moments::add(left.data(), items[i]);
            const std::array right{total[0] - left[0], total[1] - left[1]};
            CHECK(Moments::side(left.data()) + Means::side(right.data()) <= bound * (1 + 1e-12));
        }
    }
}

TEST("a stump of numbers asks where they step, in bins and among all cuts, on any number of threads") {
    const Regression rows(30'000);
    for (const std::size_t bins : {std::size_t{0}, std::size_t{64}}) {
        const ValueTree one = rows.tree(bins, 1), three = rows.tree(bins, 3);
        const ensemble::Node& root = one.tree.nodes[0];
        CHECK(root.column() == 1);
        CHECK_NEAR(root.threshold, 0.3, bins == 0 ? 0.02 : 0.1);
        CHECK(one.leaf == three.leaf);
        CHECK(one.tree.sums == three.tree.sums);
    }
}

TEST("without an answer yet both classes are as likely, and the first is answered") {
    const Responses found = respond({0, 0, 0}, 1, {1, 0, 1}, 1);
    CHECK(found.z == (std::vector<double>{2, -2, 2}));
    CHECK(found.weight == (std::vector<double>{.25, .25, .25}));
    CHECK_NEAR(found.standing.loss, 3 * std::log(2.0), 1e-12);
    CHECK(found.standing.wrong == 2 && found.standing.whole == 3);
}

TEST("a row far on the wrong side pulls by 1, however far, and its response is clipped") {
    const Responses found = respond({-400, 400}, 1, {1, 1}, 1, 4.0);
    CHECK(found.z[0] == 4.0);
    CHECK_NEAR(found.weight[0] * found.z[0], 1.0, 1e-12);
    CHECK_NEAR(found.standing.loss, 800.0, 1e-9);
    CHECK(found.weight[1] > 0 && found.weight[1] < 1e-12);
}

TEST("two sums say what one does, and threads change no bit") {
    Stream stream(2, 0);
    std::vector<double> one, two;
    std::vector<std::int32_t> y;
    for (int i = 0; i < 40'000; ++i) {
        const double score = stream.normal();
        one.push_back(score);
        two.insert(two.end(), {-score + 7, score + 7});
        y.push_back(static_cast<std::int32_t>(stream.below(2)));
    }
    const Responses narrow = respond(one, 1, y, 1), wide = respond(two, 2, y, 1), threads = respond(two, 2, y, 3);
    CHECK_NEAR(narrow.standing.loss, wide.standing.loss, 1e-6);
    CHECK(narrow.standing.wrong == wide.standing.wrong);
    for (std::size_t i = 0; i < y.size(); ++i) {
        CHECK_NEAR(narrow.z[i], wide.z[y.size() + i], 1e-9);
        CHECK_NEAR(narrow.weight[i], wide.weight[y.size() + i], 1e-9);
    }
    CHECK(wide.standing.loss == threads.standing.loss && wide.weight == threads.weight && wide.z == threads.z);
}
