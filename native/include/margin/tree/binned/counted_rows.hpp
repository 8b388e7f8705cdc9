#pragma once
// The rows of a node as growing asks about them: what they hold in each bin, and the best split of that.
#include "bin_node.hpp"
#include "bin_rows.hpp"
#include "bin_search.hpp"
#include "histogram.hpp"
#include "margin/core/threads.hpp"
#include "margin/tree/targets/mean.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace margin::tree {

/// Rows that lie side by side.
struct RowRange {
    int half = 0;
    std::size_t begin = 0, n = 0;
};

/// One for each worker. Growers are compiled for targets; only what is behind these calls, a few for each node, knows
/// codes and counters.
template <class Target>
class CountedRows {
public:
    CountedRows(std::size_t width, bool draws, std::size_t most_direct_rows)
        : width(width), draws_(draws), most_direct_rows_(most_direct_rows) {}
    virtual ~CountedRows() = default;

    const std::size_t width; // of the sums of a node

    bool needs_histogram(std::size_t n) const noexcept { return n > most_direct_rows_ && !draws_; }

    /// Impurity times weight, from a sum of the target.
    virtual double loss(const double* sum, double weight) const noexcept = 0;

    /// Mean and variance of numbers. Requires a target of numbers.
    virtual Spread spread(RowRange rows, double weight) = 0;

    /// The best split of a node; -1 for the histogram of a node that needs none.
    virtual void best(const BinNode& node, std::int32_t histogram, BinSplit& split) = 0;

    /// Deal rows out to the other half: those whose code in column j is marked in `low`, n_low of them, come first.
    virtual void deal(RowRange rows, std::size_t j, const std::uint8_t* low, std::size_t n_low) = 0;

    /// A histogram of some rows. Sums are exact, so it does not matter which thread counts which rows.
    virtual std::int32_t count(RowRange rows) = 0;

    /// Take rows, or another histogram, off a histogram.
    virtual void take_off(std::int32_t histogram, RowRange rows) = 0;
    virtual void take_off(std::int32_t histogram, std::int32_t part) = 0;

    virtual void release(std::int32_t histogram) = 0;

    /// The room of all histograms.
    virtual std::size_t bytes() const noexcept = 0;

private:
    bool draws_;
    std::size_t most_direct_rows_;
};

/// Rows of one kind of code, counted in one way.
template <class Code, class Tally>
class RowsCountedBy final : public CountedRows<typename Tally::Target> {
public:
    using Target = typename Tally::Target;
    using Number = typename Tally::Number;
    using Rows = BinRows<Code, typename Tally::Item>;
    using Search = BinSearch<Code, Tally>;

    RowsCountedBy(Rows& rows, const BinCommon& common, Tally tally, std::unique_ptr<Search> search,
                  std::size_t n_threads, Monitor& monitor)
        : CountedRows<Target>(tally.width(), search->draws, search->most_direct_rows), rows_(rows), common_(common),
          tally_(tally), search_(std::move(search)), histograms_(common.first.back() * tally.cell()),
          n_threads_(n_threads), monitor_(monitor) {}

    double loss(const double* sum, double weight) const noexcept override { return search_->loss(sum, weight); }

    Spread spread(RowRange rows, double weight) override {
        if constexpr (std::is_same_v<Target, Values>) {
            constexpr bool weighted = requires(typename Tally::Item item) { item.weight; };
            items_.resize(rows.n);
            if constexpr (weighted)
                weights_.resize(rows.n);
            for (std::size_t i = 0; i < rows.n; ++i) {
                const auto item = rows_.item(rows.half, rows.begin + i);
                items_[i] = {item.y, item.part};
                if constexpr (weighted)
                    weights_[i] = item.weight;
            }
            return spread_of(items_.data(), weighted ? weights_.data() : nullptr, rows.n, weight);
        } else {
            return {};
        }
    }

    void best(const BinNode& node, std::int32_t histogram, BinSplit& split) override {
        search_->best(rows_, node, histograms_[histogram], split);
    }

    void deal(RowRange rows, std::size_t j, const std::uint8_t* low, std::size_t n_low) override {
        rows_.deal(rows.half, rows.begin, rows.n, j, low, n_low, n_threads_, monitor_);
    }

    std::int32_t count(RowRange rows) override {
        const std::int32_t histogram = histograms_.take();
        Number* const all = histograms_[histogram];
        constexpr std::size_t block = 8192;
        if (rows.n < 2 * block) {
            tally_rows<false>(rows_, rows.half, rows.begin, rows.n, common_.first, tally_, all);
            return histogram;
        }
        std::vector<std::vector<Number>> others(n_workers(rows.n, block, n_threads_));
        parallel_for(rows.n, block, n_threads_, monitor_, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            if (worker > 0 && others[worker].empty())
                others[worker].resize(histograms_.size());
            tally_rows<false>(rows_, rows.half, rows.begin + begin, end - begin, common_.first, tally_,
                              worker > 0 ? others[worker].data() : all);
        });
        for (const auto& other : others)
            for (std::size_t k = 0; k < other.size(); ++k)
                all[k] += other[k];
        return histogram;
    }

    void take_off(std::int32_t histogram, RowRange rows) override {
        tally_rows<true>(rows_, rows.half, rows.begin, rows.n, common_.first, tally_, histograms_[histogram]);
    }

    void take_off(std::int32_t histogram, std::int32_t part) override {
        Number* const rest = histograms_[histogram];
        const Number* const taken = histograms_[part];
        for (std::size_t k = 0; k < histograms_.size(); ++k)
            rest[k] -= taken[k];
    }

    void release(std::int32_t histogram) override { histograms_.release(histogram); }

    std::size_t bytes() const noexcept override { return histograms_.bytes(); }

private:
    Rows& rows_;
    const BinCommon& common_;
    Tally tally_;
    std::unique_ptr<Search> search_;
    Histograms<Number> histograms_;
    std::size_t n_threads_;
    Monitor& monitor_;
    Buffer<Values::Item> items_;
    Buffer<double> weights_;
};

} // namespace margin::tree
