#pragma once
// A sieve that lets every row within a limit of the query through, and few others, thirty-two at a time.
#include "mixed_index.hpp"

namespace margin::neighbors {

// A limit is an allowance: a row is within the limit if what its columns cost comes to no more. Allowance and costs
// are counted in whole units, the allowance rounded up and the costs down, so that a row that runs out of allowance is
// surely beyond the limit. A row or box starts with the allowance and is left with 0 as soon as it has run out.
using left_t = std::uint16_t;

/// A column of numbers that the query has a cell for. s steps apart cost gain * (s * s, or 256 s where terms are not squared) / 2^16.
struct NumberCost {
    std::uint32_t column;
    coarse_t query;
    bool misses;
    left_t gain, missing;
};

/// A column of categories that the query has a cell for, or one that fills up a run and never differs.
struct NominalCost {
    std::uint32_t column;
    coarse_t query, counts; // 255 for a column that counts, else 0
    set_t bit;
};

/// Columns of categories of one weight, costs[begin … end), filled up to a multiple of four. The counts are capped so that products stay below 2^16.
struct NominalRun {
    std::size_t begin, end;
    double weight;
    bool misses;
    left_t different, missing;
    coarse_t most_different, most_missing;
};

MARGIN_INLINED left_t spent(left_t left, left_t cost) {
    return static_cast<left_t>((left > cost ? left : cost) - cost);
}

/// Bit l tells whether lane l has anything left.
MARGIN_INLINED std::uint32_t lanes_left(const left_t* left) {
    std::uint32_t mask = 0;
    for (std::size_t l = 0; l < lanes; ++l)
        mask |= static_cast<std::uint32_t>(left[l] != 0) << l;
    return mask;
}

/// A loop of its own: GCC would otherwise join the loops over lanes of several columns, and give up on the lanes.
MARGIN_INLINED void spend(const left_t (&costs)[lanes], left_t* __restrict left) {
    for (std::size_t l = 0; l < lanes; ++l)
        left[l] = spent(left[l], costs[l]);
}

/// The cost of coarse steps apart, one of them given away because cells lie anywhere in their steps.
template <class M>
MARGIN_INLINED left_t cost_of_steps(coarse_t apart, left_t gain) {
    const auto sure = static_cast<coarse_t>((apart > 1 ? apart : 1) - 1);
    const auto term = static_cast<left_t>(M::squared ? sure * sure : sure << 8);
    return static_cast<left_t>((static_cast<std::uint32_t>(term) * gain) >> 16);
}

template <class M>
class Sieve {
public:
    explicit Sieve(const MixedIndex& index) : index_(index) {
        for (std::size_t j = 0; j < index.nominal.size(); ++j)
            by_weight_.push_back(static_cast<std::uint32_t>(j));
        std::stable_sort(by_weight_.begin(), by_weight_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return index.nominal[a].weight < index.nominal[b].weight;
        });
    }

    /// The columns that count for this query; to be followed by a limit. False if there are none.
    bool take(MixedRow query) {
        numbers_.clear(), nominals_.clear(), runs_.clear();
        present_ = missing_ = 0;
        for (std::size_t j = 0; j < index_.numeric.size(); ++j) {
            const NumberColumn& column = index_.numeric[j];
            if (counts(!std::isnan(query.numbers[j]), column.weight))
                numbers_.push_back(
                    {static_cast<std::uint32_t>(j), coarse(column, query.numbers[j]), column.misses != 0, 0, 0});
        }
        for (const std::uint32_t j : by_weight_) {
            const NominalColumn& column = index_.nominal[j];
            if (!counts(query.codes[j] >= 0, column.weight))
                continue;
            if (runs_.empty() || runs_.back().weight != column.weight || nominals_.size() - runs_.back().begin == 252)
                begin_run(column.weight);
            const coarse_t cell = coarse(query.codes[j]);
            nominals_.push_back({j, cell, 255, bit_of(cell)});
            runs_.back().misses |= column.misses != 0;
        }
        end_run();
        return present_ > 0;
    }

