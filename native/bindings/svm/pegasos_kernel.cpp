// margin._core.svm: a pass of sub-gradient descent with a kernel.
#include "margin/svm/pegasos/pegasos_kernel.hpp"
#include "pegasos.hpp"
#include "source.hpp"

using namespace margin;
using namespace margin::bindings;
using Labels = In<std::int32_t>;
using Numbers = In<double>;

namespace {

/// Kept rows of a source in single or in double precision; Python keeps the source alive.
struct KeptKernelRows {
    std::unique_ptr<svm::KeptRows<float>> single; // one of the two is there
    std::unique_ptr<svm::KeptRows<double>> full;

    KeptKernelRows(const KernelSource& source, std::size_t bytes) {
        if (source.single)
            single = std::make_unique<svm::KeptRows<float>>(*source.single, bytes);
        else
            full = std::make_unique<svm::KeptRows<double>>(*source.full, bytes);
    }
};

double kernel_pass_over(KeptKernelRows& rows, const PegasosSettings& settings, Labels y, Numbers weight,
                        Numbers squares, Visited order, Changed scalars, Changed u, Changed sums, Changed beta,
                        Changed beta_sums, double t, std::size_t n_threads) {
    auto scores = scores_of(scalars, t);
    const svm::KernelWeights weights{y.size(), u.data(), optional(sums), beta.data(), optional(beta_sums)};
    const auto pass = settings.pass(y, weight, squares, order, 1);
    with_monitor([&](Monitor& monitor) {
        if (rows.single)
            svm::kernel_pass(*rows.single, pass, scores, weights, n_threads, monitor);
        else
            svm::kernel_pass(*rows.full, pass, scores, weights, n_threads, monitor);
    });
    return scores.t;
}

} // namespace

MARGIN_BINDINGS(svm) {
    const auto none = [](const char* name) { return nb::arg(name).noconvert().none(); };
    const auto there = [](const char* name) { return nb::arg(name).noconvert(); };
    nb::class_<KeptKernelRows>(svm, "KeptKernelRows")
        .def(nb::init<const KernelSource&, std::size_t>(), "source"_a, "bytes"_a, nb::keep_alive<1, 2>());
    svm.def("kernel_pass", &kernel_pass_over, "rows"_a, "settings"_a, there("y"), none("weight"), none("squares"),
            none("visits"), there("scalars"), there("u"), none("sums"), there("beta"), none("beta_sums"), "t"_a,
            "n_threads"_a);
}
