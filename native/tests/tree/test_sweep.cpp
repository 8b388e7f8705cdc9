#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/splits/threshold.hpp"
#include "margin/tree/targets/exact_sums.hpp"
#include <limits>

using namespace margin;
using namespace margin::tree;

namespace {

/// One column of a node; codes rise, so that places need not be sorted.
template <class Target>
Segment<Target> column_of(const std::vector<code_t>& codes, Stream& random) {
    Segment<Target> cases;
    cases.n = codes.size();
    cases.columns = {0};
    std::vector<std::uint32_t> places(codes.size());
    for (std::uint32_t i = 0; i < places.size(); ++i)
        places[i] = i;
    random.shuffle(std::span(places));
    for (std::size_t i = 0; i < codes.size(); ++i)
        cases.entries.push_back({codes[i], places[i]});
    return cases;
}

/// The largest gain, from the definition.
template <class Criterion, class Target>
double largest_gain(const Node<Target>& node, std::size_t min_leaf) {
    double best = -1;
    const auto entries = node.cases.column(0);
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        if (entries[i].code == entries[i + 1].code || i + 1 < min_leaf || entries.size() - i - 1 < min_leaf)
            continue;
        std::vector<double> low(node.width), high(node.width);
        for (std::size_t e = 0; e < entries.size(); ++e)
            Target::add((e <= i ? low : high).data(), node.cases.target[entries[e].place],
                        node.cases.weight_of(entries[e].place));
        const auto loss = [&](const std::vector<double>& sum) {
            return Criterion::loss(sum.data(), node.width, Target::weight(sum.data(), node.width));
        };
        best = std::max(best, (node.loss - (loss(low) + loss(high))) / node.weight);
    }
    return best;
}

template <class Criterion>
void check_classes(std::size_t n, std::size_t n_classes, std::size_t n_codes, bool weighted, std::size_t min_leaf) {
    Stream random(n, 100 * n_classes + n_codes);
    std::vector<code_t> codes(n);
    for (code_t& c : codes)
        c = static_cast<code_t>(random.below(n_codes));
    std::ranges::sort(codes);
    auto cases = column_of<Classes>(codes, random);
    std::vector<double> sum(n_classes);
    for (std::size_t i = 0; i < n; ++i) {
        cases.target.push_back(static_cast<std::uint16_t>(random.below(n_classes)));
        if (weighted)
            cases.weight.push_back(static_cast<double>(1 + random.below(3)));
        Classes::add(sum.data(), cases.target[i], cases.weight_of(i));
    }
    const double weight = Classes::weight(sum.data(), n_classes);
    Settings settings;
    settings.min_leaf = min_leaf;
    const std::vector<Column> columns(1);
    const Node<Classes> node{
        cases, columns, settings, n_classes, sum, weight, Criterion::loss(sum.data(), n_classes, weight)};
    const double expected = largest_gain<Criterion>(node, min_leaf);
    for (const bool whole : {false, true}) { // sums worked out anew, and counts kept up to date
        Common common;
        common.whole = whole;
        common.logs = LogTable(static_cast<std::size_t>(weight));
        Prepared<Classes> prepared;
        prepared.take<Criterion>(node, common);
        Scratch scratch;
        const Candidate best = best_threshold<Criterion>(node, 0, prepared, scratch);
        CHECK(best.found == (expected >= 0));
        if (best.found)
            CHECK_NEAR(best.gain, expected, 1e-12);
    }
}

} // namespace

TEST("every way to scan classes finds the gain of the definition") {
    for (const std::size_t n : {2, 3, 40, 255, 257, 600})
        for (const std::size_t n_classes : {2, 3, 9})
            for (const std::size_t n_codes : {1, 2, 30, 100000})
                for (const bool weighted : {false, true})
                    for (const std::size_t min_leaf : {1, 4}) {
                        check_classes<Gini>(n, n_classes, n_codes, weighted, min_leaf);
                        check_classes<Entropy>(n, n_classes, n_codes, weighted, min_leaf);
                        check_classes<Error>(n, n_classes, n_codes, weighted, min_leaf);
                    }
}

TEST("of equal thresholds the first one wins, however far they are apart") {
    const std::size_t n = 1000;
    Stream random(1, 1);
    std::vector<code_t> codes(n);
    for (std::size_t i = 0; i < n; ++i)
        codes[i] = static_cast<code_t>(i);
    auto cases = column_of<Classes>(codes, random);
    cases.target.assign(n, 0);
    cases.target[cases.entries.front().place] = cases.target[cases.entries.back().place] = 1;
    const std::vector<double> sum{n - 2.0, 2};
    const Settings settings;
    const std::vector<Column> columns(1);
    const Node<Classes> node{cases, columns, settings, 2, sum, double(n), Gini::loss(sum.data(), 2, n)};
    CHECK(best_threshold<Gini>(node, 0).cut == 0);
}

TEST("tables of logarithms add up to entropies") {
    const LogTable table(1000);
    const double unit = x_log2_x(1000.0) / static_cast<double>(table.x_log_x[1000]);
    for (const std::size_t x : {0, 1, 2, 3, 500, 999})
        CHECK_NEAR(static_cast<double>(table.x_log_x[x]) * unit, x_log2_x(static_cast<double>(x)), 1e-9);
}

TEST("sums of rounded weights are exact, whole weights stay as they are and none is lost") {
    std::vector<double> weight{0.1, 0.2, 0.3, 1e-300, 12345.678};
    round_weights(weight);
    double forward = 0, backward = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        forward += weight[i];
        backward += weight[weight.size() - 1 - i];
    }
    CHECK(forward == backward);
    CHECK(weight[3] > 0);
    CHECK_NEAR(weight[0], 0.1, 1e-11);
    std::vector<double> whole{1, 2, 3, 1000000};
    round_weights(whole);
    CHECK(whole == std::vector<double>({1, 2, 3, 1000000}));
}
