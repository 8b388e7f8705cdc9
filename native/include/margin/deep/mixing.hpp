#pragma once
// Rows that are learnt as mixtures of two (mixup), and classes that are not told with certainty (label smoothing).
//
// Zhang, Cissé, Dauphin, Lopez-Paz (2018): a batch is mixed with itself in another order, (1 - s) of each row and s of its
// partner, with 1 - s drawn from Beta(a, a); targets likewise. Szegedy et al. (2016): a share of each row is spread
// evenly over all classes.
#include "error_layer.hpp"
#include "margin/core/random.hpp"
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace margin::deep {

/// Which rows a batch is made of: `rows`, and where `other` is there, `share` of it instead of as much of the first.
template <class T>
struct Mixture {
    const std::int64_t* rows;
    std::size_t n;
    const std::int64_t* other = nullptr;
    T share = 0;
};

/// From Beta(a, a) by Jöhnk (1964), good for 0 < a <= 1; at most 1/2, for it does not matter which row comes first.
inline double draw_share(Stream& stream, double a) {
    a = std::max(a, 1e-3); // a power of 1 / a would vanish for nearly all draws
    for (;;) {
        const double x = std::pow(stream.uniform01(), 1 / a), y = std::pow(stream.uniform01(), 1 / a);
        if (x + y <= 1 && x + y > 0)
            return std::min(x, y) / (x + y);
    }
}

/// A batch with partners drawn for it, and the targets of its mixtures.
template <class T>
class SoftBatch {
public:
    /// The batch as it stands where `mixup` is 0.
    Mixture<T> mix(const std::int64_t* rows, std::size_t n, double mixup, std::uint64_t seed, std::uint64_t turn) {
        Mixture<T> made{rows, n};
        if (mixup == 0)
            return made;
        Stream stream(seed, turn);
        made.share = static_cast<T>(draw_share(stream, mixup));
        other_.assign(rows, rows + n);
        stream.shuffle(std::span(other_));
        made.other = other_.data();
        return made;
    }

    /// One target of numbers for each row of the batch, and the places of these rows among them.
    Targets<T> soften(const Mixture<T>& batch, const Targets<T>& given, std::size_t outputs, double smoothing) {
        values_.assign(batch.n * outputs, T(0));
        weight_.assign(batch.n, T(0));
        places_.resize(batch.n);
        for (std::size_t r = 0; r < batch.n; ++r) {
            T* to = values_.data() + r * outputs;
            places_[r] = static_cast<std::int64_t>(r);
            add(batch.rows[r], 1 - batch.share, given, outputs, smoothing, to, weight_[r]);
            if (batch.other)
                add(batch.other[r], batch.share, given, outputs, smoothing, to, weight_[r]);
            for (std::size_t c = 0; c < outputs; ++c)
                to[c] /= weight_[r];
        }
        return {nullptr, values_.data(), weight_.data(), given.groups};
    }
    const std::int64_t* places() const noexcept { return places_.data(); }

private:
    static void add(std::int64_t at, T share, const Targets<T>& given, std::size_t outputs, double smoothing, T* to,
                    T& weight) {
        const auto row = static_cast<std::size_t>(at);
        const T w = share * (given.weight ? given.weight[row] : T(1));
        weight += w;
        for (std::size_t c = 0; c < outputs; ++c)
            to[c] += w * (given.classes ? static_cast<T>(smoothing / static_cast<double>(outputs))
                                        : given.values[row * outputs + c]);
        if (given.classes)
            to[given.classes[row]] += w * static_cast<T>(1 - smoothing);
    }

    std::vector<std::int64_t> other_, places_;
    std::vector<T> values_, weight_;
};

} // namespace margin::deep
