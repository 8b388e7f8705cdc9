#pragma once
// The second-order model of cross-entropy, row by row, while coordinates of it move.
//
// A step D of the parameters changes the gradient by H D, and the change in column j is sum_i x_ij r_i, where r_i is
// what the step has done to the slope of row i so far. Each kind of rows keeps r, and gives for the cells of a column
//     slope      sum_i x_ij r_i,
//     curvature  what a square of a step in this column costs at most, sum_i x_ij^2 b_i,
//     move       r_i after a step in this column.
#include "margin/core/simd.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace margin::linear {

/// Two classes: b_i = s p (1 - p), and r_i = b_i (step . x_i). Both stand side by side, for one miss of the cache.
class BinaryRows {
public:
    BinaryRows(const double* bend, std::size_t rows) : rows_(rows) {
        for (std::size_t i = 0; i < rows; ++i)
            rows_[i] = {bend[i], 0.0};
    }

    std::size_t size() const noexcept { return rows_.size(); }
    static std::size_t lanes() noexcept { return 1; }

    template <class Cells>
    void slope(const Cells& cells, double* found) const noexcept {
        std::array<double, 4> sums{};
        std::size_t c = 0;
        for (; c + 4 <= cells.n; c += 4)
            for (std::size_t k = 0; k < 4; ++k)
                sums[k] += cells.value(c + k) * rows_[cells.row(c + k)].pull;
        for (; c < cells.n; ++c)
            sums[0] += cells.value(c) * rows_[cells.row(c)].pull;
        found[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    template <class Cells>
    void curvature(const Cells& cells, double* found) const noexcept {
        double sum = 0;
        for (std::size_t c = 0; c < cells.n; ++c)
            sum += cells.value(c) * cells.value(c) * rows_[cells.row(c)].bend;
        found[0] = sum;
    }

    template <class Cells>
    void move(const Cells& cells, const double* step) noexcept {
        for (std::size_t c = 0; c < cells.n; ++c) {
            Row& row = rows_[cells.row(c)];
            row.pull += row.bend * cells.value(c) * step[0];
        }
    }

private:
    struct Row {
        double bend, pull;
    };
    std::vector<Row> rows_;
};

/// More classes: r_ik = s p_k (u_k - sum_l p_l u_l) with u = step . x_i; all classes of a column move at once, which
/// diag(p) - p p^T <= diag(p) makes safe: b_ik = s p_k. `Width` lanes, or so many as are said for 0.
template <std::size_t Width>
class SoftmaxRows {
public:
    SoftmaxRows(const double* p, const double* weight, double unit, std::size_t rows, std::size_t lanes)
        : lanes_(lanes), size_(rows), cells_(2 * rows * lanes), weight_(weight), unit_(unit) {
        for (std::size_t i = 0; i < rows; ++i)
            std::copy_n(p + i * lanes, lanes, cells_.data() + 2 * i * lanes);
    }

    std::size_t size() const noexcept { return size_; }
    std::size_t lanes() const noexcept { return Width ? Width : lanes_; }

    template <class Cells>
    void slope(const Cells& cells, double* found) const noexcept {
        const std::size_t width = lanes();
        std::array<double, Width ? Width : 1> sums{};
        double* to = Width ? sums.data() : found;
        std::fill_n(to, width, 0.0);
        for (std::size_t c = 0; c < cells.n; ++c) {
            const double x = share(cells.row(c)) * cells.value(c);
            const double* pull = cells_.data() + (2 * cells.row(c) + 1) * width;
            for (std::size_t k = 0; k < width; ++k)
                to[k] += x * pull[k];
        }
        if constexpr (Width > 0)
            std::copy_n(to, width, found);
    }

    template <class Cells>
    void curvature(const Cells& cells, double* found) const noexcept {
        const std::size_t width = lanes();
        std::fill_n(found, width, 0.0);
        for (std::size_t c = 0; c < cells.n; ++c) {
            const double x = share(cells.row(c)) * cells.value(c) * cells.value(c);
            const double* p = cells_.data() + 2 * cells.row(c) * width;
            for (std::size_t k = 0; k < width; ++k)
                found[k] += x * p[k];
        }
    }

    template <class Cells>
    void move(const Cells& cells, const double* step) noexcept {
        const std::size_t width = lanes();
        for (std::size_t c = 0; c < cells.n; ++c) {
            const double x = cells.value(c);
            double* p = cells_.data() + 2 * cells.row(c) * width;
            double* pull = p + width;
            double mean = 0;
            for (std::size_t k = 0; k < width; ++k)
                mean += p[k] * step[k];
            for (std::size_t k = 0; k < width; ++k)
                pull[k] += p[k] * x * (step[k] - mean);
        }
    }

private:
    double share(std::size_t i) const noexcept { return weight_ ? weight_[i] * unit_ : unit_; }

    std::size_t lanes_, size_;
    std::vector<double> cells_; // p and r of one row side by side
    const double* weight_;
    double unit_;
};

/// run(rows) with the width that fits.
template <class Run>
auto with_softmax_rows(const double* p, const double* weight, double unit, std::size_t rows, std::size_t lanes,
                       Run&& run) {
    switch (lanes) {
    case 4:
        return run(SoftmaxRows<4>(p, weight, unit, rows, lanes));
    case 8:
        return run(SoftmaxRows<8>(p, weight, unit, rows, lanes));
    case 12:
        return run(SoftmaxRows<12>(p, weight, unit, rows, lanes));
    default:
        return run(SoftmaxRows<0>(p, weight, unit, rows, lanes));
    }
}

} // namespace margin::linear
