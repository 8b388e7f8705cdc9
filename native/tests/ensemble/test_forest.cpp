#include "check.hpp"
#include "margin/ensemble/forest/permute.hpp"
#include "margin/ensemble/forest/soundness.hpp"
#include <cstring>
#include <limits>

using namespace margin;
using namespace margin::ensemble;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Two columns of numbers, one with missing cells, and one of seventy words, of which some are missing.
struct SomeRows {
    std::size_t n;
    std::vector<double> numbers;
    std::vector<std::int32_t> words, classes;
    std::vector<double> values;
    std::vector<std::int64_t> n_levels{70};
    std::vector<std::uint8_t> nominal{1};
    std::vector<const std::int32_t*> columns;

    explicit SomeRows(std::size_t n_rows) : n(n_rows) {
        Stream stream(7, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const double x = static_cast<double>(stream.below(1000)) / 100, z = static_cast<double>(stream.below(9));
            const auto word = static_cast<std::int32_t>(stream.below(71)) - 1;
            numbers.insert(numbers.end(), {x, stream.below(5) == 0 ? missing : z});
            words.push_back(word);
            classes.push_back(static_cast<std::int32_t>((x > 5) + (word % 3 == 0)));
            values.push_back(x * z + word);
        }
        columns = {words.data()};
    }

    tree::Table<double> table() const { return {{numbers.data(), n, 2}, {words.data(), n, 1}, n_levels, nominal}; }
    tree::WalkedRows<double> rows() const { return {{numbers.data(), n, 2}, columns}; }
};

ForestPlan plan_of(std::size_t n_trees, std::size_t n_draws, std::size_t n_threads) {
    return {11, 0, n_trees, n_draws, n_threads, {}};
}

ForestView view_of(const GrownForest& forest, std::size_t width, bool of_classes) {
    return {forest.nodes, forest.start, forest.words, forest.shares, width, of_classes};
}

GrownForest some_forest(const SomeRows& rows, const CodedTable& table, std::size_t n_threads, OutOfBagVotes* votes) {
    Monitor monitor;
    tree::Settings settings;
    settings.max_features = 2;
    settings.min_leaf = 2;
    return grow_class_forest<double>(table, rows.rows(), {rows.classes, {}, 3, false}, "gini", settings,
                                     plan_of(12, rows.n, n_threads), votes, monitor);
}

bool same(const GrownForest& a, const GrownForest& b) {
    return a.nodes.size() == b.nodes.size() && a.start == b.start && a.words == b.words && a.shares == b.shares &&
           a.error == b.error && std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(Node)) == 0;
}

} // namespace

TEST("keys are sorted by code and then by place, however many codes there are") {
    for (const std::size_t n_codes : {std::size_t{3}, std::size_t{5000}, std::size_t{1} << 23, std::size_t{1} << 31}) {
        Stream stream(1, n_codes);
        for (const std::uint64_t n : {1, 20, 60, 127, 128, 600, 3000}) {
            std::vector<Key> keys, spare;
            for (std::uint64_t i = 0; i < n; ++i)
                keys.push_back(stream.below(n_codes) << 32 | i);
            std::vector<Key> expected = keys;
            std::ranges::sort(expected);
            sort_keys(keys, n_codes, spare);
            CHECK(keys == expected);
        }
    }
}

TEST("a forest is the same for any number of threads, and sound") {
    const SomeRows rows(600);
    Monitor monitor;
    for (const std::size_t bins : {0, 16}) {
        const CodedTable table =
            bins == 0 ? code_exactly(rows.table(), 2, monitor) : code_bins(rows.table(), bins, 2, monitor);
        std::vector<double> votes(600 * 3), others(600 * 3);
        std::vector<std::int32_t> counts(600), other_counts(600);
        OutOfBagVotes first(votes, counts, {}, true), second(others, other_counts, {}, true);
        const GrownForest one = some_forest(rows, table, 1, &first), three = some_forest(rows, table, 3, &second);
        CHECK(same(one, three));
        CHECK(votes == others && counts == other_counts);
        CHECK(what_is_unsound(view_of(one, 3, true), 3).empty());
        CHECK(one.error.size() == 12 && one.error.back() < 0.5);
    }
}

TEST("random splits are the same for any number of threads, and know the rows by heart") {
    const SomeRows rows(400);
    Monitor monitor;
    const CodedTable table = keep_numbers(rows.table(), 2, monitor);
    tree::Settings settings;
    settings.random_splits = true;
    settings.max_features = 2;
    const auto grown = [&](std::size_t n_threads) {
        return grow_class_forest<double>(table, rows.rows(), {rows.classes, {}, 3, false}, "entropy", settings,
                                         plan_of(6, 0, n_threads), nullptr, monitor);
    };
    const GrownForest one = grown(1);
    CHECK(same(one, grown(3)));
    const ForestView view = view_of(one, 3, true);
    CHECK(what_is_unsound(view, 3).empty());
    std::vector<double> all(400 * 3);
    CHECK(mean_answers(view, rows.rows(), all.data(), 2, monitor));
    for (std::size_t i = 0; i < 400; ++i)
        CHECK(all[3 * i + static_cast<std::size_t>(rows.classes[i])] == 1);
}

