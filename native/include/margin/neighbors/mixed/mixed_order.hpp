#pragma once
// Similar rows next to each other: the order in which an index of mixed rows keeps them.
#include "mixed_columns.hpp"
#include <numeric>

namespace margin::neighbors {

/// Orders rows by splitting them in two again and again, by the column in which two of them differ most on average, at
/// the step that halves them best. Any order is a right one; a good one makes for small boxes.
/// O(width n log n) time for splits that are about even, as they are looked for in a sample.
template <class M>
class SimilarOrder {
public:
    SimilarOrder(const std::vector<coarse_t>& cells, std::span<const NumberColumn> numeric,
                 std::span<const NominalColumn> nominal)
        : cells_(cells), numeric_(numeric), nominal_(nominal), width_(numeric.size() + nominal.size()) {}

    std::vector<std::uint32_t> order(std::size_t n_rows, std::size_t n_threads, Monitor& monitor) {
        std::vector<std::uint32_t> rows(n_rows);
        std::iota(rows.begin(), rows.end(), 0u);
        if (width_ == 0)
            return rows;
        // The first splits one after another, then many small parts at once: the same parts for any number of threads.
        const std::vector<Part> parts = split_down_to(4096, rows.data(), {{0, n_rows}}, &monitor);
        parallel_for(parts.size(), 1, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
            for (std::size_t i = begin; i < end; ++i)
                split_down_to(smallest, rows.data(), {parts[i]}, nullptr);
        });
        return rows;
    }

private:
    struct Part {
        std::size_t begin, end;
    };
    struct Split {
        std::size_t column;
        int below = 0; // rows whose coarse cell is less go first; 0 if no column differs
    };
    static constexpr std::size_t smallest = 32;

    /// The coarse cells of a column in some of the rows.
    struct Sample {
        static constexpr std::size_t most = 64;
        std::size_t n;
        coarse_t cells[most];
        std::uint8_t counts[256] = {};

        Sample(const coarse_t* column, std::size_t width, const std::uint32_t* rows, std::size_t n_rows)
            : n(std::min(n_rows, most)) {
            for (std::size_t i = 0; i < n; ++i)
                ++counts[cells[i] = column[rows[i * n_rows / n] * width]];
        }

        double equal_pairs() const {
            int pairs = 0;
            for (std::size_t i = 0; i < n; ++i)
                pairs += counts[cells[i]];
            return pairs;
        }

        /// Of the cells that are not missing.
        double deviation() const {
            int sum = -counts[missing_cell] * missing_cell, squares = sum * missing_cell;
            for (std::size_t i = 0; i < n; ++i) {
                sum += cells[i];
                squares += cells[i] * cells[i];
            }
            const double present = std::max(static_cast<double>(n) - counts[missing_cell], 1.0), mean = sum / present;
            return std::sqrt(std::max(squares / present - mean * mean, 0.0));
        }
    };

    std::vector<Part> split_down_to(std::size_t size, std::uint32_t* rows, std::vector<Part> open, Monitor* monitor) {
        std::vector<Part> done;
        while (!open.empty()) {
            const Part part = open.back();
            open.pop_back();
            const Split split = part.end - part.begin > size ? best_split(rows, part) : Split{};
            if (split.below == 0) {
                done.push_back(part);
                continue;
            }
            if (monitor)
                monitor->check();
            const auto* middle = std::partition(rows + part.begin, rows + part.end, [&](std::uint32_t row) {
                return cells_[row * width_ + split.column] < split.below;
            });
            const auto cut = static_cast<std::size_t>(middle - rows);
            open.push_back({cut, part.end});
            open.push_back({part.begin, cut});
        }
        return done;
    }

    Split best_split(const std::uint32_t* rows, Part part) const {
        const std::size_t n = part.end - part.begin;
        Split best{};
        double most = 0;
        for (std::size_t j = 0; j < width_; ++j) {
            const Sample cells(cells_.data() + j, width_, rows + part.begin, n);
            const double spread = spread_of(cells, j);
            if (spread > most) {
                most = spread;
                best = {j, halving_step(cells)};
            }
        }
        return best;
    }

    /// About what two rows of the sample differ by in this column; 0 if it has one coarse cell only.
    double spread_of(const Sample& cells, std::size_t j) const {
        const auto n = static_cast<double>(cells.n);
        if (j >= numeric_.size())
            return nominal_[j - numeric_.size()].weight * (1 - cells.equal_pairs() / (n * n));
        const double missing = cells.counts[missing_cell], present = n - missing;
        const double t = std::sqrt(2.0) * cells.deviation() / last_step * numeric_[j].reach;
        return numeric_[j].weight * (M::term(t) * present * present + 2 * missing * present) / (n * n);
    }

    static int halving_step(const Sample& cells) {
        int best = 0;
        std::size_t before = 0, smaller_half = 0;
        for (int c = 0; c < 256; ++c) {
            if (const std::size_t half = std::min(before, cells.n - before); half > smaller_half) {
                smaller_half = half;
                best = c;
            }
            before += cells.counts[c];
        }
        return best;
    }

    const std::vector<coarse_t>& cells_;
    std::span<const NumberColumn> numeric_;
    std::span<const NominalColumn> nominal_;
    std::size_t width_;
};

} // namespace margin::neighbors
