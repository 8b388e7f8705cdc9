#pragma once
// Growing one tree of a forest, on one thread, depth first.
#include "margin/core/monitor.hpp"
#include "margin/tree/exact/work.hpp"
#include "node_search.hpp"
#include "nodes.hpp"
#include "several_cases.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace margin::ensemble {

/// One for each worker: grows tree after tree.
template <class Case>
class TreeGrower {
public:
    using Target = typename Case::Target;
    static constexpr bool of_classes = std::is_same_v<Target, tree::Classes>;

    TreeGrower(const CodedTable& table, const BinCommon& common, NodeSearch<Case> search, std::size_t width,
               Monitor& monitor)
        : table_(table), common_(common), settings_(common.settings), search_(std::move(search)), width_(width),
          monitor_(monitor), numbers_(table) {}

    /// The tree of some cases. `common` holds their weight; `seed` decides which columns are drawn.
    GrownTree grow(std::vector<Case>&& cases, std::uint64_t seed) {
        cases_ = std::move(cases);
        spare_.resize(cases_.size());
        if (settings_.random_splits)
            numbers_.begin(cases_), x_.resize(cases_.size());
        seed_ = seed;
        grown_ = {};
        grown_.decrease.assign(table_.columns.size(), 0.0);
        grown_.nodes.resize(1);
        grown_.leaf_weight.resize(1);
        sums_.assign(width_, 0.0);
        Work root{0, 0, cases_.size(), 0, 0, 0, {}};
        for (const Case& c : cases_) {
            c.add_to(sums_.data());
            root.n += c.times();
        }
        stack_.assign(1, root);
        while (!stack_.empty())
            grow_next();
        return std::exchange(grown_, {});
    }

private:
    /// A node whose branches are still to come; its sums stand at the same place in sums_.
    struct Work {
        std::uint32_t node;
        std::size_t begin, n_rows, n; // rows, and cases: rows as often as they were drawn
        std::size_t depth;
        std::uint64_t path;
        tree::Bounds bounds;
    };

    std::span<const Case> cases_of(const Work& work) const noexcept {
        return {cases_.data() + work.begin, work.n_rows};
    }

    void grow_next() {
        const Work work = stack_.back();
        stack_.pop_back();
        if (stack_.size() < n_others_)
            numbers_.leave(); // the subtree is done
        sum_.assign(sums_.end() - static_cast<std::ptrdiff_t>(width_), sums_.end());
        sums_.resize(sums_.size() - width_);
        const double weight = Target::weight(sum_.data(), width_);
        if (ends_here(work, weight)) {
            write_leaf(work, weight);
            return;
        }
        if (work.n_rows > 1024)
            monitor_.check();
        if (settings_.random_splits && !numbers_.copied() && numbers_.worthwhile(work.n_rows, settings_.max_features)) {
            numbers_.copy(work.begin, work.n_rows);
            n_others_ = stack_.size();
        }
        const BinNode node{0,           work.begin, work.n, sum_.data(), weight, search_.loss(sum_.data(), weight),
                           work.bounds, work.path,  seed_};
        search_.best(cases_of(work), node, seed_, numbers_, split_);
        if (split_.found && weight / common_.all_weight * split_.gain + 1e-15 >= settings_.min_decrease)
            divide(work, weight);
        else
            write_leaf(work, weight);
    }

    bool ends_here(const Work& work, double weight) const {
        return work.n < std::max<std::size_t>(settings_.min_split, 2) || work.n / 2 < settings_.min_leaf ||
               work.depth >= settings_.max_depth || weight < 2 * settings_.min_leaf_weight || is_pure(work);
    }

    bool is_pure(const Work& work) const {
        const auto cases = cases_of(work);
        if constexpr (of_classes) {
            return std::ranges::count_if(sum_, [](double w) { return w > 0; }) <= 1;
        } else if constexpr (std::is_same_v<Target, tree::SeveralClasses>) {
            return std::count_if(sum_.begin() + 1, sum_.end(), [](double w) { return w > 0; }) <=
                   static_cast<std::ptrdiff_t>(cases.front().item.n);
        } else if constexpr (Target::several) {
            const double* const y = cases.front().item.y;
            return std::ranges::all_of(cases, [&](const Case& c) { return std::equal(y, y + c.item.n, c.item.y); });
        } else {
            return std::ranges::all_of(cases, [&](const Case& c) { return c.y == cases.front().y; });
        }
    }

