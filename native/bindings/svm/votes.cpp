// margin._core.svm: the votes of pairs of classes.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/svm/kernel/coupling.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

OutMatrix<double> decisions(In<double> sums, In<double> intercept, std::size_t n_classes, std::size_t n_threads) {
    const std::size_t pairs = n_classes * (n_classes - 1) / 2, n = sums.size() / (2 * pairs);
    std::vector<double> out(n * pairs);
    with_monitor([&](Monitor& monitor) {
        svm::pair_decisions(span(sums), span(intercept), n_classes, out.data(), n_threads, monitor);
    });
    return give(std::move(out), n, pairs);
}

Out<std::int64_t> winners(InMatrix<double> decisions, std::size_t n_classes, std::size_t n_threads) {
    std::vector<std::int64_t> out(decisions.shape(0));
    with_monitor([&](Monitor& monitor) {
        svm::pair_winners({decisions.data(), decisions.size()}, n_classes, out.data(), n_threads, monitor);
    });
    return give(std::move(out));
}

OutMatrix<double> scores(InMatrix<double> decisions, std::size_t n_classes, std::size_t n_threads) {
    std::vector<double> out(decisions.shape(0) * n_classes);
    with_monitor([&](Monitor& monitor) {
        svm::pair_scores({decisions.data(), decisions.size()}, n_classes, out.data(), n_threads, monitor);
    });
    return give(std::move(out), decisions.shape(0), n_classes);
}

OutMatrix<double> couple(InMatrix<double> shares, std::size_t n_classes, std::size_t n_threads) {
    std::vector<double> out(shares.shape(0) * n_classes);
    with_monitor([&](Monitor& monitor) {
        svm::couple_pairs({shares.data(), shares.size()}, n_classes, out.data(), n_threads, monitor);
    });
    return give(std::move(out), shares.shape(0), n_classes);
}

} // namespace

MARGIN_BINDINGS(svm) {
    svm.def("pair_decisions", &decisions, "sums"_a.noconvert(), "intercept"_a.noconvert(), "n_classes"_a, "n_threads"_a,
            "Rows × pairs.");
    svm.def("pair_winners", &winners, "decisions"_a.noconvert(), "n_classes"_a, "n_threads"_a, "Most votes.");
    svm.def("pair_scores", &scores, "decisions"_a.noconvert(), "n_classes"_a, "n_threads"_a,
            "Votes, and how clear they were: rows × classes.");
    svm.def("couple_pairs", &couple, "shares"_a.noconvert(), "n_classes"_a, "n_threads"_a,
            "Probabilities out of those of the first class of each pair: rows × classes.");
}
