#pragma once
// Bins of sparse rows: those of the same matrix with its zeros written out, to the bit.
#include "margin/boosting/gradient/table/binned_table.hpp"
#include "margin/data/csr.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace margin::boosting {

template <class T>
using SparseRows = data::Csr<T, std::int32_t>;

namespace detail {

/// Stored cells column after column, those of some rows; with the weight of their rows where these have some.
template <class T>
struct StoredColumns {
    std::vector<std::size_t> start;
    std::vector<T> values;
    std::vector<std::size_t> weights;
    std::size_t n_rows = 0, weight = 0;

    StoredColumns(const SparseRows<T>& table, const std::vector<std::size_t>& rows,
                  const std::vector<std::size_t>& whole)
        : start(table.width + 2), n_rows(rows.size()) {
        const auto each = [&](auto&& visit) {
            for (const std::size_t i : rows)
                for (auto k = table.start[i]; k < table.start[i + 1]; ++k)
                    visit(static_cast<std::size_t>(table.columns[k]), table.values[k], i);
        };
        each([&](std::size_t j, T, std::size_t) { ++start[j + 2]; });
        for (std::size_t j = 2; j < start.size(); ++j)
            start[j] += start[j - 1];
        values.resize(start.back());
        weights.resize(whole.empty() ? 0 : values.size());
        each([&](std::size_t j, T x, std::size_t i) {
            if (!whole.empty())
                weights[start[j + 1]] = whole[i];
            values[start[j + 1]++] = x;
        });
        start.pop_back();
        for (std::size_t k = 0; k < rows.size() && !whole.empty(); ++k)
            weight += whole[rows[k]];
    }

    std::span<const T> column(std::size_t j) const noexcept {
        return {values.data() + start[j], start[j + 1] - start[j]};
    }
    std::size_t zeros(std::size_t j) const noexcept { return n_rows - column(j).size(); }
};

/// The keys of the known cells of a column, in order; at most `most_zeros` of the cells that are not stored.
template <class T>
auto keys_with_zeros(const StoredColumns<T>& stored, std::size_t j, std::size_t most_zeros) {
    std::vector<decltype(tree::detail::ordered_key(T{}))> keys;
    for (const T x : stored.column(j))
        if (!std::isnan(x))
            keys.push_back(tree::detail::ordered_key(x));
    if (keys.size() < 512)
        std::ranges::sort(keys);
    else
        tree::detail::sort_keys(keys);
    const auto zero = tree::detail::ordered_key(T{0});
    keys.insert(std::ranges::lower_bound(keys, zero), std::min(stored.zeros(j), most_zeros), zero);
    return keys;
}

/// As tree::cuts_of_weighted, with the zeros that are not stored.
template <class T>
tree::Cuts weighted_cuts(const StoredColumns<T>& stored, std::size_t j, std::size_t max_bins) {
    std::vector<std::pair<decltype(tree::detail::ordered_key(T{})), std::size_t>> keys;
    std::size_t zeros = stored.weight;
    for (std::size_t k = stored.start[j]; k < stored.start[j + 1]; ++k) {
        zeros -= stored.weights[k];
        if (!std::isnan(stored.values[k]))
            keys.emplace_back(tree::detail::ordered_key(stored.values[k]), stored.weights[k]);
    }
    if (zeros > 0)
        keys.emplace_back(tree::detail::ordered_key(T{0}), zeros);
    return tree::detail::cuts_of_weighted<T>(keys, max_bins);
}

/// As tree::find_cuts. Where a column has few values their counts decide nothing, and one zero stands for all.
template <class T>
tree::Cuts sparse_cuts(const StoredColumns<T>& sample, const StoredColumns<T>* all, std::size_t j,
                       std::size_t max_bins) {
    std::vector<double> value = tree::detail::few_values<T>(keys_with_zeros(sample, j, 1), max_bins);
    if (value.size() > max_bins && !sample.weights.empty())
        return weighted_cuts(sample, j, max_bins);
    if (value.size() > max_bins)
        return tree::detail::cuts_of_sorted<T>(keys_with_zeros(sample, j, sample.n_rows), max_bins);
    if (!all)
        return tree::detail::cuts_of_few(std::move(value), true, max_bins);
    const std::vector<double> sampled = value;
    const auto column = all->column(j);
    constexpr T zero = 0;
    const bool few = tree::detail::complete_values<T>({column.data(), column.size(), 1}, 0, value, max_bins) &&
                     (all->zeros(j) == 0 || tree::detail::complete_values<T>({&zero, 1, 1}, 0, value, max_bins));
    return tree::detail::cuts_of_few(few ? std::move(value) : sampled, few, max_bins);
}

} // namespace detail

