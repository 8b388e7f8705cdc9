#pragma once
// DART: each round is grown as if some rounds before it were not there, and shares what it finds with these, so that
// late trees do not mend trifles alone. Rashmi, Gilad-Bachrach (2015), "DART: dropouts meet multiple additive
// regression trees".
#include "grown_tree.hpp"
#include "margin/core/random.hpp"
#include "settings.hpp"
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace margin::boosting {

/// The trees of all rounds as they count now, and the rounds that the present one leaves out.
class DroppedRounds {
public:
    explicit DroppedRounds(const Settings& settings) : settings_(settings) {}

    bool asked() const noexcept { return settings_.drop_share > 0; }
    std::size_t n_rounds() const noexcept { return trees_.size(); }

    /// Draw the rounds to leave out, each by the same chance, one at least where there is any. Ascending.
    void draw() {
        Stream stream(settings_.seed ^ drop_stream, n_rounds());
        out_.clear();
        for (std::uint32_t round = 0; round < n_rounds(); ++round)
            if (stream.uniform01() < settings_.drop_share)
                out_.push_back(round);
        if (out_.empty() && n_rounds() > 0)
            out_.push_back(static_cast<std::uint32_t>(stream.below(n_rounds())));
    }
    const std::vector<std::uint32_t>& out() const noexcept { return out_; }

    /// What leaves of the new round are multiplied by: eta / (k + eta) after k rounds were left out.
    double rate() const noexcept {
        const double eta = settings_.learning_rate, k = static_cast<double>(out_.size());
        return out_.empty() ? eta : eta / (k + eta);
    }
    /// What a round that was left out is multiplied by once it is back: k / (k + eta). Both together say what the rounds
    /// left out had said if the new one finds the same.
    double kept() const noexcept {
        const double k = static_cast<double>(out_.size());
        return k / (k + settings_.learning_rate);
    }

    const GrownTree& tree(std::size_t round, std::size_t score) const noexcept { return trees_[round][score]; }

    /// The rounds are back, for less; the new one comes after them.
    void end_round(std::vector<GrownTree> trees) {
        for (const std::uint32_t round : out_)
            for (GrownTree& tree : trees_[round])
                for (GrownNode& node : tree)
                    node.value *= kept();
        trees_.push_back(std::move(trees));
        out_.clear();
    }

private:
    static constexpr std::uint64_t drop_stream = 0x64726f70;

    const Settings& settings_;
    std::vector<std::vector<GrownTree>> trees_; // of each round one for each score
    std::vector<std::uint32_t> out_;
};

} // namespace margin::boosting
