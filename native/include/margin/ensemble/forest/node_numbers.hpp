#pragma once
// The numbers of a node's cases in one column, where no column is sorted or coded beforehand (random splits).
#include "coded_table.hpp"
#include "margin/tree/targets/uninitialised.hpp"
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace margin::ensemble {

/// Where the numbers of each case stand; places move with the cases. The cells of a small subtree are copied next to each
/// other, column after column, since all its nodes read them again and again: from there they come out of the first or
/// second cache. One for each worker.
class NodeNumbers {
public:
    explicit NodeNumbers(const CodedTable& table) : table_(table) {}

    /// For a tree of these cases.
    template <class Case>
    void begin(const std::vector<Case>& cases) {
        place_.resize(cases.size());
        spare_.resize(cases.size());
        for (std::size_t i = 0; i < cases.size(); ++i)
            place_[i] = cases[i].row;
        copied_ = false;
    }

    bool copied() const noexcept { return copied_; }
    void leave() noexcept { copied_ = false; }

    /// Whether it pays to copy the cells of so many cases, of which nodes look at n_drawn columns.
    bool worthwhile(std::size_t n_cases, std::size_t n_drawn) const noexcept {
        const std::size_t d = table_.columns.size();
        return n_cases * d <= room && n_cases > 8 && std::min(n_drawn, d) * std::bit_width(n_cases) >= d;
    }

    /// Copy the cells of n cases from `begin` on: from now on they are read there.
    void copy(std::size_t begin, std::size_t n) {
        const std::size_t d_numbers = table_.d_numbers();
        copy_.resize(table_.columns.size() * n);
        table_.with_rows([&](const auto* rows) { // a row brings its neighbours along, a column does not
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < d_numbers; ++j)
                    copy_[j * n + i] = static_cast<double>(rows[place_[begin + i] * d_numbers + j]);
        });
        for (std::size_t j = d_numbers; j < table_.columns.size(); ++j)
            if (!table_.columns[j].nominal)
                read(j, begin, n, copy_.data() + j * n);
        for (std::size_t i = 0; i < n; ++i)
            place_[begin + i] = static_cast<std::uint32_t>(i);
        copied_ = true;
        n_copied_ = n;
    }

    /// out[i] = the number of case begin + i in column j, NaN for missing cells. Levels with an order are numbers here.
    void read(std::size_t j, std::size_t begin, std::size_t n, double* out) const noexcept {
        const std::uint32_t* const place = place_.data() + begin;
        if (copied_) {
            const double* const x = copy_.data() + j * n_copied_;
            for (std::size_t i = 0; i < n; ++i)
                out[i] = x[place[i]];
            return;
        }
        table_.with_cells(j, [&]<class Cell>(const Cell* cells) {
            const double missing = std::numeric_limits<double>::quiet_NaN();
            const std::size_t n_bins = table_.columns[j].n_bins;
            for (std::size_t i = 0; i < n; ++i) {
                const Cell cell = cells[place[i]];
                if constexpr (std::is_floating_point_v<Cell>)
                    out[i] = static_cast<double>(cell);
                else
                    out[i] = cell == n_bins ? missing : static_cast<double>(cell);
            }
        });
    }

    std::uint32_t* places(std::size_t begin) noexcept { return place_.data() + begin; }
    std::uint32_t* spare() noexcept { return spare_.data(); }

private:
    static constexpr std::size_t room = std::size_t{1} << 15; // numbers: half of a second cache of 512 KB

    const CodedTable& table_;
    tree::Buffer<std::uint32_t> place_, spare_;
    tree::Buffer<double> copy_;
    std::size_t n_copied_ = 0;
    bool copied_ = false;
};

} // namespace margin::ensemble