/// Rows in bins that are known already.
template <class T>
RowLists list_rows(const SparseRows<T>& table, const std::vector<tree::BinnedColumn>& columns, std::size_t n_threads,
                   Monitor& monitor) {
    RowLists made;
    const auto n_stored = static_cast<std::size_t>(table.start[table.rows]);
    for (const auto& column : columns)
        made.usual.push_back(static_cast<std::uint16_t>(column.cuts.bin(0)));
    std::vector<std::uint16_t> codes(n_stored);
    made.start.assign(table.rows + 1, 0);
    parallel_for(table.rows, 256, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i)
            for (auto k = table.start[i]; k < table.start[i + 1]; ++k) {
                const auto j = static_cast<std::size_t>(table.columns[k]);
                const T x = table.values[k];
                codes[static_cast<std::size_t>(k)] =
                    static_cast<std::uint16_t>(std::isnan(x) ? columns[j].n_bins : columns[j].cuts.bin(x));
                made.start[i + 1] += codes[static_cast<std::size_t>(k)] != made.usual[j];
            }
    });
    for (std::size_t i = 0; i < table.rows; ++i)
        made.start[i + 1] += made.start[i];
    made.columns.resize(made.start.back());
    made.codes.resize(made.start.back());
    parallel_for(table.rows, 1024, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            std::size_t to = made.start[i];
            for (auto k = table.start[i]; k < table.start[i + 1]; ++k) {
                const auto j = static_cast<std::uint32_t>(table.columns[k]);
                if (codes[static_cast<std::size_t>(k)] == made.usual[j])
                    continue;
                made.columns[to] = j;
                made.codes[to++] = codes[static_cast<std::size_t>(k)];
            }
        }
    });
    return made;
}

/// Sparse rows in at most max_bins bins for each column. Requires columns of a row in ascending order, each once, and
/// 2 <= max_bins <= most_bins; `weight` is empty where all rows count alike. O(stored cells log) time.
template <class T>
BinnedTable bin_sparse(const SparseRows<T>& table, std::size_t max_bins, std::span<const double> weight,
                       std::size_t n_threads, Monitor& monitor) {
    BinnedTable made;
    made.n_rows = table.rows;
    made.columns.resize(table.width);
    made.by_targets.assign(table.width, false);
    const auto rows = tree::sampled_rows(table.rows);
    const std::vector<std::size_t> whole = tree::whole_weights(weight);
    const detail::StoredColumns<T> sample(table, rows, whole);
    std::unique_ptr<detail::StoredColumns<T>> all;
    if (rows.size() < table.rows) {
        std::vector<std::size_t> each(table.rows);
        for (std::size_t i = 0; i < each.size(); ++i)
            each[i] = i;
        all = std::make_unique<detail::StoredColumns<T>>(table, each, std::vector<std::size_t>{});
    }
    parallel_for(table.width, 64, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t j = begin; j < end; ++j) {
            made.columns[j].cuts = detail::sparse_cuts(sample, all.get(), j, max_bins);
            made.columns[j].n_bins = made.columns[j].cuts.at.size() + 1;
        }
    });
    for (const auto& column : made.columns)
        made.most = std::max(made.most, column.n_bins);
    made.lists = list_rows(table, made.columns, n_threads, monitor);
    return made;
}

} // namespace margin::boosting
