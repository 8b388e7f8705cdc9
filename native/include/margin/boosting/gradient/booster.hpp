#pragma once
// Rounds of boosting: gradients, a tree for each score, scores brought up to date.
#include "dropping.hpp"
#include "leaves/leaf_quantiles.hpp"
#include "leaves/linear_leaves.hpp"
#include "objective.hpp"
#include "sampling.hpp"
#include "tree_grower.hpp"
#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

namespace margin::boosting {

/// Rows that are only watched: their loss after each round.
struct WatchedRows {
    Codes codes;
    RowLists lists; // instead of codes, where rows are sparse
    ScoredRows rows;
};

/// What some rounds gave.
struct Rounds {
    KeptTrees trees;
    std::vector<double> loss, watched;   // of the training rows if asked for, and of the watched rows, after each round
    std::vector<std::int64_t> dropped;   // rounds that were left out while another was grown,
    std::vector<std::int64_t> n_dropped; // and how many of them each round left out
};

/// The rounds of one kind of rows (CoarseRows or FineRows).
template <class Rows>
class Booster {
public:
    Booster(const BinnedTable& table, const Settings& settings, Objective& objective, ScoredRows& scored)
        : table_(table), settings_(settings), objective_(objective), scored_(scored), rows_(table.n_rows),
          grower_(table, settings, phases_), sampler_(settings, table.n_rows), dropped_(settings),
          chances_(rounding_seed) {
        rows_.weight = scored.weights();
        total_ = static_cast<double>(table.n_rows);
        if (rows_.weight) {
            total_ = 0;
            for (const double w : scored.weight) {
                total_ += w;
                heaviest_ = std::max(heaviest_, w);
            }
        }
    }

    /// Take the scores away of the rounds that the next one leaves out, if that has not been done.
    void leave_out(WatchedRows* watched, Monitor& monitor) {
        if (!dropped_.asked() || is_out_)
            return;
        dropped_.draw();
        count_out(-1, watched, monitor);
        is_out_ = true;
    }

    const Phases& phases() const noexcept { return phases_; }

    /// Rounds first ... first + n - 1.
    Rounds run(std::size_t first, std::size_t n, WatchedRows* watched, bool with_loss, Monitor& monitor) {
        Rounds made;
        const std::size_t n_scores = objective_.n_scores();
        for (std::size_t round = first; round < first + n; ++round) {
            leave_out(watched, monitor);
            {
                const Timed timed(phases_, Phases::gradients, 0);
                objective_.begin_round(scored_, settings_.n_threads, monitor);
            }
            std::vector<GrownTree> grown;
            for (std::size_t k = 0; k < n_scores; ++k) {
                const std::size_t number = round * n_scores + k;
                lay_out(number, k, monitor);
                GrownTree tree = grower_.grow(rows_, sampler_.columns(number, table_.n_columns()), monitor);
                settle(tree, k, monitor);
                if (watched)
                    follow_watched(tree, *watched, k, monitor, 1);
                made.trees.add(tree, table_);
                if (dropped_.asked())
                    grown.push_back(std::move(tree));
            }
            if (dropped_.asked())
                bring_back(made, std::move(grown), watched, monitor);
            if (with_loss)
                made.loss.push_back(objective_.loss(scored_, settings_.n_threads, monitor));
            if (watched)
                made.watched.push_back(objective_.loss(watched->rows, settings_.n_threads, monitor));
            monitor.step();
        }
        return made;
    }

private:
    /// The scores of rounds that are left out, taken away; of those that are back, added.
    void count_out(double factor, WatchedRows* watched, Monitor& monitor) {
        for (const std::uint32_t round : dropped_.out())
            for (std::size_t k = 0; k < objective_.n_scores(); ++k) {
                const GrownTree& tree = dropped_.tree(round, k);
                follow_own(tree, k, monitor, factor);
                if (watched)
                    follow_watched(tree, *watched, k, monitor, factor);
            }
    }

