#pragma once
// Probabilities of classes: whether they are any, what each case loses by them, and how far they can be believed.
#include "margin/core/exponential.hpp"
#include "margin/core/one_of.hpp"
#include "margin/core/threads.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace margin::metrics {

/// Rows of probabilities, a column for each class; or, with one column, the probability of the second of two classes.
struct Shares {
    const double* data;
    std::size_t rows, columns;

    bool is_single() const noexcept { return columns == 1; }
    const double* row(std::size_t i) const noexcept { return data + i * columns; }
    /// What the class of that code was given. Requires a code below the number of classes.
    double of(std::size_t i, std::int64_t code) const noexcept {
        if (is_single())
            return code == 1 ? data[i] : 1 - data[i];
        return row(i)[code];
    }
};

/// Rows that are no probabilities: how many, and the first of them (the number of rows if there is none).
struct BadRows {
    std::size_t count = 0, first = 0;
};

namespace detail {

constexpr std::size_t share_block = 1 << 14, share_tile = 512;

MARGIN_SIMD inline void logs(double* x, std::size_t n, double least) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        const double above = x[i] < least ? least : x[i], kept = above > 1 - least ? 1 - least : above;
        x[i] = -log_inlined(kept);
    }
}

/// Sums of a block: eight running sums, row i in sum i mod 8, joined by halves.
inline double sum_of(const double* x, const double* weight, std::size_t n) noexcept {
    double sums[8] = {};
    for (std::size_t i = 0; i < n; ++i)
        sums[i % 8] += weight ? weight[i] * x[i] : x[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

} // namespace detail

/// -ln of the probability given to the true class, kept `least` away from 0 and 1.
struct LogLoss {
    static constexpr std::string_view name = "log_loss";
    static void of(const Shares& p, const std::int64_t* truth, std::size_t begin, std::size_t n, double least,
                   double* loss) noexcept {
        for (std::size_t i = 0; i < n; ++i)
            loss[i] = p.of(begin + i, truth[begin + i]);
        detail::logs(loss, n, least);
    }
};

/// Squared distance of the probabilities from the truth; for two classes that of the second one alone.
struct Brier {
    static constexpr std::string_view name = "brier";
    static void of(const Shares& p, const std::int64_t* truth, std::size_t begin, std::size_t n, double,
                   double* loss) noexcept {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = begin + i;
            if (p.columns <= 2) {
                const double miss = p.row(at)[p.columns - 1] - static_cast<double>(truth[at]);
                loss[i] = miss * miss;
                continue;
            }
            const double* row = p.row(at);
            double squares = 0;
            for (std::size_t k = 0; k < p.columns; ++k) {
                const double miss = row[k] - (static_cast<std::int64_t>(k) == truth[at] ? 1.0 : 0.0);
                squares += miss * miss;
            }
            loss[i] = squares;
        }
    }
};

/// How many classes were answered more strongly than the true one; of equally strong ones those that come first.
/// Strengths may be of any scale, but there must be a column for each class.
struct Ahead {
    static constexpr std::string_view name = "ahead";
    static void of(const Shares& p, const std::int64_t* truth, std::size_t begin, std::size_t n, double,
                   double* loss) noexcept {
        for (std::size_t i = 0; i < n; ++i) {
            const double* row = p.row(begin + i);
            const auto own = static_cast<std::size_t>(truth[begin + i]);
            int ahead = 0;
            for (std::size_t k = 0; k < p.columns; ++k)
                ahead += (row[k] > row[own]) | ((row[k] == row[own]) & (k < own));
            loss[i] = ahead;
        }
    }
};

using CaseLosses = OneOf<LogLoss, Brier, Ahead>;

/// Rows with a cell that is not between 0 and 1, or whose cells do not add up to 1 within the tolerance. O(n k).
inline BadRows bad_rows(const Shares& p, double tolerance, std::size_t n_threads, Monitor& monitor) {
    const auto is_bad = [&](std::size_t i) {
        const double* row = p.row(i);
        bool inside = true;
        double sum = 0;
        for (std::size_t k = 0; k < p.columns; ++k) {
            inside &= (row[k] >= 0) & (row[k] <= 1);
            sum += row[k];
        }
        return !inside || (!p.is_single() && !(std::abs(sum - 1) <= tolerance));
    };
    return reduce_in_order(
        p.rows, detail::share_block, n_threads, monitor, [&] { return BadRows{0, p.rows}; },
        [&](BadRows& part, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                part.count += is_bad(i);
            for (std::size_t i = begin; part.count > 0 && part.first == p.rows; ++i)
                if (is_bad(i))
                    part.first = i;
        },
        [](BadRows& total, const BadRows& part) {
            total.count += part.count;
            total.first = std::min(total.first, part.first);
        });
}

/// The loss of each case, written to `losses` unless that is null; returns their sum, each times its weight where there
/// are weights. The same bits for any number of threads. Requires truth[i] below the number of classes. O(n k).
template <class Loss>
double case_losses(const Shares& p, const std::int64_t* truth, const double* weight, double least, double* losses,
                   std::size_t n_threads, Monitor& monitor) {
    return reduce_in_order(
        p.rows, detail::share_block, n_threads, monitor, [] { return 0.0; },
        [&](double& part, std::size_t begin, std::size_t end) {
            double own[detail::share_tile];
            for (; begin < end; begin += detail::share_tile) {
                const std::size_t n = std::min(detail::share_tile, end - begin);
                double* loss = losses ? losses + begin : own;
                Loss::of(p, truth, begin, n, least, loss);
                part += detail::sum_of(loss, weight ? weight + begin : nullptr, n);
            }
        },
        [](double& total, double part) { total += part; });
}

/// The largest probability of each case, and whether its class is the true one; of equal ones the first counts.
inline void top_answers(const Shares& p, const std::int64_t* truth, double* confidence, std::uint8_t* right,
                        std::size_t n_threads, Monitor& monitor) {
    parallel_for(p.rows, detail::share_block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            const double* row = p.row(i);
            std::size_t top = 0;
            double most = p.is_single() ? 1 - row[0] : row[0];
            for (std::size_t k = 1; k < std::max<std::size_t>(p.columns, 2); ++k) {
                const double other = p.is_single() ? row[0] : row[k];
                top = other > most ? k : top;
                most = other > most ? other : most;
            }
            confidence[i] = most;
            right[i] = static_cast<std::int64_t>(top) == truth[i];
        }
    });
}

} // namespace margin::metrics