    /// From now on nothing passes that is surely beyond the limit. An infinite one lets everything pass; what is left
    /// then still tells near from far.
    void set_limit(double limit) {
        limit_ = limit;
        const bool open = !(limit < std::numeric_limits<double>::infinity());
        const double generous = limit * (1 + 1e-9); // rounding, in distances and in coarse steps, is far below this
        const double allowed = open ? present_ : M::allowance(generous, present_, missing_);
        const double units = units_for(allowed);
        start_ = allowed * units < 65534 && !open ? static_cast<left_t>(allowed * units + 1) : 65535;
        const auto cost_of_missing = [&](double weight) {
            return whole((open ? weight : M::cost_of_missing(limit, weight)) * units);
        };
        for (NumberCost& cost : numbers_) {
            const NumberColumn& column = index_.numeric[cost.column];
            cost.gain = whole(gain_of(column) * units);
            cost.missing = cost_of_missing(column.weight);
        }
        for (NominalRun& run : runs_) {
            run.different = whole(run.weight * units);
            run.missing = cost_of_missing(run.weight);
            run.most_different = most_times(run.different);
            run.most_missing = most_times(run.missing);
        }
    }

    double limit() const { return limit_; }

    /// The rows of a block that have anything left, a bit for each.
    MARGIN_SIMD std::uint32_t sift_rows(std::size_t block) const {
        left_t left[lanes];
        const std::size_t p = index_.numeric.size(), width = p + index_.nominal.size();
        const coarse_t* __restrict cells = index_.cells + block * width * lanes;
        for (std::size_t l = 0; l < lanes; ++l)
            left[l] = start_;
        for (const NominalRun& run : runs_)
            sift_run(run, cells + p * lanes, left);
        if (lanes_left(left) == 0)
            return 0;
        for (const NumberCost& cost : numbers_) {
            const coarse_t* __restrict cell = cells + cost.column * lanes;
            const coarse_t query = cost.query;
            const left_t gain = cost.gain, missing = cost.missing;
            if (cost.misses)
                for (std::size_t l = 0; l < lanes; ++l) {
                    const auto apart = static_cast<coarse_t>(std::max(cell[l], query) - std::min(cell[l], query));
                    left[l] = spent(left[l], cell[l] == missing_cell ? missing : cost_of_steps<M>(apart, gain));
                }
            else
                for (std::size_t l = 0; l < lanes; ++l) {
                    const auto apart = static_cast<coarse_t>(std::max(cell[l], query) - std::min(cell[l], query));
                    left[l] = spent(left[l], cost_of_steps<M>(apart, gain));
                }
        }
        return lanes_left(left);
    }

    /// What the best conceivable row of each box of a group is left with; those with anything left, a bit for each.
    MARGIN_SIMD std::uint32_t sift_boxes(const Boxes& boxes, std::size_t group, left_t* __restrict left) const {
        const set_t* __restrict sets = boxes.sets + group * index_.nominal.size() * lanes;
        const coarse_t* __restrict edges = boxes.edges + group * index_.numeric.size() * 3 * lanes;
        left_t costs[lanes];
        for (std::size_t l = 0; l < lanes; ++l)
            left[l] = start_;
        for (const NominalRun& run : runs_)
            for (std::size_t i = run.begin; i < run.end; ++i) {
                const set_t* __restrict set = sets + nominals_[i].column * lanes;
                const set_t bit = nominals_[i].bit;
                const left_t different = run.different;
                const auto saved = static_cast<left_t>(different - std::min(different, run.missing));
                for (std::size_t l = 0; l < lanes; ++l) {
                    const auto cost = static_cast<left_t>(different - (set[l] >> set_bits) * saved);
                    costs[l] = (set[l] & bit) != 0 ? left_t{0} : cost;
                }
                spend(costs, left);
            }
        for (const NumberCost& cost : numbers_) {
            const coarse_t* __restrict edge = edges + cost.column * 3 * lanes;
            const coarse_t query = cost.query;
            const left_t gain = cost.gain, missing = cost.missing;
            for (std::size_t l = 0; l < lanes; ++l) {
                const auto under = static_cast<coarse_t>(std::max(edge[l], query) - query);
                const auto over = static_cast<coarse_t>(std::max(query, edge[l + lanes]) - edge[l + lanes]);
                const left_t most = edge[l + 2 * lanes] == missing_cell ? missing : left_t{65535};
                costs[l] = std::min(cost_of_steps<M>(std::max(under, over), gain), most);
            }
            spend(costs, left);
        }
        return lanes_left(left);
    }

private:
    static constexpr double ample = 30000; // units in an allowance

