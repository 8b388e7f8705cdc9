#pragma once
// Searching for splits under one criterion.
#include "margin/tree/splits/absolute_threshold.hpp"
#include "margin/tree/splits/propose.hpp"
#include "margin/tree/targets/absolute.hpp"
#include "margin/tree/targets/mean.hpp"
#include "split_search.hpp"
#include <algorithm>
#include <cstddef>
#include <vector>

namespace margin::tree {

/// Where a loss is a function of the sums of the target.
template <class Criterion, class Target>
class SearchBySums final : public SplitSearch<Target> {
public:
    void fill(Common& common, double all_weight) const override {
        if constexpr (Criterion::counted == Counted::logarithms)
            if (common.whole)
                common.logs = LogTable(static_cast<std::size_t>(all_weight), common.n_outputs);
    }

    double loss(const Segment<Target>&, const std::vector<double>& sum, double weight) const override {
        return Criterion::loss(sum.data(), sum.size(), weight);
    }

    void describe(const Node<Target>& node, double* value, double& impurity) const override {
        if constexpr (Target::several) {
            describe_several(node, value, impurity);
        } else if constexpr (std::is_same_v<Target, Classes>) { // their weights; impurity is loss per weight
            std::copy(node.sum.begin(), node.sum.end(), value);
            impurity = node.weight > 0 ? node.loss / node.weight : 0.0;
        } else if constexpr (Criterion::is_mean(Target::width())) { // and the mean squared deviation from it
            const double* weight = node.cases.weight.empty() ? nullptr : node.cases.weight.data();
            const Spread spread = spread_of(node.cases.target.data(), weight, node.cases.n, node.weight);
            *value = spread.mean;
            impurity = spread.variance;
        } else {
            static_assert(has_case<Criterion::statistic>, "say what a node of numbers answers under this criterion");
        }
    }

    void prepare(const Node<Target>& node, const Common& common, Prepared<Target>& prepared) const override {
        prepared.template take<Criterion>(node, common);
    }

    Candidate propose(const Node<Target>& node, std::size_t k, const Prepared<Target>& prepared,
                      Scratch& scratch) const override {
        const Column& column = node.columns[node.cases.columns[k]];
        const bool has_threshold =
            !column.nominal && (column.value.empty() || node.settings.numeric == NumericSplit::threshold);
        return has_threshold ? best_threshold<Criterion>(node, k, prepared, scratch)
                             : tree::propose<Criterion>(node, k, false, prepared.common->monitor);
    }

    Candidate in_full(const Node<Target>& node, std::size_t k, const Candidate& proposal) const override {
        return proposal.ask == Ask::subset ? tree::propose<Criterion>(node, k, true) : proposal;
    }

    bool by_gain_alone() const noexcept override { return false; }
};

/// Where it is the sum of absolute deviations from the median: nodes answer that.
class SearchByMedians final : public SplitSearch<Values> {
public:
    void fill(Common&, double) const override {}

    double loss(const Segment<Values>& cases, const std::vector<double>&, double) const override {
        return absolute_loss(cases).loss;
    }

    void describe(const Node<Values>& node, double* value, double& impurity) const override {
        *value = absolute_loss(node.cases).value;
        impurity = node.loss / node.weight;
    }

    void prepare(const Node<Values>& node, const Common& common, Prepared<Values>& prepared) const override {
        prepared.common = &common;
        prepared.ranks.take(node.cases, common.centre);
    }

    Candidate propose(const Node<Values>& node, std::size_t k, const Prepared<Values>& prepared,
                      Scratch&) const override {
        return best_absolute(node, k, prepared.ranks, prepared.common->monitor);
    }

    Candidate in_full(const Node<Values>&, std::size_t, const Candidate& proposal) const override { return proposal; }

    bool by_gain_alone() const noexcept override { return true; }
};

/// Call use(search) with the search of a criterion.
template <class Criterion, class Target, class Use>
decltype(auto) with_search(Use&& use) {
    if constexpr (Criterion::statistic == Statistic::sums)
        return use(SearchBySums<Criterion, Target>());
    else if constexpr (Criterion::statistic == Statistic::medians)
        return use(SearchByMedians());
    else
        static_assert(has_case<Criterion::statistic>, "no search for splits by this statistic");
}

} // namespace margin::tree
