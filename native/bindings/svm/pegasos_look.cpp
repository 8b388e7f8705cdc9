// margin._core.svm: what weights cost, and sums of weighted rows.
#include "margin/svm/pegasos/look.hpp"
#include "pegasos.hpp"

using namespace margin;
using namespace margin::bindings;
using Labels = In<std::int32_t>;
using Numbers = In<double>;

namespace {

template <class Rows>
Out<double> hinges(const Rows& rows, Labels y, Numbers share, InMatrix<double> coef, Changed scalars, std::size_t n) {
    const auto scores = scores_of(scalars, 1);
    return give(with_monitor([&](Monitor& monitor) {
        return svm::hinge_losses(rows, y.size(), y.data(), share.data(), coef.data(), coef.shape(1), scores, n,
                                 monitor);
    }));
}

template <class Rows>
void sums(const Rows& rows, InMatrix<double> weights, Changed found, std::size_t n) {
    with_monitor([&](Monitor& monitor) {
        svm::weighted_sums(rows, weights.shape(1), weights.data(), weights.shape(0), found.data(), found.shape(1), n,
                           monitor);
    });
}

} // namespace

MARGIN_BINDINGS(svm) {
    const auto there = [](const char* name) { return nb::arg(name).noconvert(); };
    const auto def = [&](auto losses, auto weighted, auto... rows) {
        svm.def("hinge_losses", losses, rows..., there("y"), there("share"), there("coef"), there("scalars"),
                "n_threads"_a);
        svm.def("weighted_sums", weighted, rows..., there("weights"), there("sums"), "n_threads"_a);
    };
    for_each_type<double, float>([&]<class T>() {
        using Dense = linear::DenseRows<T>;
        def([](InMatrix<T> x, Labels y, Numbers share, InMatrix<double> coef, Changed scalars,
               std::size_t n) { return hinges(Dense(x.data(), x.shape(0), x.shape(1)), y, share, coef, scalars, n); },
            [](InMatrix<T> x, InMatrix<double> weights, Changed found, std::size_t n) {
                sums(Dense(x.data(), x.shape(0), x.shape(1)), weights, found, n);
            },
            there("x"));
    });
    for_each_type<double, float>([&]<class T>() {
        using Sparse = linear::SparseRows<T, std::int32_t>;
        def([](In<T> a, const Places& b, const Places& c, std::size_t width, Labels y, Numbers share,
               InMatrix<double> coef, Changed scalars,
               std::size_t n) { return hinges(Sparse{csr(a, b, c, width)}, y, share, coef, scalars, n); },
            [](In<T> a, const Places& b, const Places& c, std::size_t width, InMatrix<double> weights, Changed found,
               std::size_t n) { sums(Sparse{csr(a, b, c, width)}, weights, found, n); },
            there("data"), there("indices"), there("indptr"), "n_columns"_a);
    });
}
