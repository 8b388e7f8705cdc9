#pragma once
// A kernel as sources and expansions hold it, and its function of whole tiles of products while these are in the cache.
#include "kernel.hpp"
#include <algorithm>
#include <cstddef>

namespace margin::svm {

/// A tile of products: xz[r * stride + c] is the product of row r with column c, xx and zz their squared lengths.
template <class T>
struct Products {
    const T* xz;
    std::size_t stride;
    const T* xx; // one for each row
    const T* zz; // one for each column
    std::size_t rows, columns;
};

namespace detail {

/// Puts the value of a function into each place of a tile.
template <class T>
struct FillTile {
    const Products<T>& of;
    T* out;
    std::size_t stride;

    template <class Function>
    MARGIN_INLINED void operator()(Function value) const {
        for (std::size_t r = 0; r < of.rows; ++r) {
            const T* __restrict xz = of.xz + r * of.stride;
            const T* __restrict zz = of.zz;
            T* __restrict to = out + r * stride;
            const T xx = of.xx[r];
            for (std::size_t c = 0; c < of.columns; ++c)
                to[c] = value(xz[c], xx + zz[c]);
        }
    }
};

template <class K, class T>
MARGIN_SIMD void apply_tile(const KernelParameters& parameters, const Products<T>& of, T* out, std::size_t stride) {
    K::template with_function<T>(parameters, FillTile<T>{of, out, stride});
}

} // namespace detail

/// A member of the family with its parameters, chosen once: what works on rows and blocks need not be compiled for each
/// of them. Small, and copied freely.
class Kernel {
public:
    template <KernelFamilyMember K>
    static Kernel of(const KernelParameters& parameters = {}) noexcept {
        Kernel made;
        made.parameters_ = parameters;
        made.of_distance_ = K::of_distance;
        made.row_scale_ = K::row_scale(parameters);
        made.apply_single_ = &detail::apply_tile<K, float>;
        made.apply_full_ = &detail::apply_tile<K, double>;
        return made;
    }

    /// Throws std::invalid_argument if the family has no such name.
    template <class Family = Kernels>
    static Kernel named(std::string_view name, const KernelParameters& parameters = {}) {
        return Family::visit(name, [&]<class K>() { return of<K>(parameters); });
    }

    bool of_distance() const noexcept { return of_distance_; }
    double row_scale() const noexcept { return row_scale_; }

    /// out[r * stride + c] = k(row r, column c). Values do not change if a row and a column change places.
    void apply(const Products<float>& of, float* out, std::size_t stride) const {
        apply_single_(parameters_, of, out, stride);
    }
    void apply(const Products<double>& of, double* out, std::size_t stride) const {
        apply_full_(parameters_, of, out, stride);
    }

private:
    template <class T>
    using Apply = void (*)(const KernelParameters&, const Products<T>&, T*, std::size_t);

    Kernel() = default;

    KernelParameters parameters_;
    bool of_distance_ = false;
    double row_scale_ = 1;
    Apply<float> apply_single_ = nullptr;
    Apply<double> apply_full_ = nullptr;
};

/// Cells of rows as products need them, in T: scaled, and for a kernel of distances cut where squares would leave the
/// range of T; there such a row is infinitely far from all others either way.
template <class T>
class Placing {
public:
    explicit Placing(const Kernel& kernel)
        : scale_(kernel.row_scale()), largest_(!kernel.of_distance() ? std::numeric_limits<double>::infinity()
                                               : sizeof(T) == 4      ? 1e15
                                                                     : 1e150) {}

    T operator()(double cell) const noexcept {
        return static_cast<T>(std::min(std::max(cell * scale_, -largest_), largest_));
    }

private:
    double scale_, largest_;
};

} // namespace margin::svm
