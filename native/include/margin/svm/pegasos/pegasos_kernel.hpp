#pragma once
// Sub-gradient descent on the soft margin with a kernel; pegasos_step.hpp has the rule.
//
// The score of row i needs u_i = v . x_i = sum of beta_j y_j k(j, i), which is kept for all rows. As the order of the
// visits is known beforehand, a block of them is made at once: their kernel among themselves says what each of them
// changes for those after it, and then the rows that were too close are spread over all u, as one block of kernel
// values. Everything that costs is a block of the kernel: one of B × B, and one of (rows that were too close) × n.
#include "kept_rows.hpp"
#include "step.hpp"

namespace margin::svm {

/// Sums of kernels of each score, and how often each row was too close.
struct KernelWeights {
    std::size_t n_rows = 0;
    double* u = nullptr;         // n_scores × 2 × n_rows: over rows of the other classes, then over those of the class
    double* sums = nullptr;      // the same; null where nothing is averaged
    double* beta = nullptr;      // n_scores × n_rows
    double* beta_sums = nullptr; // the same; null where nothing is averaged
};

namespace detail {

/// u += by k, and the same for what averages know of it.
template <class T>
MARGIN_SIMD_LOOK void spread_row(const T* row, std::size_t begin, std::size_t end, double by, double* u, double late,
                                 double* sums) {
    for (std::size_t i = begin; i < end; ++i)
        u[i] += by * static_cast<double>(row[i]);
    if (sums && late != 0)
        for (std::size_t i = begin; i < end; ++i)
            sums[i] += late * static_cast<double>(row[i]);
}

/// One pass, block by block.
template <class T>
class KernelSteps {
public:
    KernelSteps(KeptRows<T>& rows, const PegasosPass& pass, PegasosScores& scores, const KernelWeights& weights,
                std::size_t n_threads, Monitor& monitor)
        : rows_(rows), pass_(pass), scores_(scores), weights_(weights), n_threads_(n_threads), monitor_(monitor),
          place_(weights.n_rows, nowhere), squares_(scores.n) {}

    /// Visits [first, last), whole batches.
    void block(std::size_t first, std::size_t last) {
        const std::size_t n = weights_.n_rows, size = last - first;
        at_.resize(size);
        for (std::size_t r = 0; r < size; ++r)
            at_[r] = static_cast<std::uint32_t>(pass_.visits[first + r]);
        local_.resize(scores_.n * size);
        for (std::size_t k = 0; k < scores_.n; ++k) {
            const double* u = weights_.u + 2 * k * n;
            for (std::size_t r = 0; r < size; ++r)
                local_[k * size + r] = u[n + at_[r]] - u[at_[r]];
        }
        many_ = size > pass_.batch; // otherwise no step stands on another of the block
        if (many_) {
            among_.resize(size * size);
            rows_.source().block(at_, at_, among_.data(), size, n_threads_, monitor_);
        }
        for (std::size_t begin = 0; begin < size; begin += pass_.batch) {
            step(begin, std::min(begin + pass_.batch, size));
            scores_.t += 1;
        }
        spread();
        finish();
    }

    /// |v|^2 of each score, where it is needed.
    void measure() {
        if (!pass_.squares)
            return;
        const std::size_t n = weights_.n_rows;
        for (std::size_t k = 0; k < scores_.n; ++k) {
            squares_[k] = 0;
            const double *u = weights_.u + 2 * k * n, *beta = weights_.beta + k * n;
            for (std::size_t i = 0; i < n; ++i)
                squares_[k] += scores_.sign(pass_.y[i], k) * beta[i] * (u[n + i] - u[i]);
        }
    }

private:
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

    void step(std::size_t begin, std::size_t end) {
        const std::size_t size = at_.size();
        for (std::size_t k = 0; k < scores_.n; ++k) {
            const double scale = begin_step(pass_, scores_, k);
            const double* local = local_.data() + k * size;
            close_.clear();
            for (std::size_t r = begin; r < end; ++r)
                if (scores_.sign(pass_.y[at_[r]], k) * (scale * local[r] + scores_.b[k]) < 1)
                    close_.push_back(r);
            if (pass_.eta > 0)
                scores_.contraction[k] *= 1 - pass_.eta * pass_.lambda;
            const double factor = addend(pass_, scores_, k, end - begin), by = move(pass_, scores_.t, end - begin);
            for (const std::size_t r : close_)
                add(r, k, factor, by);
            if (pass_.squares && many_)
                project(pass_, scores_, k, squares_[k]);
        }
    }

