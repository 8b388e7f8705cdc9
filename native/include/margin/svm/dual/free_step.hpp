#pragma once
// All free variables at once, where pairs alone would take very long: large c and few columns.
#include "dual_state.hpp"
#include "margin/svm/kernel/source.hpp"

namespace margin::svm {

/// So many free variables are moved together; a step costs f^3 / 3 products. More are moved in groups, which mostly take
/// variables to their bounds, one with each step: small groups are quicker there.
inline constexpr std::size_t most_free = 512, free_group = 128;

namespace detail {

/// Cholesky's factor of the first n rows and columns of a symmetric matrix, in place, lower half; false where it is not
/// positive definite. O(n^3 / 3).
inline bool factor(std::vector<double>& a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            const double rest = a[i * n + j] - dot({a.data() + i * n, j}, {a.data() + j * n, j});
            if (j < i)
                a[i * n + j] = rest / a[j * n + j];
            else if (!(rest > 0))
                return false;
            else
                a[i * n + i] = std::sqrt(rest);
        }
    return true;
}

inline void solve_factored(const std::vector<double>& l, std::vector<double>& x) {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i)
        x[i] = (x[i] - dot({l.data() + i * n, i}, {x.data(), i})) / l[i * n + i];
    for (std::size_t i = n; i-- > 0;) {
        x[i] /= l[i * n + i];
        for (std::size_t j = 0; j < i; ++j)
            x[j] -= l[i * n + j] * x[i];
    }
}

} // namespace detail

/// The free variables with their kernel values, while they stay free.
class FreeFace {
public:
    FreeFace(std::vector<double> k, std::vector<double> b, std::vector<double> e, std::vector<double> lower,
             std::vector<double> upper, double rounding)
        : k_(std::move(k)), b_(std::move(b)), e_(std::move(e)), lower_(std::move(lower)), upper_(std::move(upper)),
          n_(b_.size()), rounding_(rounding), free_(n_) {
        for (std::size_t i = 0; i < n_; ++i)
            free_[i] = i;
    }

    /// Newton's steps to the lowest point at which the free ones balance, each up to the next bound; what reaches its
    /// bound stays there. At most as many steps as variables, and about 3e8 products.
    const std::vector<double>& descend(Monitor& monitor) {
        const double f = static_cast<double>(n_);
        const auto most = static_cast<std::size_t>(std::clamp(1e9 / (f * f * f), 2.0, f + 2));
        for (std::size_t s = 0; s < most && free_.size() > 1; ++s) {
            monitor.check();
            if (!direct() || !step())
                break;
        }
        return b_;
    }

private:
    /// The direction d with (K + r I) d = e - m and sum d = 0, for the m that this asks for.
    bool direct() {
        const std::size_t f = free_.size();
        std::vector<double> a(f * f), ones(f, 1.0);
        double largest = 0;
        for (std::size_t i = 0; i < f; ++i)
            largest = std::max(largest, std::abs(k_[free_[i] * n_ + free_[i]]));
        for (std::size_t i = 0; i < f; ++i) {
            for (std::size_t j = 0; j <= i; ++j)
                a[i * f + j] = k_[free_[i] * n_ + free_[j]];
            a[i * f + i] += rounding_ * largest;
        }
        d_.resize(f);
        for (std::size_t i = 0; i < f; ++i)
            d_[i] = e_[free_[i]];
        if (!detail::factor(a, f))
            return false;
        detail::solve_factored(a, d_);
        detail::solve_factored(a, ones);
        double sum = 0, scale = 0;
        for (std::size_t i = 0; i < f; ++i)
            sum += d_[i], scale += ones[i];
        double left = 0;
        for (std::size_t i = 0; i < f; ++i)
            left += d_[i] -= sum / scale * ones[i];
        for (double& d : d_)
            d -= left / static_cast<double>(f);
        return true;
    }

