// margin/tree/targets/criterion.hpp: trees under every criterion of the lists, and under one that is in none of them,
// against the definition of the best split.
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/tree/binned/grow_binned.hpp"
#include "tree/growing.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace margin;
using namespace margin::tree;

namespace {

/// Tsallis' entropy of order 1.5: what a criterion has to say, and no more.
struct Tsallis : AnyCriterion {
    static constexpr std::string_view name = "tsallis";
    static double loss(const double* sum, std::size_t width, double weight) noexcept {
        double powers = 0;
        for (std::size_t k = 0; k < width; ++k)
            powers += std::pow(sum[k] / weight, 1.5);
        return weight > 0 ? 2 * weight * (1 - powers) : 0.0;
    }
    template <class Scale>
    static double null_gain(double bits_per_case, Scale&& scale) noexcept {
        return chi_squared_gain(bits_per_case, scale());
    }
};
using Toys = OneOf<Tsallis>;

enum class Weights { one, whole, real };

/// Two columns of numbers and a nominal one of four levels.
struct Rows {
    static constexpr std::size_t n = 80, d = 2, n_levels = 4;
    std::vector<double> x, value, weight;
    std::vector<std::int32_t> code, y;
    std::vector<std::int64_t> levels{n_levels};
    std::vector<std::uint8_t> nominal{1};
    std::size_t n_classes;

    Rows(std::size_t classes, Weights weights) : n_classes(classes) {
        Stream random(classes, static_cast<std::uint64_t>(weights));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < d; ++j)
                x.push_back(static_cast<double>(random.below(7)));
            code.push_back(static_cast<std::int32_t>(random.below(n_levels)));
            y.push_back(static_cast<std::int32_t>(random.below(classes)));
            value.push_back(random.normal() + x[i * d]);
            if (weights != Weights::one)
                weight.push_back(weights == Weights::whole ? static_cast<double>(1 + random.below(3))
                                                           : 0.1 + random.uniform01());
        }
        round_weights(weight);
    }

    Table<double> table() const { return {{x.data(), n, d}, {code.data(), n, 1}, levels, nominal}; }
    double weight_of(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
};

using Members = std::vector<std::size_t>;

/// Impurity times weight, from the rows.
template <class Criterion>
double class_loss(const Rows& rows, const Members& members) {
    std::vector<double> sum(rows.n_classes);
    for (const std::size_t i : members)
        sum[static_cast<std::size_t>(rows.y[i])] += rows.weight_of(i);
    return Criterion::loss(sum.data(), sum.size(), Classes::weight(sum.data(), sum.size()));
}

template <class Criterion>
double value_loss(const Rows& rows, const Members& members) {
    const auto deviations = [&](double middle) {
        double total = 0;
        for (const std::size_t i : members) {
            const double apart = std::abs(rows.value[i] - middle);
            total += rows.weight_of(i) * (Criterion::unit_power == 1 ? apart : apart * apart);
        }
        return total;
    };
    double weight = 0, sum = 0, least = deviations(rows.value[members[0]]);
    for (const std::size_t i : members) {
        weight += rows.weight_of(i);
        sum += rows.weight_of(i) * rows.value[i];
        least = std::min(least, deviations(rows.value[i]));
    }
    return Criterion::statistic == Statistic::medians ? least : deviations(sum / weight);
}

template <class Low>
std::pair<Members, Members> parted(const Members& members, Low&& low) {
    std::pair<Members, Members> sides;
    for (const std::size_t i : members)
        (low(i) ? sides.first : sides.second).push_back(i);
    return sides;
}

/// The largest gain of all thresholds and all divisions of levels.
template <class Loss>
double largest_gain(const Rows& rows, const Members& members, bool levels, Loss&& loss) {
    double weight = 0, best = -1;
    for (const std::size_t i : members)
        weight += rows.weight_of(i);
    const auto offer = [&](auto&& low) {
        const auto [a, b] = parted(members, low);
        if (!a.empty() && !b.empty())
            best = std::max(best, (loss(rows, members) - loss(rows, a) - loss(rows, b)) / weight);
    };
    for (std::size_t j = 0; j < Rows::d; ++j)
        for (double cut = 0; cut < 7; ++cut)
            offer([&](std::size_t i) { return rows.x[i * Rows::d + j] <= cut; });
    for (std::uint32_t some = 1; levels && some < 1u << Rows::n_levels; ++some)
        offer([&](std::size_t i) { return (some >> rows.code[i] & 1) != 0; });
    return best;
}

