#pragma once
// Rows of kernel values that are kept from one pass to the next.
#include "margin/svm/kernel/source.hpp"
#include <memory>
#include <numeric>

namespace margin::svm {

/// The kernel of some rows with all rows, out of a source. Rows are kept in the order in which they are first asked for,
/// until `bytes` are full, and never exchanged: a row that is too close once tends to be so again, up to the end.
template <class T>
class KeptRows {
public:
    KeptRows(const Source<T>& source, std::size_t bytes)
        : source_(source), all_(source.size()),
          most_(std::min(source.size(), bytes / (sizeof(T) * std::max<std::size_t>(source.size(), 1)))),
          place_(source.size(), nowhere), kept_(std::make_unique_for_overwrite<T[]>(most_ * source.size())) {
        std::iota(all_.begin(), all_.end(), 0u);
    }

    const Source<T>& source() const noexcept { return source_; }

    /// Rows that can be asked for at once: those that are not kept take memory of their own, at most about 16 MB.
    std::size_t at_once() const noexcept {
        return std::clamp<std::size_t>((std::size_t{16} << 20) / (sizeof(T) * all_.size()), 1, 256);
    }

    /// Where the values of each of some different rows stand, until the next call. Requires at most at_once() rows.
    std::vector<const T*> rows(std::span<const std::uint32_t> wanted, std::size_t n_threads, Monitor& monitor) {
        const std::size_t n = all_.size();
        std::vector<std::uint32_t> fresh, other;
        for (const std::uint32_t row : wanted)
            if (place_[row] == nowhere)
                (n_kept_ + fresh.size() < most_ ? fresh : other).push_back(row);
        source_.block(fresh, all_, kept_.get() + n_kept_ * n, n, n_threads, monitor);
        for (const std::uint32_t row : fresh)
            place_[row] = static_cast<std::uint32_t>(n_kept_++);
        scratch_.resize(std::max(scratch_.size(), other.size() * n));
        source_.block(other, all_, scratch_.data(), n, n_threads, monitor);
        std::vector<const T*> found;
        std::size_t next = 0;
        for (const std::uint32_t row : wanted)
            found.push_back(place_[row] == nowhere ? scratch_.data() + next++ * n : kept_.get() + place_[row] * n);
        return found;
    }

private:
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

    const Source<T>& source_;
    std::vector<std::uint32_t> all_;
    std::size_t most_, n_kept_ = 0;
    std::vector<std::uint32_t> place_;
    std::unique_ptr<T[]> kept_; // pages that are never written take no memory
    std::vector<T> scratch_;
};

} // namespace margin::svm
