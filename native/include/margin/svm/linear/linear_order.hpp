#pragma once
// The order in which coordinate descent visits the rows that still move.
#include "margin/core/monitor.hpp"
#include "margin/core/random.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace margin::svm {

/// Rows that are not left aside, and a random order of them for each pass.
///
/// Rows far apart in memory cost three times as much to read as neighbours, but neighbours one after another make a
/// descent six times as long: blocks of eight are drawn, and then all rows of 128 blocks are shuffled.
class LiveRows {
public:
    explicit LiveRows(std::size_t rows) : rows_(rows) { wake(); }

    std::size_t size() const noexcept { return live_.size(); }
    bool all() const noexcept { return live_.size() == rows_; }

    /// Bring all rows back.
    void wake() {
        live_.resize(rows_);
        std::iota(live_.begin(), live_.end(), 0U);
    }

    template <class IsAside>
    void leave_aside(IsAside&& is_aside, Monitor& monitor) {
        std::size_t kept = 0;
        for (std::size_t v = 0; v < live_.size(); ++v) {
            if (v % some == 0)
                monitor.check();
            if (!is_aside(live_[v]))
                live_[kept++] = live_[v];
        }
        live_.resize(kept);
    }

    /// The live rows in an order of their own for each pass. O(size).
    std::span<const std::uint32_t> shuffled(std::uint64_t seed, std::uint64_t pass, Monitor& monitor) {
        blocks_.resize((live_.size() + block - 1) / block);
        std::iota(blocks_.begin(), blocks_.end(), 0U);
        Stream stream(seed, pass);
        stream.shuffle(std::span(blocks_));
        order_.clear();
        monitor.check();
        for (const std::size_t b : blocks_)
            for (std::size_t v = b * block; v < std::min((b + 1) * block, live_.size()); ++v)
                order_.push_back(live_[v]);
        monitor.check();
        for (std::size_t first = 0; first < order_.size(); first += window)
            stream.shuffle(std::span(order_).subspan(first, std::min(window, order_.size() - first)));
        return order_;
    }

private:
    static constexpr std::size_t block = 8, window = 1024;
    static constexpr std::size_t some = std::size_t{1}
                                        << 16; // rows between two looks at the monitor: a few milliseconds

    std::size_t rows_;
    std::vector<std::uint32_t> live_, order_, blocks_; // live rows ascending
};

/// Rows whose memory is asked for before they are visited.
constexpr std::size_t visits_ahead = 8;

} // namespace margin::svm
