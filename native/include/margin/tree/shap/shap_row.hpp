#pragma once
// The SHAP values of one row in one tree, in time linear in its nodes.
//
// Of a row only the columns in S are known; at a question about another column it goes down all branches by their
// covers. A leaf then has the part  prod_{j in S} o_j  prod_{j not in S} z_j  of the row: o_j is 1 if the row takes all
// branches of column j on the way to the leaf (0 if not, a share where missing cells go down in parts), z_j is the
// product of their shares. Lundberg, Erion, Lee (2018), "Consistent individualized feature attribution for tree
// ensembles".
//
// Shapley values of such products are integrals along the diagonal (Owen 1972, "Multilinear extensions of games"):
//     phi_i  = sum_leaves v  int_0^1 (o_i - z_i)               prod_{j != i}    f_j(t) dt,    f_j(t) = z_j (1 - t) + o_j t
//     phi_ij = sum_leaves v  int_0^1 (o_i - z_i)(o_j - z_j)/2  prod_{j != i, j} f_j(t) dt
// The integrands are polynomials in t, so that as many Gauss points as half the columns on a way make them exact, and
// all terms of f are positive, so that dividing by it loses nothing. With P(t) = prod f_j(t) carried down and
// G(t) = sum_{leaves below} v P(t) carried up, a branch adds  int G (r - r_before)  to its column, r = (o - z) / f; what
// an earlier branch of the same column added is taken off again. Going once over the tree for all columns is the idea of
// Yu, Bifet, Read, Xu (2022), "Linear TreeShap".
#include "margin/core/simd.hpp"
#include "quadrature.hpp"
#include "shap_tree.hpp"
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace margin::tree {

inline constexpr std::size_t shap_lanes = 4;

/// Room for one worker: rows down one tree after another.
class ShapRow {
public:
    /// Get ready for a tree, which must outlive what follows. The same tree twice costs nothing.
    void prepare(const ShapTree& tree, bool interactions) {
        if (tree_ == &tree)
            return;
        tree_ = &tree;
        const std::size_t needed = std::max<std::size_t>((tree.most_columns + 1) / 2, 1);
        if (needed != n_points_) {
            n_points_ = needed;
            points_ = quadrature(needed, shap_lanes);
            stride_ = points_.at.size();
            cold_.resize(stride_);
            for (std::size_t q = 0; q < stride_; ++q)
                cold_[q] = -1 / points_.left[q];
        }
        const std::size_t n_frames = tree.depth + 1, n_slots = tree.columns.size();
        frames_.resize(n_frames);
        product_.resize(n_frames * stride_);
        inverse_.resize(n_frames * stride_);
        ratio_.resize(n_frames * stride_);
        moved_.resize(stride_);
        below_.resize(n_frames * tree.width * stride_);
        top_.assign(n_slots, 0);
        sums_.assign(n_slots * tree.width * shap_lanes, 0.0);
        pairs_.assign(interactions ? n_slots * n_slots * tree.width * shap_lanes : 0, 0.0);
    }

    /// taken[s] = the branch that the row takes at step s; below 0: all of them in parts.
    void run(std::span<const std::int32_t> taken) {
        switch (stride_ / shap_lanes) {
        case 1:
            return run_with<1>(taken.data());
        case 2:
            return run_with<2>(taken.data());
        case 3:
            return run_with<3>(taken.data());
        case 4:
            return run_with<4>(taken.data());
        default:
            return run_with<0>(taken.data());
        }
    }

    /// Add what was found to the values of the row, columns x width, and start anew.
    void add_values(double scale, double* to) {
        const std::size_t width = tree_->width;
        for (std::size_t s = 0; s < tree_->columns.size(); ++s)
            for (std::size_t k = 0; k < width; ++k)
                to[static_cast<std::size_t>(tree_->columns[s]) * width + k] += scale * take(sums_, s * width + k);
    }

    /// The same for pairs: columns x columns x width, both halves; the diagonal is left alone.
    void add_pairs(double scale, std::size_t n_columns, double* to) {
        const std::size_t width = tree_->width, n_slots = tree_->columns.size();
        for (std::size_t a = 0; a < n_slots; ++a)
            for (std::size_t b = 0; b < a; ++b)
                for (std::size_t k = 0; k < width; ++k) {
                    const double both =
                        take(pairs_, (a * n_slots + b) * width + k) + take(pairs_, (b * n_slots + a) * width + k);
                    const auto i = static_cast<std::size_t>(tree_->columns[a]);
                    const auto j = static_cast<std::size_t>(tree_->columns[b]);
                    to[(i * n_columns + j) * width + k] += scale * both / 2;
                    to[(j * n_columns + i) * width + k] += scale * both / 2;
                }
    }

private:
    /// The branch that leads to a node on the way down. Frame 0 is the root, and as `before` nothing.
    struct Frame {
        std::uint32_t step, before; // the earlier branch of the same column
        double with;                // o of its column
        bool cold;                  // the row goes elsewhere: r is the same for all such branches
    };

    static double take(std::vector<double>& sums, std::size_t place) {
        double* const four = sums.data() + place * shap_lanes;
        const double sum = (four[0] + four[2]) + (four[1] + four[3]);
        std::fill_n(four, shap_lanes, 0.0);
        return sum;
    }

    const double* ratio(std::size_t frame) const noexcept {
        return frames_[frame].cold ? cold_.data() : ratio_.data() + frame * stride_;
    }

    template <std::size_t blocks>
    MARGIN_SIMD_LOOK void run_with(const std::int32_t* taken) {
        const ShapTree& tree = *tree_;
        const std::size_t n_steps = tree.steps.size(), n_points = blocks > 0 ? blocks * shap_lanes : stride_;
        frames_[0] = {0, 0, 1.0, false};
        std::fill_n(product_.data(), n_points, 1.0);
        std::fill_n(below_.data(), tree.width * n_points, 0.0);
        std::size_t depth = 0; // of the frame on top
        for (std::size_t s = 1; s < n_steps;) {
            const ShapStep& step = tree.steps[s];
            for (; depth >= step.depth; --depth)
                leave(depth, n_points);
            if (!enter(step, s, taken[frames_[depth].step], n_points)) {
                s = step.end; // no part of any row comes here
                continue;
            }
            ++depth;
            ++s;
            if (step.leaf != ShapStep::inner)
                leave_leaf(depth--, tree.value.data() + step.leaf * tree.width, n_points);
            else
                std::fill_n(below_.data() + depth * tree.width * n_points, tree.width * n_points, 0.0);
        }
        for (; depth > 0; --depth)
            leave(depth, n_points);
    }

    /// One step down; false if nothing is left of the row.
    MARGIN_INLINED bool enter(const ShapStep& step, std::size_t s, std::int32_t taken, std::size_t n) noexcept {
        const std::size_t depth = step.depth;
        const std::uint32_t before = top_[step.slot];
        const double goes = taken < 0 ? step.share : taken == step.branch ? 1.0 : 0.0;
        const double with = (before ? frames_[before].with : 1.0) * goes, without = step.without;
        if (with == 0 && without == 0)
            return false;
        const bool cold = with == 0;
        frames_[depth] = {static_cast<std::uint32_t>(s), before, with, cold};
        top_[step.slot] = static_cast<std::uint32_t>(depth);
        const double* const above = product_.data() + (depth - 1) * n;
        double* const product = product_.data() + depth * n;
        const double *const at = points_.at.data(), *const left = points_.left.data();
        if (before && frames_[before].cold) {
            for (std::size_t q = 0; q < n; ++q)
                product[q] = above[q] * step.share;
            return true;
        }
        if (before) { // its own part is taken out first
            const double* const out = inverse_.data() + before * n;
            for (std::size_t q = 0; q < n; ++q)
                product[q] = above[q] * out[q] * (without * left[q] + with * at[q]);
        } else {
            for (std::size_t q = 0; q < n; ++q)
                product[q] = above[q] * (without * left[q] + with * at[q]);
        }
        if (!cold) {
            double *const inverse = inverse_.data() + depth * n, *const ratio = ratio_.data() + depth * n;
            for (std::size_t q = 0; q < n; ++q) {
                inverse[q] = 1 / (without * left[q] + with * at[q]);
                ratio[q] = (with - without) * inverse[q];
            }
        }
        return true;
    }

    /// weight (r - r_before) of a branch into `moved_`; false if it is 0.
    MARGIN_INLINED bool move(std::size_t depth, std::size_t n) noexcept {
        const Frame& frame = frames_[depth];
        const double *const weight = points_.weight.data(), *const now = ratio(depth);
        if (!frame.before) {
            for (std::size_t q = 0; q < n; ++q)
                moved_[q] = weight[q] * now[q];
            return true;
        }
        if (frames_[frame.before].cold)
            return false;
        const double* const was = ratio_.data() + frame.before * n;
        for (std::size_t q = 0; q < n; ++q)
            moved_[q] = weight[q] * (now[q] - was[q]);
        return true;
    }

    /// Back up from a node whose subtree is done.
    MARGIN_INLINED void leave(std::size_t depth, std::size_t n) noexcept {
        const std::size_t width = tree_->width;
        const double* const below = below_.data() + depth * width * n;
        double* const above = below_.data() + (depth - 1) * width * n;
        const std::size_t slot = tree_->steps[frames_[depth].step].slot;
        if (move(depth, n)) {
            for (std::size_t k = 0; k < width; ++k)
                add_dot(moved_.data(), below + k * n, 1.0, n, sums_.data() + (slot * width + k) * shap_lanes);
            if (!pairs_.empty())
                for (std::size_t k = 0; k < width; ++k)
                    add_to_pairs(depth, slot, below + k * n, 1.0, k, n);
        }
        for (std::size_t i = 0; i < width * n; ++i)
            above[i] += below[i];
        top_[slot] = frames_[depth].before;
    }

    /// Back up from a leaf: its answer is one number for all points.
    MARGIN_INLINED void leave_leaf(std::size_t depth, const double* value, std::size_t n) noexcept {
        const std::size_t width = tree_->width;
        const double* const product = product_.data() + depth * n;
        double* const above = below_.data() + (depth - 1) * width * n;
        const std::size_t slot = tree_->steps[frames_[depth].step].slot;
        const bool moves = move(depth, n);
        for (std::size_t k = 0; k < width; ++k) {
            const double says = value[k];
            if (says == 0)
                continue;
            if (moves) {
                add_dot(moved_.data(), product, says, n, sums_.data() + (slot * width + k) * shap_lanes);
                if (!pairs_.empty())
                    add_to_pairs(depth, slot, product, says, k, n);
            }
            for (std::size_t q = 0; q < n; ++q)
                above[k * n + q] += says * product[q];
        }
        top_[slot] = frames_[depth].before;
    }

    /// What a branch of one column adds to its pairs with all other columns on the way.
    MARGIN_INLINED void add_to_pairs(std::size_t depth, std::size_t slot, const double* below, double scale,
                                     std::size_t k, std::size_t n) noexcept {
        const std::size_t width = tree_->width, n_slots = tree_->columns.size();
        for (std::size_t d = 1; d < depth; ++d) {
            const std::size_t other = tree_->steps[frames_[d].step].slot;
            if (other == slot || top_[other] != d) // of several branches of a column the last
                continue;
            const double* const beside = ratio(d);
            double* const sum = pairs_.data() + ((slot * n_slots + other) * width + k) * shap_lanes;
            for (std::size_t q = 0; q < n; q += shap_lanes)
                for (std::size_t lane = 0; lane < shap_lanes; ++lane)
                    sum[lane] += moved_[q + lane] * beside[q + lane] * (scale * below[q + lane]);
        }
    }

    MARGIN_INLINED static void add_dot(const double* a, const double* b, double scale, std::size_t n,
                                       double* sum) noexcept {
        std::array<double, shap_lanes> found{};
        for (std::size_t q = 0; q < n; q += shap_lanes)
            for (std::size_t lane = 0; lane < shap_lanes; ++lane)
                found[lane] += a[q + lane] * b[q + lane];
        for (std::size_t lane = 0; lane < shap_lanes; ++lane)
            sum[lane] += scale * found[lane];
    }

    const ShapTree* tree_ = nullptr;
    std::size_t n_points_ = 0, stride_ = 0;
    Quadrature points_;
    std::vector<Frame> frames_;
    std::vector<double> cold_, product_, inverse_, ratio_, moved_, below_, sums_, pairs_;
    std::vector<std::uint32_t> top_; // the frame of each column's last branch; 0: it is not on the way
};

} // namespace margin::tree