    bool counts(bool has_cell, double weight) {
        (has_cell ? present_ : missing_) += weight;
        return has_cell;
    }

    void begin_run(double weight) {
        end_run();
        runs_.push_back({nominals_.size(), 0, weight, false, 0, 0, 0, 0});
    }

    void end_run() {
        while (nominals_.size() % 4 != 0)
            nominals_.push_back({nominals_.back().column, 0, 0, 0xFFFF});
        if (!runs_.empty())
            runs_.back().end = nominals_.size();
    }

    /// The gain per unit: so that last_step steps cost what they are worth, weight * term(reach).
    static double gain_of(const NumberColumn& column) {
        const double full = M::squared ? last_step * last_step : last_step << 8;
        return column.weight * M::term(column.reach) * 65536 / full;
    }

    /// As many units as can be told apart: an ample allowance, and gains below 2^16.
    double units_for(double allowed) const {
        double units = ample / std::max(allowed, 1e-9 * present_);
        for (const NumberCost& cost : numbers_)
            units = std::min(units, 65535 / gain_of(index_.numeric[cost.column]));
        return units;
    }

    static left_t whole(double cost) { return cost < 65535 ? static_cast<left_t>(cost) : 65535; }
    static coarse_t most_times(left_t cost) {
        return static_cast<coarse_t>(cost == 0 ? 255 : std::min(255, 65535 / cost));
    }

    MARGIN_INLINED void sift_run(const NominalRun& run, const coarse_t* __restrict cells,
                                 left_t* __restrict left) const {
        coarse_t different[lanes] = {}, missing[lanes] = {};
        const bool tell_missing = !M::missing_as_far && run.misses;
        for (std::size_t i = run.begin; i < run.end; i += 4) {
            // Four at a time: with one, GCC joins the columns in another way and gives up on the lanes.
            const NominalCost c0 = nominals_[i], c1 = nominals_[i + 1], c2 = nominals_[i + 2], c3 = nominals_[i + 3];
            const coarse_t* __restrict cell0 = cells + c0.column * lanes;
            const coarse_t* __restrict cell1 = cells + c1.column * lanes;
            const coarse_t* __restrict cell2 = cells + c2.column * lanes;
            const coarse_t* __restrict cell3 = cells + c3.column * lanes;
            for (std::size_t l = 0; l < lanes; ++l)
                different[l] = static_cast<coarse_t>(different[l] + (((cell0[l] ^ c0.query) & c0.counts) != 0) +
                                                     (((cell1[l] ^ c1.query) & c1.counts) != 0) +
                                                     (((cell2[l] ^ c2.query) & c2.counts) != 0) +
                                                     (((cell3[l] ^ c3.query) & c3.counts) != 0));
            if (tell_missing)
                for (std::size_t l = 0; l < lanes; ++l)
                    missing[l] = static_cast<coarse_t>(missing[l] + ((cell0[l] & c0.counts) == missing_cell) +
                                                       ((cell1[l] & c1.counts) == missing_cell) +
                                                       ((cell2[l] & c2.counts) == missing_cell) +
                                                       ((cell3[l] & c3.counts) == missing_cell));
        }
        for (std::size_t l = 0; l < lanes; ++l) {
            const auto times = static_cast<coarse_t>(different[l] - missing[l]);
            left[l] = spent(left[l], static_cast<left_t>(std::min(times, run.most_different) * run.different));
        }
        if (tell_missing)
            for (std::size_t l = 0; l < lanes; ++l)
                left[l] = spent(left[l], static_cast<left_t>(std::min(missing[l], run.most_missing) * run.missing));
    }

    const MixedIndex& index_;
    std::vector<std::uint32_t> by_weight_;
    std::vector<NumberCost> numbers_;
    std::vector<NominalCost> nominals_;
    std::vector<NominalRun> runs_;
    double present_ = 0, missing_ = 0, limit_ = 0;
    left_t start_ = 0;
};

} // namespace margin::neighbors
