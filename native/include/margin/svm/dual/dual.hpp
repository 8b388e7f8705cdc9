#pragma once
// The duals of support vector machines:
//     minimise D(b) = 1/2 sum_ij b_i b_j k(i, j) - sum_i p_i b_i + tube sum_i |b_i|,
//     lower_i <= b_i <= upper_i,  sum_i b_i as it is at the start.
// Of two classes, with signs s_i = +1 or -1 and b_i = s_i a_i, p_i is s_i, and the sum 0; of regression p_i is the target
// and the tube how far from it nothing is lost; of one class p is 0 and the sum what nu makes it. Classes with nu keep
// the sum of each class.
//
// Rounds of sequential minimal optimisation, each on a working set whose kernel values have room in the cache. The first
// set is a sample; it gives a machine that is good enough to tell most rows that will not matter from those that may.
// Every further set holds the rows that are free, violate the conditions of optimality, or nearly do. After a round the
// residuals of all other rows are brought up to date by block products, so that what stops the solver is true for all.
#include "free_step.hpp"
#include "residuals.hpp"
#include "row_cache.hpp"
#include "working_set.hpp"

namespace margin::svm {

struct DualSettings {
    double tol = 1e-3;                  // largest violation of the conditions of optimality that is left, in units
    double gap_tol = infinity;          // largest relative duality gap that is left
    std::size_t max_steps = 10'000'000; // pairs of variables that are changed
    std::size_t cache_bytes = 200 << 20;
    std::size_t n_threads = 0;
};

struct DualSolution {
    std::vector<double> b;
    std::vector<double> residual; // e_i = p_i - sum_j b_j k(i, j)
    Sides<double> bias = {};      // f(x) = sum_j b_j k(j, x) + bias; the same twice, unless sums are kept apart
    double objective = 0;         // D
    double violation = 0;         // largest violation left
    double primal = 0;            // as objectives() has it
    double gap = 0;               // (primal + objective) / |primal|
    std::size_t steps = 0;
    bool unbounded = false; // no end of D in sight, with infinite c: the rows cannot be separated
};

/// One run of the solver. `diagonal` holds k(i, i) for all rows of the source.
template <class T>
class DualSolver {
public:
    DualSolver(const Source<T>& source, std::span<const T> diagonal, const DualProblem& problem,
               const DualSettings& settings, RowMemory<T>& memory, Monitor& monitor)
        : source_(source), diagonal_(diagonal), problem_(problem), settings_(settings), memory_(memory),
          monitor_(monitor), state_(problem), most_(most_members(settings.cache_bytes)), unit_(problem.unit),
          hard_(any_infinite(problem.upper) || any_infinite(problem.lower)) {}

    DualSolution run() {
        start();
        for (double tol = settings_.tol * unit_, target = first_target(tol); !members_.empty();) {
            const double inside = round(target);
            if (long_ && steps_ < settings_.max_steps && !unbounded_)
                step_with_free();
            worst_ = extremes(state_);
            const double left = violation(worst_);
            // Without any violation nothing can move, however large rounding makes the gap.
            const bool exhausted = steps_ >= settings_.max_steps || unbounded_ || stuck_ || !(left > 0);
            if (exhausted || (left <= tol && (settings_.gap_tol == infinity || gap() <= settings_.gap_tol)))
                break;
            if (left <= tol)
                tol = left / 4; // the gap is what is still too large
            // Where little is wrong, or nothing outside of the working set, the next set is likely to be the last.
            target = left <= std::max(inside, little * unit_) ? share_of_tol * tol
                                                              : std::max(tol, share_of_violation * left);
            choose();
        }
        return finish();
    }

private:
    // Measured on RBF kernels of 5,000 and 20,000 rows: half or twice these make no great difference.
    static constexpr double share_of_violation = 0.05;  // of what is left, which a round leaves in its working set
    static constexpr double share_of_tol = 0.5;         // what the last round aims at: rows outside have room to move
    static constexpr double little = 2;                 // in units: a violation that few rows have
    static constexpr double reach = 0.2;                // as next_set has it, in units; the margin is 1
    static constexpr std::size_t sample = 8;            // one row in so many is in the first set
    static constexpr std::size_t small = 1000;          // up to so many rows are one working set
    static constexpr std::uint32_t nobody = UINT32_MAX; // in a place that only fills up a chunk
    static constexpr std::size_t long_walk = 10'000;    // steps in pairs before all free ones are moved at once

