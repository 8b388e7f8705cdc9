#include "check.hpp"
#include "margin/tree/splits/nominal.hpp"

using namespace margin::tree;

namespace {

/// One nominal column of a node, with unit weights or others.
struct Table {
    std::vector<Column> columns;
    Settings settings;
    Segment<Classes> cases;

    Table(const std::vector<code_t>& codes, const std::vector<std::uint16_t>& y, std::size_t n_levels) {
        columns.resize(1);
        columns[0].nominal = true;
        columns[0].n_codes = n_levels;
        cases.n = codes.size();
        cases.columns = {0};
        cases.target.assign(y.begin(), y.end());
        for (std::uint32_t i = 0; i < codes.size(); ++i)
            cases.entries.push_back({codes[i], i});
        std::ranges::stable_sort(cases.entries, {}, &Entry::code);
    }

    template <class Criterion>
    Candidate best(std::size_t n_classes) const {
        Node<Classes> node{cases, columns, settings, n_classes, std::vector<double>(n_classes), 0, 0};
        for (std::size_t i = 0; i < cases.n; ++i)
            Classes::add(node.sum.data(), cases.target[i], cases.weight_of(i));
        node.weight = Classes::weight(node.sum.data(), n_classes);
        node.loss = Criterion::loss(node.sum.data(), n_classes, node.weight);
        return best_nominal<Criterion>(node, 0);
    }
};

const std::vector<std::uint16_t> play{0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0};
const std::vector<code_t> outlook{0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2};
const std::vector<code_t> temperature{0, 0, 0, 1, 2, 2, 2, 1, 2, 1, 1, 1, 0, 1};
const std::vector<code_t> humidity{0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0};
const std::vector<code_t> windy{0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1};

} // namespace

TEST("gains and gain ratios of the weather table") {
    const std::vector<std::pair<std::vector<code_t>, std::pair<double, double>>> expected{
        {outlook, {.2467, .1564}}, {temperature, {.0292, .0188}}, {humidity, {.1518, .1518}}, {windy, {.0481, .0488}}};
    for (const auto& [codes, figures] : expected) {
        Table table(codes, play, 3);
        table.settings.nominal = NominalSplit::multiway;
        const Candidate split = table.best<Entropy>(2);
        CHECK(split.found && split.n_branches == 3);
        CHECK_NEAR(split.gain, figures.first, 5e-5);
        CHECK_NEAR(split.gain / split.split_info, figures.second, 5e-5);
    }
}

TEST("an unknown outlook is a branch of the split information") {
    auto codes = outlook;
    codes[11] = missing_code;
    Table table(codes, play, 3);
    table.settings.nominal = NominalSplit::multiway;
    table.settings.missing = MissingSplit::fractional;
    const Candidate split = table.best<Entropy>(2);
    CHECK_NEAR(split.gain, .199, 5e-4);
    CHECK_NEAR(split.split_info, 1.809, 5e-4); // Quinlan (1993), ch. 3
    CHECK(split.missing == -1);
}

TEST("three classes: all divisions, or a threshold along the main direction of their shares") {
    std::vector<code_t> codes;
    std::vector<std::uint16_t> y;
    for (code_t level = 0; level < 8; ++level)
        for (std::uint16_t i = 0; i < 6; ++i) {
            codes.push_back(level);
            y.push_back(level % 2 == 0 ? static_cast<std::uint16_t>(i % 2) : 2); // even levels: classes 0 and 1
        }
    Table table(codes, y, 20);
    for (const std::size_t exact : {10, 2}) {
        table.settings.exact_levels = exact;
        const Candidate split = table.best<Gini>(3);
        CHECK(split.codes == std::vector<code_t>({0, 2, 4, 6}) || split.codes == std::vector<code_t>({1, 3, 5, 7}));
        CHECK_NEAR(split.gain, .375, 1e-12); // from 0.625 to a half of 0.5
    }
}

TEST("known cells against missing ones is a division too") {
    Table table({0, 0, 1, 1, missing_code, missing_code}, {0, 0, 0, 0, 1, 1}, 2);
    for (const NominalSplit kind : {NominalSplit::subset, NominalSplit::one_vs_rest}) {
        table.settings.nominal = kind;
        const Candidate split = table.best<Gini>(2);
        CHECK_NEAR(split.gain, 4.0 / 9, 1e-12);
        CHECK(split.codes.empty() && split.missing == 0); // all levels, seen or not, go to the other branch
    }
}

TEST("weights of two classes count like repeated rows") {
    Table plain({0, 0, 1, 1, 1, 2}, {0, 1, 1, 1, 0, 0}, 3), weighted({0, 0, 1, 1, 2}, {0, 1, 1, 0, 0}, 3);
    weighted.cases.weight = {1, 1, 2, 1, 1};
    const Candidate a = plain.best<Entropy>(2), b = weighted.best<Entropy>(2);
    CHECK(a.gain == b.gain && a.codes == b.codes && a.split_info == b.split_info);
}

TEST("a single level and nothing missing proposes nothing") {
    for (const NominalSplit kind : {NominalSplit::multiway, NominalSplit::subset, NominalSplit::one_vs_rest}) {
        Table table({1, 1, 1}, {0, 1, 1}, 3);
        table.settings.nominal = kind;
        CHECK(!table.best<Gini>(2).found);
        CHECK(!table.best<Gini>(3).found);
    }
}