    void bring_back(Rounds& made, std::vector<GrownTree> grown, WatchedRows* watched, Monitor& monitor) {
        count_out(dropped_.kept(), watched, monitor);
        made.dropped.insert(made.dropped.end(), dropped_.out().begin(), dropped_.out().end());
        made.n_dropped.push_back(static_cast<std::int64_t>(dropped_.out().size()));
        for (GrownTree& tree : grown)
            for (GrownNode& node : tree)
                node.groups = {};
        dropped_.end_round(std::move(grown));
        is_out_ = false;
    }

    /// Gradients on the grids, and the items of the rows that are drawn.
    void lay_out(std::size_t number, std::size_t k, Monitor& monitor) {
        const Timed timed(phases_, Phases::gradients, table_.n_rows);
        const auto [most_g, most_h] = objective_.largest(scored_, settings_.n_threads, monitor);
        const double factor = sampler_.factor();
        rows_.grid = Grid(Bounds{most_g, most_h, total_ * factor, heaviest_ * factor, table_.n_rows});
        Stream places(rounding_seed, number + 1);
        const std::size_t place = places.below(Chances::n);
        parallel_for(table_.n_rows, 4 * Objective::block, settings_.n_threads, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t) { quantise(k, begin, end, place); });
        rows_.n = table_.n_rows;
        if (sampler_.draws())
            rows_.n = sampler_.draw(number, rows_.fine.get(),
                                    [&](std::size_t to, std::size_t row) { rows_.halves[0][to] = item(row, place); });
    }

    void quantise(std::size_t k, std::size_t begin, std::size_t end, std::size_t place) noexcept {
        std::array<double, Objective::block> g, h;
        for (; begin < end; begin += Objective::block) {
            const std::size_t n = std::min(Objective::block, end - begin);
            objective_.slopes(scored_, k, begin, begin + n, g.data(), h.data());
            for (std::size_t i = 0; i < n; ++i)
                rows_.fine[begin + i] =
                    on_grid(rows_.grid, g[i], h[i], rows_.weight ? rows_.weight + begin + i : nullptr);
            for (std::size_t i = begin; i < begin + n; ++i)
                rows_.halves[0][i] = item(i, place);
        }
    }

    typename Rows::Item item(std::size_t row, std::size_t place) const noexcept {
        if constexpr (std::is_same_v<Rows, CoarseRows>)
            return {static_cast<std::uint32_t>(row),
                    on_coarse_grid(rows_.grid, rows_.fine[row], chances_.at(place + row))};
        else
            return {static_cast<std::uint32_t>(row)};
    }

    /// Values of the leaves from the gradients themselves, and the scores of the training rows.
    void settle(GrownTree& tree, std::size_t k, Monitor& monitor) {
        const Timed timed(phases_, Phases::updating, table_.n_rows);
        std::vector<std::uint32_t> leaves;
        for (std::uint32_t at = 0; at < tree.size(); ++at)
            if (tree[at].is_leaf())
                leaves.push_back(at);
        double* const scores = scored_.scores.data() + k * scored_.size();
        const bool drawn = sampler_.draws();
        if (objective_.renewed())
            take_quantiles(tree, leaves, monitor);
        parallel_for(leaves.size(), 1, settings_.n_threads, monitor, [&](std::size_t begin, std::size_t, std::size_t) {
            GrownNode& leaf = tree[leaves[begin]];
            if (!objective_.renewed())
                leaf.value = dropped_.rate() * newton_at(leaf);
        });
        if (settings_.linear)
            take_slopes(tree, leaves, monitor);
        parallel_for(leaves.size(), 1, settings_.n_threads, monitor, [&](std::size_t begin, std::size_t, std::size_t) {
            const GrownNode& leaf = tree[leaves[begin]];
            if (!drawn)
                for (const auto& item : rows_.of(leaf.rows))
                    scores[item.row] += leaf.terms.empty() ? leaf.value : leaf.says(scored_.raw, item.row);
        });
        if (drawn)
            follow_own(tree, k, monitor, 1);
    }

