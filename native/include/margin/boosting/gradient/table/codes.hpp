#pragma once
// Cells as codes, a byte each, or two where columns have more bins than bytes tell apart; and sets of codes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace margin::boosting {

/// Most bins of columns whose codes are bytes, and of any; missing cells have a code of their own behind them.
inline constexpr std::size_t most_byte_bins = 255, most_bins = 65535;

/// Codes one after another. Kernels read eight at a time: behind the last there is room for seven more.
class Codes {
public:
    Codes() = default;
    Codes(std::size_t n, bool wide) {
        if (wide)
            words_ = made<std::uint16_t>(n);
        else
            bytes_ = made<std::uint8_t>(n);
    }

    std::size_t operator[](std::size_t at) const noexcept { return words_ ? words_[at] : bytes_[at]; }
    void set(std::size_t at, std::size_t code) noexcept {
        if (words_)
            words_[at] = static_cast<std::uint16_t>(code);
        else
            bytes_[at] = static_cast<std::uint8_t>(code);
    }
    /// visit(codes) with the pointer to the first, of either width.
    template <class Visit>
    decltype(auto) visit(Visit&& visit) const {
        return words_ ? visit(words_.get()) : visit(bytes_.get());
    }

private:
    static constexpr std::size_t spare = 8;

    template <class Code>
    static std::unique_ptr<Code[]> made(std::size_t n) {
        auto codes = std::make_unique_for_overwrite<Code[]>(n + spare);
        std::fill_n(codes.get() + n, spare, Code{0});
        return codes;
    }

    std::unique_ptr<std::uint8_t[]> bytes_;
    std::unique_ptr<std::uint16_t[]> words_;
};

/// Which codes of a column go to branch 0: any of the first 256, and of the others those below a limit and one more.
struct CodeSet {
    std::array<std::uint64_t, 4> first{};
    std::uint32_t below = 0, also = 0;

    friend bool operator==(const CodeSet&, const CodeSet&) = default;
};

inline bool holds(const CodeSet& set, std::size_t code) noexcept {
    return code < 256 ? set.first[code / 64] >> (code % 64) & 1 : code < set.below || code == set.also;
}
/// Above 255 one code alone can be put in by itself, that of missing cells.
inline void put(CodeSet& set, std::size_t code) noexcept {
    if (code < 256)
        set.first[code / 64] |= std::uint64_t{1} << (code % 64);
    else
        set.also = static_cast<std::uint32_t>(code);
}
/// The first n codes.
inline void put_first(CodeSet& set, std::size_t n) noexcept {
    for (std::size_t code = 0; code < std::min<std::size_t>(n, 256); ++code)
        put(set, code);
    set.below = static_cast<std::uint32_t>(n);
}

} // namespace margin::boosting