    void write_leaf(const Work& work, double weight) {
        Node& node = grown_.nodes[work.node];
        node.first = work.node;
        node.tag = Node::leaf;
        grown_.leaf_weight[work.node] = static_cast<float>(weight);
        if constexpr (Target::several)
            node.threshold = static_cast<double>(several_row(work, weight));
        else if constexpr (of_classes)
            node.threshold = static_cast<double>(shares_row(work, weight));
        else
            node.threshold = mean(work, weight);
    }

    /// The row of a leaf that answers several targets: behind as many as it is wide, which stand for single classes.
    std::size_t several_row(const Work& work, double weight)
        requires Target::several
    {
        const std::size_t m = width_ - 1;
        for (std::size_t k = 0; k < m; ++k)
            if constexpr (Target::counts) {
                grown_.shares.push_back(sum_[k + 1] / weight);
            } else {
                const auto cases = cases_of(work);
                grown_.shares.push_back(
                    mean_of(cases, weight, [k](const Case& c) { return tree::Values::Item{c.item.y[k], 0}; }));
            }
        return m + grown_.shares.size() / m - 1;
    }

    /// The row of a leaf's shares: the first ones are those of single classes.
    std::size_t shares_row(const Work& work, double weight) {
        if (width_ == 2 && !settings_.monotone.empty()) {
            sum_[1] = std::clamp(sum_[1] / weight, work.bounds.lowest, work.bounds.highest) * weight;
            sum_[0] = weight - sum_[1];
        }
        const auto largest = std::ranges::max_element(sum_);
        if (*largest == weight)
            return static_cast<std::size_t>(largest - sum_.begin());
        double total = 0;
        for (const double s : sum_)
            total += s;
        for (const double s : sum_)
            grown_.shares.push_back(s / total);
        return width_ + grown_.shares.size() / width_ - 1;
    }

    template <class ItemOf>
    double mean_of(std::span<const Case> cases, double weight, ItemOf&& item_of) {
        items_.resize(cases.size());
        weights_.resize(cases.size());
        for (std::size_t i = 0; i < cases.size(); ++i) {
            items_[i] = item_of(cases[i]);
            weights_[i] = cases[i].w;
        }
        return tree::spread_of(items_.data(), weights_.data(), cases.size(), weight).mean;
    }

    double mean(const Work& work, double weight)
        requires(!of_classes)
    {
        const double found =
            mean_of(cases_of(work), weight, [](const Case& c) { return tree::Values::Item{c.y, c.part}; });
        if (settings_.monotone.empty())
            return found;
        return std::clamp(found, work.bounds.lowest + common_.centre, work.bounds.highest + common_.centre);
    }

    void divide(const Work& work, double weight) {
        const std::size_t n_rows_low = deal(work);
        const auto first = static_cast<std::uint32_t>(grown_.nodes.size());
        write_split(grown_.nodes[work.node], first, n_rows_low > work.n_rows - n_rows_low ? 0 : 1);
        grown_.nodes.resize(first + 2);
        grown_.leaf_weight.resize(first + 2);
        grown_.decrease[split_.column] += weight / common_.all_weight * std::max(split_.gain, 0.0);

        high_.resize(width_);
        for (std::size_t k = 0; k < width_; ++k)
            high_[k] = sum_[k] - split_.low[k];
        const std::int8_t way = settings_.monotone.empty() ? 0 : settings_.monotone[split_.column];
        const double middle = way == 0 ? 0.0
                                       : tree::bounded_value<Target>(split_.low.data(), split_.low_weight) / 2 +
                                             tree::bounded_value<Target>(high_.data(), weight - split_.low_weight) / 2;
        const std::array<Work, 2> part{Work{first, work.begin, n_rows_low, split_.n_low, work.depth + 1,
                                            tree::path_to(work.path, 0), tree::hand_down(work.bounds, way, 0, middle)},
                                       Work{first + 1, work.begin + n_rows_low, work.n_rows - n_rows_low,
                                            work.n - split_.n_low, work.depth + 1, tree::path_to(work.path, 1),
                                            tree::hand_down(work.bounds, way, 1, middle)}};
        // The larger branch comes next, so that its nodes lie behind those of its parent.
        const std::size_t next = part[0].n > part[1].n ? 0 : 1;
        for (const std::size_t b : {1 - next, next}) {
            stack_.push_back(part[b]);
            const auto& sum = b == 0 ? split_.low : high_;
            sums_.insert(sums_.end(), sum.begin(), sum.end());
        }
    }