TEST("permuting a column that decides costs more than one that does not, alike for any number of threads") {
    const SomeRows rows(400);
    Monitor monitor;
    const CodedTable table = code_exactly(rows.table(), 2, monitor);
    const GrownForest forest = some_forest(rows, table, 2, nullptr);
    const std::vector<double> y(rows.classes.begin(), rows.classes.end());
    const std::vector<std::uint8_t> beside{0, 1, 1, 1, 0, 1, 1, 1, 0};
    for (const auto& columns : {std::span<const std::uint8_t>(), std::span<const std::uint8_t>(beside)}) {
        const auto more = [&](std::size_t n_threads) {
            return permuted_losses<double>(view_of(forest, 3, true), rows.rows(), {y, {}},
                                           plan_of(12, rows.n, n_threads), {5, columns}, monitor);
        };
        const std::vector<double> found = more(1);
        CHECK(found == more(3));
        double by_number = 0, by_noise = 0;
        for (std::size_t t = 0; t < 12; ++t) {
            by_number += found[3 * t];
            by_noise += found[3 * t + 1];
        }
        CHECK(by_number > 0.5 && by_number > 2 * by_noise);
    }
}

TEST("answers are shares, one by one and all at once") {
    const SomeRows rows(500);
    Monitor monitor;
    const CodedTable table = code_exactly(rows.table(), 2, monitor);
    const GrownForest forest = some_forest(rows, table, 2, nullptr);
    const ForestView view = view_of(forest, 3, true);
    std::vector<double> all(500 * 3), one(3);
    CHECK(mean_answers(view, rows.rows(), all.data(), 2, monitor));
    std::size_t n_right = 0;
    for (std::size_t i = 0; i < 500; ++i) {
        const std::vector<const std::int32_t*> word{rows.words.data() + i};
        const tree::WalkedRows<double> row{{rows.numbers.data() + 2 * i, 1, 2}, word};
        CHECK(mean_answers(view, row, one.data(), 1, monitor));
        CHECK(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(3 * i)));
        CHECK_NEAR(one[0] + one[1] + one[2], 1, 1e-12);
        n_right += static_cast<std::size_t>(std::ranges::max_element(one) - one.begin()) ==
                   static_cast<std::size_t>(rows.classes[i]);
    }
    CHECK(n_right > 450);
}

TEST("numbers are answered by means, and whole rows without draws give one tree many times") {
    const SomeRows rows(400);
    Monitor monitor;
    const CodedTable table = code_bins(rows.table(), 255, 2, monitor);
    tree::Settings settings;
    settings.min_leaf = 5;
    std::vector<double> weight(400, 0.5);
    const GrownForest forest = grow_value_forest<double>(table, rows.rows(), {rows.values, weight}, settings,
                                                         plan_of(3, 0, 2), nullptr, monitor);
    const ForestView view = view_of(forest, 1, false);
    CHECK(what_is_unsound(view, 3).empty());
    CHECK(forest.start[1] * 3 == forest.start[3]);
    std::vector<double> answers(400);
    CHECK(mean_answers(view, rows.rows(), answers.data(), 2, monitor));
    double away = 0, spread = 0, mean = 0;
    for (const double value : rows.values)
        mean += value / 400;
    for (std::size_t i = 0; i < 400; ++i) {
        away += (answers[i] - rows.values[i]) * (answers[i] - rows.values[i]);
        spread += (mean - rows.values[i]) * (mean - rows.values[i]);
    }
    CHECK(away < 0.2 * spread);
}

TEST("what does not fit together is found") {
    const SomeRows rows(200);
    Monitor monitor;
    const CodedTable table = code_exactly(rows.table(), 1, monitor);
    const GrownForest grown = some_forest(rows, table, 1, nullptr);
    const auto spoilt = [&](auto&& spoil) {
        GrownForest forest = grown;
        spoil(forest);
        return !what_is_unsound(view_of(forest, 3, true), 3).empty();
    };
    CHECK(!spoilt([](GrownForest&) {}));
    CHECK(spoilt([](GrownForest& f) { f.nodes[0].first = 0; }));
    CHECK(spoilt([](GrownForest& f) { f.nodes[0].first = 1u << 30; }));
    CHECK(spoilt([](GrownForest& f) { f.nodes[0].tag |= 77; }));
    CHECK(spoilt([](GrownForest& f) { f.start[1] = f.start[2]; }));
    CHECK(spoilt([](GrownForest& f) { f.start.back() += 1; }));
    CHECK(spoilt([](GrownForest& f) { f.shares[0] = 2; }));
    CHECK(spoilt([](GrownForest& f) {
        std::ranges::find_if(f.nodes, [](const Node& node) { return node.is_leaf(); })->threshold = 1e9;
    }));
}