    /// Row r of the block was too close to the plane of score k.
    void add(std::size_t r, std::size_t k, double factor, double by) {
        const std::size_t i = at_[r], size = at_.size();
        const double sign = scores_.sign(pass_.y[i], k), weight = pass_.weight ? pass_.weight[i] : 1;
        factor *= weight;
        if (pass_.intercept)
            scores_.b[k] += by * sign * weight;
        weights_.beta[k * weights_.n_rows + i] += factor;
        if (weights_.beta_sums)
            weights_.beta_sums[k * weights_.n_rows + i] -= scores_.sigma[k] * factor;
        if (place_[i] == nowhere) {
            place_[i] = static_cast<std::uint32_t>(spread_.size());
            spread_.push_back(static_cast<std::uint32_t>(i));
            added_.resize(added_.size() + 2 * scores_.n);
        }
        double* added = added_.data() + 2 * scores_.n * place_[i] + 2 * k;
        added[0] += factor;
        added[1] -= scores_.sigma[k] * factor;
        if (!many_)
            return;
        double* local = local_.data() + k * size;
        if (pass_.squares)
            squares_[k] += 2 * sign * factor * local[r] + factor * factor * pass_.squares[i];
        for (std::size_t later = r; later < size; ++later)
            local[later] += sign * factor * static_cast<double>(among_[r * size + later]);
    }

    /// What the rows of the block that were too close mean for all rows.
    void spread() {
        constexpr std::size_t grain = 4096;
        const std::size_t n = weights_.n_rows, at_once = rows_.at_once();
        for (std::size_t first = 0; first < spread_.size(); first += at_once) {
            const auto part = std::span(spread_).subspan(first, std::min(at_once, spread_.size() - first));
            const auto values = rows_.rows(part, n_threads_, monitor_);
            parallel_for(n, grain, n_threads_, monitor_, [&](std::size_t begin, std::size_t end, std::size_t) {
                for (std::size_t v = 0; v < part.size(); ++v)
                    for (std::size_t k = 0; k < scores_.n; ++k)
                        if (const double* added = added_.data() + 2 * (scores_.n * (first + v) + k); added[0] != 0) {
                            const std::size_t side = (2 * k + (scores_.sign(pass_.y[part[v]], k) > 0)) * n;
                            spread_row(values[v], begin, end, added[0], weights_.u + side, added[1],
                                       weights_.sums ? weights_.sums + side : nullptr);
                        }
            });
        }
        for (const std::uint32_t row : spread_)
            place_[row] = nowhere;
        spread_.clear();
        added_.clear();
    }

    /// The projection after a step of one large batch, and units of their own for what has become small.
    void finish() {
        if (pass_.squares && !many_) {
            measure();
            scores_.t -= 1;
            for (std::size_t k = 0; k < scores_.n; ++k)
                project(pass_, scores_, k, squares_[k]);
            scores_.t += 1;
        }
        const std::size_t n = weights_.n_rows;
        for (std::size_t k = 0; k < scores_.n; ++k)
            if (scores_.contraction[k] < smallest_contraction) {
                fold(scores_, k, weights_.u + 2 * k * n, weights_.sums ? weights_.sums + 2 * k * n : nullptr, 2 * n);
                fold(scores_, k, weights_.beta + k * n, weights_.beta_sums ? weights_.beta_sums + k * n : nullptr, n);
                squares_[k] *= scores_.contraction[k] * scores_.contraction[k];
                scores_.contraction[k] = 1;
                scores_.sigma[k] = 0;
            }
    }

    KeptRows<T>& rows_;
    const PegasosPass& pass_;
    PegasosScores& scores_;
    const KernelWeights& weights_;
    std::size_t n_threads_;
    Monitor& monitor_;
    bool many_ = true;
    std::vector<std::uint32_t> at_, place_, spread_;
    std::vector<std::size_t> close_;
    std::vector<double> local_, added_, squares_;
    std::vector<T> among_;
};

} // namespace detail

/// Visits that are made at once, where steps are of fewer rows.
constexpr std::size_t visits_per_block = 128;

/// One pass over the visits, which changes scores and weights; the result does not depend on blocks, nor on the number
/// of threads. Requires y[i] below 2 (one score) or the number of scores, batch >= 1, and eta lambda < 1.
/// O(visits × block) kernel values, and n for each row that is too close and not kept.
template <class T>
void kernel_pass(KeptRows<T>& rows, const PegasosPass& pass, PegasosScores& scores, const KernelWeights& weights,
                 std::size_t n_threads, Monitor& monitor) {
    detail::KernelSteps<T> steps(rows, pass, scores, weights, n_threads, monitor);
    steps.measure();
    const std::size_t size = std::max(pass.batch, visits_per_block / pass.batch * pass.batch);
    for (std::size_t first = 0; first < pass.visits.n; first += size) {
        monitor.check();
        steps.block(first, std::min(first + size, pass.visits.n));
    }
}

} // namespace margin::svm