    void write_split(Node& node, std::uint32_t first, std::int32_t larger) {
        const tree::BinnedColumn& column = table_.columns[split_.column];
        const bool subset = split_.ask == tree::Ask::subset;
        const std::int32_t missing = split_.sees_missing ? split_.missing : larger;
        node.first = first;
        node.tag = split_.column | (missing == 1 ? Node::missing_right : 0) | (subset ? 1u << 27 : 0);
        if (!subset) {
            node.threshold = std::isnan(split_.drawn) ? column.between(split_.cut, split_.next) : split_.drawn;
            return;
        }
        const auto begin = static_cast<std::uint32_t>(grown_.words.size());
        for (const tree::code_t bin : split_.codes)
            for (const tree::code_t level : column.levels_of[bin]) {
                grown_.words.resize(std::max<std::size_t>(grown_.words.size(), begin + level / 64 + 1));
                grown_.words[begin + level / 64] |= std::uint64_t{1} << level % 64;
            }
        node.list = {begin, static_cast<std::uint32_t>(grown_.words.size()) - begin};
    }

    /// Deal the rows of a node out to its branches, in the order they have; gives how many go to branch 0.
    std::size_t deal(const Work& work) {
        const tree::BinnedColumn& column = table_.columns[split_.column];
        const std::size_t n_bins = column.n_bins;
        if (settings_.random_splits && !column.nominal) {
            numbers_.read(split_.column, work.begin, work.n_rows, x_.data());
            const double t = std::isnan(split_.drawn) ? split_.cut : split_.drawn;
            return deal_by(work, [x = x_.data(), t, low = split_.missing == 0](std::size_t i) {
                return (x[i] <= t) | ((x[i] != x[i]) & low);
            });
        }
        const Case* const cases = cases_.data() + work.begin;
        return table_.with_codes(split_.column, [&]<class Code>(const Code* codes) {
            if (split_.ask == tree::Ask::threshold) {
                const std::size_t cut = split_.cut, also = split_.missing == 0 ? n_bins : split_.cut;
                return deal_by(
                    work, [=](std::size_t i) { return (codes[cases[i].row] <= cut) | (codes[cases[i].row] == also); });
            }
            low_.assign(n_bins + 1, 0);
            low_[n_bins] = split_.missing == 0;
            for (const tree::code_t bin : split_.codes)
                low_[bin] = 1;
            const std::uint8_t* const low = low_.data();
            return deal_by(work, [=](std::size_t i) { return low[codes[cases[i].row]] != 0; });
        });
    }

    /// is_low(i) of the i-th case of the node, asked once for each in order.
    template <class IsLow>
    std::size_t deal_by(const Work& work, IsLow&& is_low) {
        if (!settings_.random_splits)
            return part(cases_.data() + work.begin, spare_.data(), work.n_rows, is_low);
        std::uint32_t *const places = numbers_.places(work.begin), *const spare = numbers_.spare();
        is_low_.resize(work.n_rows);
        for (std::size_t i = 0; i < work.n_rows; ++i)
            is_low_[i] = is_low(i);
        const auto known = [low = is_low_.data()](std::size_t i) { return low[i] != 0; };
        part(places, spare, work.n_rows, known);
        return part(cases_.data() + work.begin, spare_.data(), work.n_rows, known);
    }

    /// No branch on the side: which one comes next cannot be foretold.
    template <class Item, class IsLow>
    static std::size_t part(Item* items, Item* spare, std::size_t n, IsLow&& is_low) {
        std::size_t n_low = 0, n_high = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Item item = items[i];
            const bool low = is_low(i);
            items[n_low] = item;
            spare[n_high] = item;
            n_low += low;
            n_high += !low;
        }
        std::copy_n(spare, n_high, items + n_low);
        return n_low;
    }

    const CodedTable& table_;
    const BinCommon& common_;
    const tree::Settings& settings_;
    NodeSearch<Case> search_;
    std::size_t width_;
    Monitor& monitor_;
    NodeNumbers numbers_;      // of random splits
    std::size_t n_others_ = 0; // nodes of the stack that are not of the subtree whose numbers were copied
    std::vector<Case> cases_, spare_;
    tree::Buffer<double> x_;
    tree::Buffer<std::uint8_t> is_low_;
    std::uint64_t seed_ = 0;
    GrownTree grown_;
    std::vector<Work> stack_;
    std::vector<double> sums_, sum_, high_;
    std::vector<std::uint8_t> low_;
    BinSplit split_;
    tree::Buffer<tree::Values::Item> items_;
    tree::Buffer<double> weights_;
};

} // namespace margin::ensemble
