// margin._core.svm: sums of kernels over sparse vectors, and over the columns of a matrix.
#include "cells.hpp"
#include "interrupt.hpp"
#include "margin/svm/expansion.hpp"
#include "svm_source.hpp"
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

using namespace margin;
using namespace margin::bindings;

namespace {

using Stored = std::tuple<In<double>, In<std::int64_t>, In<std::int64_t>>;

data::Csr<double, std::int64_t> csr_of(const Stored& x, std::size_t width) {
    return csr(std::get<0>(x), std::get<1>(x), std::get<2>(x), width);
}

template <class T>
Out<double> sums(const Stored& x, const Stored& vectors, std::size_t width, InMatrix<T> coef, In<std::int64_t> bounds,
                 std::string_view name, double gamma, double coef0, double degree, std::size_t n_threads) {
    const svm::Kernel kernel{svm::kind_of(name), gamma, coef0, degree};
    std::vector<double> out((std::get<2>(x).size() - 1) * (bounds.size() - 1) * coef.shape(0));
    with_monitor([&](Monitor& monitor) {
        const svm::CsrRows<T> rows(csr_of(x, width), kernel), those(csr_of(vectors, width), kernel);
        svm::expansion_sums<T>(
            svm::CsrVectors<T>{those}, kernel, {coef.data(), coef.shape(1), coef.shape(0), span(bounds)}, rows.size(),
            [&](std::size_t begin, std::size_t end) { return typename svm::CsrVectors<T>::Rows(rows, begin, end); },
            out.data(), n_threads, monitor);
    });
    return give(std::move(out));
}

} // namespace

MARGIN_BINDINGS(svm) {
    const auto bind = [&]<class T>() {
        svm.def("csr_sums", &sums<T>, "x"_a, "vectors"_a, "width"_a, "coef"_a.noconvert(), "bounds"_a.noconvert(),
                "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "n_threads"_a, "Sums of kernels: rows, parts, sums.");
    };
    bind.template operator()<float>();
    bind.template operator()<double>();
}