    static std::size_t most_members(std::size_t bytes) {
        const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes / sizeof(T))));
        return std::max(side / chunk * chunk, chunk);
    }

    static bool any_infinite(std::span<const double> bounds) {
        return std::any_of(bounds.begin(), bounds.end(), [](double c) { return std::isinf(c); });
    }

    /// With infinite c, whether there can be no machine without loss. By duality |w|^2 >= (sum a)^2 / a'Qa for any a: a
    /// margin below a millionth of the size of the data is taken for none.
    bool has_no_end() const {
        double largest = 0;
        for (const auto row : problem_.rows)
            largest = std::max(largest, std::abs(static_cast<double>(diagonal_[row])));
        const auto [square, sum] = square_and_sum(state_);
        return sum > 0 && sum * sum * largest >= (sizeof(T) == 4 ? 1e6 : 1e12) * square;
    }

    void start() {
        std::size_t taking_part = 0;
        for (std::size_t i = 0; i < state_.size(); ++i)
            taking_part += state_.takes_part(i);
        state_.b = feasible(problem_);
        state_.b.resize(state_.size());
        const bool warm = std::any_of(state_.b.begin(), state_.b.end(), [](double b) { return b != 0; });
        if (warm) {
            std::vector<double> before(state_.size());
            std::swap(before, state_.b);
            members_.clear();
            change(before);
        }
        worst_ = extremes(state_);
        if (unit_ == 0) {
            for (const double e : state_.e)
                unit_ = std::max(unit_, std::abs(e));
            unit_ = unit_ > 0 ? unit_ : 1;
        }
        if (taking_part <= std::min(small, most_))
            members_ = first_set(state_, std::max<std::size_t>(taking_part, 1));
        else if (warm)
            choose();
        else
            members_ = first_set(state_, std::min(most_, std::max(taking_part / sample, small / 2)));
    }

    void choose() {
        Sides<double> bias = {};
        for (std::size_t side = 0; side < state_.n_sides(); ++side) {
            const auto [low, high] = std::minmax(worst_[side].low, worst_[side].high);
            bias[side] = std::clamp(least_loss_bias(state_, side), low, high);
        }
        members_ = next_set(state_, worst_, bias, reach * unit_, most_);
    }

    double first_target(double tol) const {
        return members_.size() < state_.size() ? std::max(tol, 2 * share_of_violation * unit_) : share_of_tol * tol;
    }

    double gap() const { return objectives(state_, biases_of(state_, worst_), unit_).gap(); }

    /// Solve for the members, bring all residuals up to date; the violation that is left among the members.
    double round(double tol) {
        const std::vector<std::uint32_t> at = in_sides();
        std::vector<std::uint32_t> rows(at.size());
        Variables<T> v(at.size());
        v.tube = state_.tube;
        v.split = split_ > 0 ? split_ : v.split;
        for (std::size_t m = 0; m < at.size(); ++m) {
            rows[m] = problem_.rows[at[m] == nobody ? members_.front() : at[m]];
            v.diagonal[m] = diagonal_[rows[m]];
            if (at[m] == nobody)
                continue;
            v.b[m] = state_.b[at[m]];
            v.lower[m] = state_.lower[at[m]];
            v.upper[m] = state_.upper[at[m]];
            v.set_residual(m, state_.e[at[m]]);
        }
        RowCache<T> cache(source_, rows, v, memory_, settings_.n_threads, monitor_);
        const std::size_t most = std::min(settings_.max_steps - steps_, std::max(walk_, 4 * members_.size()));
        const Walk walk = smo(v, cache, tol, most, monitor_);
        steps_ += walk.steps;
        long_ = walk.steps == most;
        stuck_ = walk.steps == 0 && walk.violation > tol;
        std::vector<double> b = state_.b;
        for (std::size_t m = 0; m < at.size(); ++m)
            if (at[m] != nobody) {
                b[at[m]] = v.b[m];
                state_.e[at[m]] = v.residual(m);
            }
        change(b);
        unbounded_ = hard_ && has_no_end();
        return walk.violation;
    }

    /// The members, and those of the second side from a whole chunk on, with nobody in between.
    std::vector<std::uint32_t> in_sides() {
        split_ = 0;
        if (state_.n_sides() == 1)
            return members_;
        std::vector<std::uint32_t> at;
        for (const auto i : members_)
            if (state_.side(i) == 0)
                at.push_back(i);
        at.resize(whole_chunks(at.size()), nobody);
        split_ = at.size();
        for (const auto i : members_)
            if (state_.side(i) == 1)
                at.push_back(i);
        return at;
    }

    /// Move to b, and all but the members' residuals with it.
    void change(const std::vector<double>& b) {
        std::vector<std::uint32_t> changed, places, targets;
        std::vector<double> by;
        for (std::uint32_t i = 0, m = 0; i < state_.size(); ++i) {
            if (b[i] != state_.b[i]) {
                changed.push_back(problem_.rows[i]);
                by.push_back(b[i] - state_.b[i]);
            }
            if (m < members_.size() && members_[m] == i)
                ++m;
            else
                places.push_back(i), targets.push_back(problem_.rows[i]);
        }
        subtract_products(source_, changed, by, targets, places, state_.e, settings_.n_threads, monitor_);
        state_.b = b;
    }

    /// With many free variables it costs as much as many steps in pairs: where it gained less than they did, they go on
    /// for longer next time.
    void step_with_free() {
        members_.clear();
        const double walked = objective();
        const auto groups = free_groups(state_);
        for (const auto& group : groups)
            change(free_step(source_, problem_.rows, state_, group, monitor_));
        const double stepped = objective();
        const bool few =
            std::all_of(groups.begin(), groups.end(), [](const auto& g) { return g.size() <= free_group; }) &&
            groups.size() == state_.n_sides();
        walk_ = !few && walked - stepped < before_ - walked ? std::min(2 * walk_, 8 * long_walk) : long_walk;
        before_ = stepped;
        ++steps_;
    }

    double objective() const {
        const auto [square, sum] = square_and_sum(state_);
        return 0.5 * square - sum;
    }

    DualSolution finish() {
        DualSolution found;
        found.bias = biases_of(state_, worst_);
        const Objectives reached = objectives(state_, found.bias, unit_);
        found.objective = -reached.dual;
        found.primal = reached.primal;
        found.gap = reached.gap();
        found.violation = violation(worst_);
        found.steps = steps_;
        found.unbounded = unbounded_;
        found.b = std::move(state_.b);
        found.residual = std::move(state_.e);
        return found;
    }

    const Source<T>& source_;
    std::span<const T> diagonal_;
    const DualProblem problem_;
    const DualSettings settings_;
    RowMemory<T>& memory_;
    Monitor& monitor_;
    DualState state_;
    std::size_t most_, steps_ = 0, walk_ = long_walk, split_ = 0;
    double unit_;
    double before_ = 0; // the objective at the end of the last step with all free variables
    bool hard_, unbounded_ = false, stuck_ = false, long_ = false;
    Sides<Extremes> worst_;
    std::vector<std::uint32_t> members_; // the working set, in ascending order
};

