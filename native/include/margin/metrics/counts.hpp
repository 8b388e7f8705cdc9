#pragma once
// How often each label stands in an array, and each pair of labels in two: confusion tables straight from the labels.
//
// The range of the labels is guessed from a few thousand of them, and everything outside is counted in one more row and
// column. Only where that is not empty at the end are the labels read twice more, for their range and to count again.
#include "labels.hpp"
#include <optional>

namespace margin::metrics {

/// Counts by place above the least label.
struct Tally {
    Range range;
    std::vector<std::int64_t> counts;
};

/// Counts (and added weights, where there are some) of pairs: a row for each place of the first label, a column for each
/// of the second.
struct PairTally {
    Range first, second;
    std::vector<std::int64_t> counts;
    std::vector<double> weights;
};

namespace detail {

/// An increment waits for the one before it if both meet the same counter; neighbouring rows therefore count in
/// different tables as long as these are small.
class Counters {
public:
    static constexpr std::size_t tables = 4;

    explicit Counters(std::size_t cells) : width_(cells), spread_(cells <= 2048), cells_(cells * (spread_ ? 4 : 1)) {}

    void count(const std::uint32_t* cell, std::size_t n) noexcept {
        std::size_t i = 0;
        if (spread_) {
            std::int64_t* table[tables];
            for (std::size_t t = 0; t < tables; ++t)
                table[t] = cells_.data() + t * width_;
            for (; i + tables <= n; i += tables)
                for (std::size_t t = 0; t < tables; ++t)
                    ++table[t][cell[i + t]];
        }
        for (; i < n; ++i)
            ++cells_[cell[i]];
    }
    void add_to(std::vector<std::int64_t>& total) const {
        for (std::size_t c = 0; c < cells_.size(); ++c)
            total[c % width_] += cells_[c];
    }

private:
    std::size_t width_;
    bool spread_;
    std::vector<std::int64_t> cells_;
};

/// Cells of all rows counted on several threads; find(begin, end, cell) says which they are, a tile at a time.
template <class Find>
std::vector<std::int64_t> count_cells(std::size_t n, std::size_t cells, std::size_t n_threads, Monitor& monitor,
                                      Find&& find) {
    std::vector<Counters> counters(n_workers(n, label_block, n_threads), Counters(cells));
    parallel_for(n, label_block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
        std::uint32_t cell[label_tile];
        for (; begin < end; begin += label_tile) {
            const std::size_t count = std::min(label_tile, end - begin);
            find(begin, begin + count, cell);
            counters[worker].count(cell, count);
        }
    });
    std::vector<std::int64_t> total(cells);
    for (const Counters& part : counters)
        part.add_to(total);
    return total;
}

/// Which cell of a table with one more row and column each pair of labels belongs to.
class PairCells {
public:
    PairCells(const Labels& first, const Range& rows, const Labels& second, const Range& columns)
        : first_(first, rows), second_(second, columns) {}

    std::size_t rows() const noexcept { return first_.width() + 1; }
    std::size_t columns() const noexcept { return second_.width() + 1; }
    void operator()(std::size_t begin, std::size_t end, std::uint32_t* cell) const {
        std::uint32_t column[label_tile];
        first_(begin, end, cell);
        second_(begin, end, column);
        const auto stride = static_cast<std::uint32_t>(columns());
        for (std::size_t i = 0; i < end - begin; ++i)
            cell[i] = cell[i] * stride + column[i];
    }
    /// Whether a pair was counted beyond the last row or column.
    bool is_short(const std::vector<std::int64_t>& counts) const {
        for (std::size_t c = 0; c < counts.size(); ++c)
            if (counts[c] > 0 && (c / columns() + 1 == rows() || c % columns() + 1 == columns()))
                return true;
        return false;
    }
    template <class T>
    std::vector<T> without_edges(const std::vector<T>& counts) const {
        std::vector<T> kept;
        kept.reserve((rows() - 1) * (columns() - 1));
        for (std::size_t r = 0; r + 1 < rows(); ++r)
            kept.insert(kept.end(), counts.begin() + static_cast<std::ptrdiff_t>(r * columns()),
                        counts.begin() + static_cast<std::ptrdiff_t>((r + 1) * columns() - 1));
        return kept;
    }

private:
    Places first_, second_;
};

/// Weights added up cell by cell, in blocks of fixed size: the same bits for any number of threads.
inline std::vector<double> weigh_cells(const PairCells& find, const double* weight, std::size_t n,
                                       std::size_t n_threads, Monitor& monitor) {
    using Sums = std::vector<double>;
    const std::size_t cells = find.rows() * find.columns();
    return reduce_in_order(
        n, std::max(label_block, 4 * cells), n_threads, monitor, [=] { return Sums(cells); },
        [&](Sums& part, std::size_t begin, std::size_t end) {
            std::uint32_t cell[label_tile];
            for (; begin < end; begin += label_tile) {
                const std::size_t count = std::min(label_tile, end - begin);
                find(begin, begin + count, cell);
                for (std::size_t i = 0; i < count; ++i)
                    part[cell[i]] += weight[begin + i];
            }
        },
        [=](Sums& total, const Sums& part) {
            for (std::size_t c = 0; c < cells; ++c)
                total[c] += part[c];
        });
}

/// Cells that are worth the time to clear them, given that many rows.
inline std::size_t most_cells(std::size_t n) { return std::clamp<std::size_t>(2 * n, 1 << 16, 1 << 22); }

} // namespace detail

