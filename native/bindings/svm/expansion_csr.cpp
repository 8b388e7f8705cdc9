// margin._core.svm: sums of kernels over sparse vectors.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/svm/kernel/expansion.hpp"
#include "source.hpp"
#include <nanobind/stl/tuple.h>

using namespace margin;
using namespace margin::bindings;

namespace {

/// As CsrRows releases them.
template <class T>
using Kept = std::tuple<In<T>, In<std::uint32_t>, In<std::size_t>, In<T>>;

template <class T>
svm::CsrView<T> view_of(const Kept<T>& kept, std::size_t width) {
    const auto& [cells, places, starts, squares] = kept;
    return {{cells.data(), places.data(), starts.data()}, squares.data(), squares.size(), width};
}

template <class T>
Out<double> csr_sums(const Kept<T>& x, const Kept<T>& vectors, std::size_t width, InMatrix<T> coef,
                     In<std::int64_t> bounds, const svm::Kernel& kernel, std::size_t n_threads) {
    const auto rows = view_of(x, width), passing = view_of(vectors, width);
    std::vector<double> out(rows.size * (bounds.size() - 1) * coef.shape(0));
    with_monitor([&](Monitor& monitor) {
        const auto run = [&]<class Vectors>(const Vectors& those) {
            const auto some = [&](std::size_t a, std::size_t b) { return typename Vectors::Rows(rows, a, b); };
            svm::expansion_sums<T>(those, kernel, {coef.data(), coef.shape(1), coef.shape(0), span(bounds)}, rows.size,
                                   some, out.data(), n_threads, monitor);
        };
        rows.size <= svm::PassingVectors<T>::few ? run(svm::PassingVectors<T>{passing})
                                                 : run(svm::CsrVectors<T>{passing});
    });
    return give(std::move(out));
}

template <class T>
void bind_csr_sums(nb::module_& svm) {
    svm.def("csr_sums", &csr_sums<T>, "x"_a, "vectors"_a, "width"_a, "coef"_a.noconvert(), "bounds"_a.noconvert(),
            "kernel"_a, "n_threads"_a, "Sums of kernels: rows, parts, sums.");
}

} // namespace

MARGIN_BINDINGS(svm) {
    bind_csr_sums<float>(svm);
    bind_csr_sums<double>(svm);
}