/// The solutions of several problems over the same rows, in their order.
///
/// Large problems come one after another with all threads; small ones, of which there are many with many classes, side
/// by side with a thread each and an eighth of the cache. The same bits for any number of threads.
template <class T>
std::vector<DualSolution> solve_all(const Source<T>& source, std::span<const DualProblem> problems,
                                    DualSettings settings, Monitor& monitor) {
    constexpr std::size_t side_by_side = 8, large = 8192;
    std::vector<T> diagonal(source.size());
    source.diagonal(diagonal.data());
    std::vector<DualSolution> found(problems.size());
    std::vector<std::size_t> order(problems.size());
    for (std::size_t p = 0; p < order.size(); ++p)
        order[p] = p;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return problems[a].rows.size() > problems[b].rows.size(); });
    const auto solve_one = [&](std::size_t p, const DualSettings& with, RowMemory<T>& memory) {
        found[p] = DualSolver<T>(source, diagonal, problems[p], with, memory, monitor).run();
        monitor.step();
    };
    monitor.expect(problems.size());
    std::size_t n_large = 0;
    RowMemory<T> memory;
    for (; n_large < order.size(); ++n_large) {
        if (problems.size() > 1 && problems[order[n_large]].rows.size() <= large)
            break;
        solve_one(order[n_large], settings, memory);
    }
    memory = {};
    settings.cache_bytes /= std::min(side_by_side, std::max<std::size_t>(problems.size(), 1));
    settings.n_threads = std::min(side_by_side, settings.n_threads == 0 ? threads() : settings.n_threads);
    const std::size_t n_small = order.size() - n_large;
    std::vector<RowMemory<T>> memories(n_workers(n_small, 1, settings.n_threads));
    parallel_for(n_small, 1, settings.n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        for (std::size_t k = begin; k < end; ++k)
            solve_one(order[n_large + k], settings, memories[worker]);
    });
    return found;
}

template <class T>
DualSolution solve(const Source<T>& source, const DualProblem& problem, const DualSettings& settings,
                   Monitor& monitor) {
    return std::move(solve_all<T>(source, {&problem, 1}, settings, monitor).front());
}

} // namespace margin::svm