/// How often each label occurs; none where the labels spread over more than `most` places. O(n + range) time.
/// Requires most < 2^32.
inline std::optional<Tally> tally(const Labels& labels, std::size_t most, std::size_t n_threads, Monitor& monitor) {
    const auto count = [&](const Range& range) {
        const detail::Places places(labels, range);
        return Tally{range, detail::count_cells(labels.size, range.width() + 1, n_threads, monitor, places)};
    };
    if (labels.size == 0)
        return Tally{};
    const Range guess = likely_range(labels);
    if (!guess.is_within(most))
        return {};
    Tally found = count(guess);
    if (found.counts.back() > 0) {
        const Range range = label_range(labels, n_threads, monitor);
        if (!range.is_within(most))
            return {};
        found = count(range);
    }
    found.counts.pop_back();
    return found;
}

/// The confusion table of two arrays of labels, which may be of different types; none where it would have far more cells
/// than there are rows. `weight` may be null. Requires arrays of one length. O(n + cells) time.
inline std::optional<PairTally> tally_pairs(const Labels& first, const Labels& second, const double* weight,
                                            std::size_t n_threads, Monitor& monitor) {
    const std::size_t n = first.size, most = detail::most_cells(n);
    if (n == 0)
        return PairTally{};
    const auto fits = [&](const Range& rows, const Range& columns) {
        return rows.is_within(most) && columns.is_within(most) && (rows.width() + 1) * (columns.width() + 1) <= most;
    };
    Range rows = likely_range(first), columns = likely_range(second);
    for (const bool is_guess : {true, false}) {
        if (!fits(rows, columns))
            return {};
        const detail::PairCells cells(first, rows, second, columns);
        const auto counts = detail::count_cells(n, cells.rows() * cells.columns(), n_threads, monitor, cells);
        if (is_guess && cells.is_short(counts)) {
            rows = label_range(first, n_threads, monitor);
            columns = label_range(second, n_threads, monitor);
            continue;
        }
        PairTally found{rows, columns, cells.without_edges(counts), {}};
        if (weight)
            found.weights = cells.without_edges(detail::weigh_cells(cells, weight, n, n_threads, monitor));
        return found;
    }
    return {};
}

/// The first row of each label that occurs, by place above the least; others keep n. Reads no further than it must.
inline std::vector<std::int64_t> first_rows(const Labels& labels, const Tally& found, Monitor& monitor) {
    std::vector<std::int64_t> first(found.counts.size(), static_cast<std::int64_t>(labels.size));
    auto left = std::count_if(found.counts.begin(), found.counts.end(), [](std::int64_t count) { return count > 0; });
    const detail::Places places(labels, found.range);
    std::uint32_t place[detail::label_tile];
    for (std::size_t begin = 0; left > 0; begin += detail::label_tile) {
        const std::size_t end = std::min(begin + detail::label_tile, labels.size);
        places(begin, end, place);
        for (std::size_t i = 0; i < end - begin; ++i)
            if (first[place[i]] == static_cast<std::int64_t>(labels.size)) {
                first[place[i]] = static_cast<std::int64_t>(begin + i);
                --left;
            }
        monitor.check();
    }
    return first;
}

} // namespace margin::metrics