/// Every node has the impurity, and every split the largest gain, of the definition.
template <class Loss>
void check_tree(const GrownTree& tree, const Rows& rows, bool levels, Loss&& loss) {
    CHECK(tree.size() > 3);
    std::vector<Members> members(tree.size());
    members[0].resize(Rows::n);
    std::iota(members[0].begin(), members[0].end(), std::size_t{0});
    for (std::size_t node = 0; node < tree.size(); ++node) {
        CHECK_NEAR(tree.impurity[node] * tree.weight[node], loss(rows, members[node]), 1e-9);
        if (tree.ask[node] == static_cast<std::uint8_t>(Ask::nothing))
            continue;
        CHECK_NEAR(tree.gain[node], largest_gain(rows, members[node], levels, loss), 1e-9);
        const auto column = static_cast<std::size_t>(tree.column[node]);
        const auto first = tree.detail.begin() + tree.detail_start[node];
        const auto last = tree.detail.begin() + tree.detail_start[node + 1];
        auto [low, high] = parted(members[node], [&](std::size_t i) {
            return column < Rows::d ? rows.x[i * Rows::d + column] <= tree.threshold[node]
                                    : std::find(first, last, rows.code[i]) != last;
        });
        const auto child = static_cast<std::size_t>(tree.child_start[node]);
        members[static_cast<std::size_t>(tree.child[child])] = std::move(low);
        members[static_cast<std::size_t>(tree.child[child + 1])] = std::move(high);
    }
}

template <class Criteria>
void check_classes() {
    Monitor monitor;
    const Settings settings;
    for (const auto name : Criteria::names())
        for (const std::size_t n_classes : {2, 3, 5})
            for (const Weights weights : {Weights::one, Weights::whole, Weights::real}) {
                const Rows rows(n_classes, weights);
                const auto exact =
                    grow_classes<Criteria>(rows.table(), rows.y, rows.weight, n_classes, name, settings, 1, monitor);
                const auto binned = grow_binned_classes<Criteria>(rows.table(), rows.y, rows.weight, n_classes, name,
                                                                  settings, 255, 2, monitor);
                Criteria::visit(name, [&]<class C>() {
                    check_tree(exact, rows, true, class_loss<C>);
                    check_tree(binned, rows, true, class_loss<C>);
                });
                CHECK(exact.column == binned.column && exact.threshold == binned.threshold);
            }
}

} // namespace

TEST("every criterion for classes splits as its definition says, on sorted columns and on bins") {
    check_classes<ClassCriteria>();
}

TEST("a criterion that says no more than its loss grows trees of its own") { check_classes<Toys>(); }

TEST("every criterion for numbers splits as its definition says, on sorted columns and on bins") {
    Monitor monitor;
    const Settings settings;
    for (const auto name : ValueCriteria::names())
        for (const Weights weights : {Weights::one, Weights::whole, Weights::real}) {
            const Rows rows(2, weights);
            // Divisions of levels by their medians are good ones, but not always the best: numbers alone then.
            const auto table = [&](bool levels) {
                return levels ? rows.table()
                              : Table<double>{{rows.x.data(), Rows::n, Rows::d}, {nullptr, Rows::n, 0}, {}, {}};
            };
            ValueCriteria::visit(name, [&]<class C>() {
                constexpr bool sums = C::statistic == Statistic::sums;
                check_tree(grow_values(table(sums), rows.value, rows.weight, name, settings, 1, monitor), rows, sums,
                           value_loss<C>);
                if constexpr (sums)
                    check_tree(grow_binned_values(table(true), rows.value, rows.weight, settings, 255, 2, monitor),
                               rows, true, value_loss<C>);
            });
        }
}
