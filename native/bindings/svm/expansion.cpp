// margin._core.svm: sums of kernels over dense vectors, which Python keeps in panels.
#include "margin/svm/kernel/expansion.hpp"
#include "bindings/interrupt.hpp"
#include "source.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
nb::tuple pack(InMatrix<double> x, In<std::int64_t> bounds, In<double> mean, const svm::Kernel& kernel) {
    svm::PackedVectors<T> packed(view(x), span(bounds), span(mean), kernel);
    return nb::make_tuple(give(std::move(packed.panels)), give(std::move(packed.squares)),
                          give(std::move(packed.bounds)));
}

template <class T, class X>
Out<double> sums(InMatrix<X> x, In<T> panels, In<T> squares, InMatrix<T> coef, In<std::int64_t> bounds, In<double> mean,
                 const svm::Kernel& kernel, std::size_t n_threads) {
    const auto rows = view(x);
    std::vector<double> out(rows.rows() * (bounds.size() - 1) * coef.shape(0));
    const auto run = [&](Monitor& monitor) {
        svm::expansion_sums<T>(
            svm::DenseVectors<T>{panels.data(), squares.data(), rows.columns()}, kernel,
            {coef.data(), coef.shape(1), coef.shape(0), span(bounds)}, rows.rows(),
            [&](std::size_t begin, std::size_t end) {
                return svm::DenseRows<T>(rows.slice(begin, end), span(mean), kernel);
            },
            out.data(), n_threads, monitor);
    };
    with_monitor(run);
    return give(std::move(out));
}

template <class T>
void bind_dense_sums(nb::module_& svm) {
    svm.def(sizeof(T) == 4 ? "pack_single" : "pack_full", &pack<T>, "x"_a.noconvert(), "bounds"_a.noconvert(),
            "mean"_a.noconvert(), "kernel"_a, "Panels, squared lengths, bounds in panels.");
    const auto sums_of = [&]<class X>() {
        svm.def("sums", &sums<T, X>, "x"_a.noconvert(), "panels"_a.noconvert(), "squares"_a.noconvert(),
                "coef"_a.noconvert(), "bounds"_a.noconvert(), "mean"_a.noconvert(), "kernel"_a, "n_threads"_a,
                "Sums of kernels: rows, parts, sums.");
    };
    sums_of.template operator()<double>();
    sums_of.template operator()<float>();
}

} // namespace

MARGIN_BINDINGS(svm) {
    bind_dense_sums<float>(svm);
    bind_dense_sums<double>(svm);
}