    /// As far along the direction as it goes down and the bounds allow; false when it no longer goes down.
    bool step() {
        const std::size_t f = free_.size();
        std::vector<double> change(n_); // K d
        double slope = 0, curvature = 0, room = infinity;
        for (std::size_t i = 0; i < f; ++i) {
            for (std::size_t t = 0; t < n_; ++t)
                change[t] += d_[i] * k_[free_[i] * n_ + t];
            slope += d_[i] * e_[free_[i]];
            if (d_[i] != 0)
                room = std::min(room, ((d_[i] > 0 ? upper_ : lower_)[free_[i]] - b_[free_[i]]) / d_[i]);
        }
        for (std::size_t i = 0; i < f; ++i)
            curvature += d_[i] * change[free_[i]];
        const double length = curvature > 0 ? std::min(slope / curvature, room) : room;
        if (!(slope > 0) || !(length > 0) || std::isinf(length))
            return false;
        std::vector<std::size_t> still;
        for (std::size_t i = 0; i < f; ++i) {
            double& b = b_[free_[i]];
            b = std::clamp(b + length * d_[i], lower_[free_[i]], upper_[free_[i]]);
            if (length == room &&
                std::abs((d_[i] > 0 ? upper_ : lower_)[free_[i]] - b) <= 1e-12 * std::abs(length * d_[i]))
                b = (d_[i] > 0 ? upper_ : lower_)[free_[i]];
            if (b > lower_[free_[i]] && b < upper_[free_[i]])
                still.push_back(free_[i]);
        }
        for (std::size_t t = 0; t < n_; ++t)
            e_[t] -= length * change[t];
        std::swap(free_, still);
        return true;
    }

    std::vector<double> k_, b_, e_, lower_, upper_;
    std::size_t n_;
    double rounding_; // of kernel values, as a share of the largest
    std::vector<std::size_t> free_;
    std::vector<double> d_;
};

/// The free variables in groups that may be moved together, each spread over all that share a sum.
inline std::vector<std::vector<std::uint32_t>> free_groups(const DualState& state) {
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::size_t side = 0; side < state.n_sides(); ++side) {
        std::vector<std::uint32_t> free;
        for (std::uint32_t i = 0; i < state.size(); ++i)
            if (state.is_free(i) && state.side(i) == side)
                free.push_back(i);
        const std::size_t n = free.size() <= most_free ? 1 : (free.size() + free_group - 1) / free_group;
        const std::size_t first = groups.size();
        groups.resize(first + n);
        for (std::size_t i = 0; i < free.size(); ++i)
            groups[first + i % n].push_back(free[i]);
    }
    return groups;
}

/// A better b, in which only the given free variables have changed; the same b where the kernel is not positive
/// semi-definite among them.
template <class T>
std::vector<double> free_step(const Source<T>& source, std::span<const std::uint32_t> rows, const DualState& state,
                              std::span<const std::uint32_t> at, Monitor& monitor) {
    const std::size_t f = at.size();
    std::vector<std::uint32_t> from(f);
    for (std::size_t i = 0; i < f; ++i)
        from[i] = rows[at[i]];
    std::vector<T> block(f * f);
    if (f > 0)
        source.block(from, from, block.data(), f, 1, monitor);
    std::vector<double> free_b(f), e(f), lower(f), upper(f);
    for (std::size_t i = 0; i < f; ++i) { // none may go across 0, where the tube turns the slope
        free_b[i] = state.b[at[i]];
        e[i] = state.up(at[i]);
        lower[i] = free_b[i] > 0 ? std::max(state.lower[at[i]], 0.0) : state.lower[at[i]];
        upper[i] = free_b[i] < 0 ? std::min(state.upper[at[i]], 0.0) : state.upper[at[i]];
    }
    FreeFace face({block.begin(), block.end()}, std::move(free_b), std::move(e), std::move(lower), std::move(upper),
                  sizeof(T) == 4 ? 1e-7 : 1e-13);
    const auto& better = face.descend(monitor);
    std::vector<double> b = state.b;
    for (std::size_t i = 0; i < f; ++i)
        b[at[i]] = better[i];
    return b;
}

} // namespace margin::svm