    /// Slopes of the leaves, in steps of the same size as what they say without them.
    void take_slopes(GrownTree& tree, const std::vector<std::uint32_t>& leaves, Monitor& monitor) const {
        constexpr std::size_t most_terms = 10;
        std::vector<std::uint32_t> parent(tree.size());
        for (std::uint32_t at = 0; at < tree.size(); ++at)
            if (!tree[at].is_leaf())
                parent[tree[at].first] = parent[tree[at].first + 1] = at;
        parallel_for(leaves.size(), 1, settings_.n_threads, monitor, [&](std::size_t begin, std::size_t, std::size_t) {
            GrownNode& leaf = tree[leaves[begin]];
            std::vector<RowSlopes> slopes;
            for (const auto& item : rows_.of(leaf.rows))
                slopes.push_back({item.row, static_cast<double>(rows_.fine[item.row].g) / rows_.grid.g,
                                  static_cast<double>(rows_.fine[item.row].h) / rows_.grid.h});
            const auto columns = asked_before(tree, parent, leaves[begin], scored_.raw.width, most_terms);
            leaf.terms = linear_terms(columns, slopes, scored_.raw, leaf.value / dropped_.rate(), settings_.l2);
            for (LinearTerm& term : leaf.terms)
                term.slope *= dropped_.rate();
        });
    }

    /// -G / (H + lambda).
    double newton_at(GrownNode& leaf) const noexcept {
        Sums sums;
        for (const auto& item : rows_.of(leaf.rows))
            sums += rows_.fine[item.row];
        leaf.sums.all = sums;
        leaf.sums.g_unit = 1 / rows_.grid.g;
        leaf.sums.h_unit = 1 / rows_.grid.h;
        const double h = leaf.sums.h(sums);
        return h + settings_.l2 > 0 ? leaf_value(leaf.sums, leaf.sums.g(sums), h, settings_.l2) : 0;
    }

    /// Quantiles of the residuals, times the learning rate.
    void take_quantiles(GrownTree& tree, const std::vector<std::uint32_t>& leaves, Monitor& monitor) const {
        std::vector<Weighted> residuals(tree.size());
        const bool bound = !settings_.monotone.empty();
        parallel_for(leaves.size(), 1, settings_.n_threads, monitor, [&](std::size_t begin, std::size_t, std::size_t) {
            GrownNode& leaf = tree[leaves[begin]];
            Weighted& here = residuals[leaves[begin]];
            for (const auto& item : rows_.of(leaf.rows))
                here.emplace_back(scored_.y[item.row] - scored_.scores[item.row],
                                  rows_.weight ? rows_.weight[item.row] : 1);
            if (!bound)
                leaf.value = weighted_quantile(here, objective_.share());
        });
        if (bound)
            bind_quantiles(tree, std::move(residuals), settings_.monotone, objective_.share());
        for (const std::uint32_t at : leaves)
            tree[at].value *= dropped_.rate();
    }

    /// The training rows, and those that are watched.
    void follow_own(const GrownTree& tree, std::size_t k, Monitor& monitor, double factor) {
        follow(tree, scored_, k, monitor, factor, [&](std::size_t i, std::uint32_t j) { return table_.code(i, j); });
    }
    void follow_watched(const GrownTree& tree, WatchedRows& watched, std::size_t k, Monitor& monitor, double factor) {
        const std::size_t d = table_.n_columns();
        if (table_.sparse())
            return follow(tree, watched.rows, k, monitor, factor,
                          [&](std::size_t i, std::uint32_t j) { return watched.lists.code(i, j); });
        watched.codes.visit([&](const auto* codes) {
            follow(tree, watched.rows, k, monitor, factor,
                   [&](std::size_t i, std::uint32_t j) { return codes[i * d + j]; });
        });
    }

