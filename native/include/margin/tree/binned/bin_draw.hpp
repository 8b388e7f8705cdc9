#pragma once
// Columns drawn for one node.
#include "margin/core/random.hpp"
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace margin::tree {

/// Deals out the columns in random order, as many as are asked for. The order depends on the seed and on the way from
/// the root to the node, not on when the node is grown.
class ColumnDraw {
public:
    explicit ColumnDraw(std::size_t n_columns) : order_(n_columns) { std::iota(order_.begin(), order_.end(), 0u); }

    void begin(std::uint64_t seed, std::uint64_t path) noexcept {
        std::iota(order_.begin(), order_.end(), 0u);
        stream_ = Stream(seed, path);
        n_dealt_ = 0;
    }

    bool more() const noexcept { return n_dealt_ < order_.size(); }

    std::uint32_t next() noexcept {
        std::swap(order_[n_dealt_], order_[n_dealt_ + stream_.below(order_.size() - n_dealt_)]);
        return order_[n_dealt_++];
    }

private:
    std::vector<std::uint32_t> order_;
    Stream stream_{0, 0};
    std::size_t n_dealt_ = 0;
};

} // namespace margin::tree