    /// Rows in bins walk down a tree, and what their leaf says, times the factor, is added to their scores.
    template <class CodeOf>
    void follow(const GrownTree& tree, ScoredRows& rows, std::size_t k, Monitor& monitor, double factor,
                CodeOf&& code_of) {
        const Timed timed(phases_, Phases::updating, rows.size());
        double* const scores = rows.scores.data() + k * rows.size();
        parallel_for(rows.size(), 8192, settings_.n_threads, monitor,
                     [&](std::size_t begin, std::size_t end, std::size_t) {
                         for (std::size_t i = begin; i < end; ++i) {
                             const auto leaf = leaf_of(tree, [&](std::uint32_t j) { return code_of(i, j); });
                             scores[i] += factor * tree[leaf].says(rows.raw, i);
                         }
                     });
    }

    // The same for every model: what is drawn for rounding is no choice of anyone's, and two fits are the same model.
    static constexpr std::uint64_t rounding_seed = 0;

    const BinnedTable& table_;
    const Settings& settings_;
    Objective& objective_;
    ScoredRows& scored_;
    GradientRows<Rows> rows_;
    Phases phases_;
    TreeGrower<Rows> grower_;
    Sampler sampler_;
    DroppedRounds dropped_;
    bool is_out_ = false; // whether the scores of dropped rounds are taken away
    Chances chances_;
    double total_ = 0, heaviest_ = 1;
};

/// Up to so many rows histograms are on the fine grid.
inline constexpr std::size_t few_rows = 16384;

/// A table, its targets and the rounds over them: what a model keeps while it is fitted.
class Boosting {
public:
    Boosting(BinnedTable table, Settings settings, const std::string& loss, ScoredRows rows, std::size_t n_scores)
        : table_(std::move(table)), settings_(std::move(settings)), objective_(loss, settings_.alpha, n_scores),
          rows_(std::move(rows)) {
        if (table_.n_rows <= few_rows)
            booster_ = std::make_unique<Booster<FineRows>>(table_, settings_, objective_, rows_);
        else
            booster_ = std::make_unique<Booster<CoarseRows>>(table_, settings_, objective_, rows_);
    }
    Boosting(const Boosting&) = delete;
    Boosting& operator=(const Boosting&) = delete;

    const BinnedTable& table() const noexcept { return table_; }
    const Settings& settings() const noexcept { return settings_; }
    void watch(WatchedRows rows) { watched_ = std::make_unique<WatchedRows>(std::move(rows)); }

    /// Derivatives of the next round, worked out elsewhere: scores x rows. For the loss "given".
    void give_slopes(std::vector<double> g, std::vector<double> h) { objective_.give(std::move(g), std::move(h)); }
    /// Before derivatives are worked out elsewhere: rounds that the next one leaves out do not count.
    void leave_out(Monitor& monitor) {
        std::visit([&](auto& booster) { booster->leave_out(watched_.get(), monitor); }, booster_);
    }
    const std::vector<double>& scores() const noexcept { return rows_.scores; }
    const Phases& phases() const {
        return std::visit([](const auto& booster) -> const Phases& { return booster->phases(); }, booster_);
    }
    const std::vector<double>& watched_scores() const noexcept { return watched_ ? watched_->rows.scores : none_; }

    Rounds run(std::size_t first, std::size_t n, bool with_loss, Monitor& monitor) {
        return std::visit([&](auto& booster) { return booster->run(first, n, watched_.get(), with_loss, monitor); },
                          booster_);
    }

private:
    BinnedTable table_;
    Settings settings_;
    Objective objective_;
    ScoredRows rows_;
    std::vector<double> none_;
    std::unique_ptr<WatchedRows> watched_;
    std::variant<std::unique_ptr<Booster<FineRows>>, std::unique_ptr<Booster<CoarseRows>>> booster_;
};

} // namespace margin::boosting
