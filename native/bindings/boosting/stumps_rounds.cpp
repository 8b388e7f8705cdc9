// margin._core.boosting: rounds of boosting for classes.
#include "stumps.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;
using boosting::ClassRounds, boosting::RankedTable;

namespace {

ClassRounds* start(const RankedTable& table, In<std::int32_t> y, In<double> weight, std::size_t n_classes,
                   std::optional<In<std::int64_t>> times) {
    const std::size_t n = table.rows();
    if (y.size() != n || weight.size() != n || (times && times->size() != n) || n_classes > 1024)
        throw nb::value_error("a class, a weight and a count are needed for each row, of at most 1024 classes");
    const auto given = times ? span(*times) : std::span<const std::int64_t>();
    return new ClassRounds(table, span(y), span(weight), n_classes, given);
}

nb::dict grow(ClassRounds& rounds, std::string_view criterion, std::size_t max_depth, std::size_t n_threads) {
    auto tree = with_monitor([&](Monitor& m) { return rounds.grow(criterion, max_depth, n_threads, m); });
    nb::dict given = give_tree(tree);
    given["sums"] = give(std::move(tree.sums), tree.n_leaves, rounds.n_classes());
    return given;
}

nb::tuple advance(ClassRounds& rounds, InMatrix<double> factor, InMatrix<double> vote, double scale,
                  std::size_t n_threads) {
    if (factor.shape(1) != rounds.n_classes() || vote.shape(1) != rounds.width() || factor.shape(0) != vote.shape(0))
        throw nb::value_error("factors and votes must have a row for each leaf");
    const auto standing =
        with_monitor([&](Monitor& m) { return rounds.advance(view(factor), view(vote), scale, n_threads, m); });
    const auto share = [&](auto sum) { return static_cast<double>(sum) / static_cast<double>(standing.whole); };
    std::vector<double> margins(standing.margins.size());
    std::ranges::transform(standing.margins, margins.begin(), share);
    return nb::make_tuple(share(standing.wrong), standing.least_margin, give(std::move(margins)));
}

void resume(ClassRounds& rounds, In<double> weight, InMatrix<double> votes) {
    if (weight.size() != rounds.rows() || votes.size() != rounds.rows() * rounds.width())
        throw nb::value_error("weights and votes are needed for each row");
    rounds.resume(span(weight), {votes.data(), votes.size()});
}

} // namespace

MARGIN_BINDINGS(boosting) {
    nb::class_<ClassRounds>(boosting, "ClassRounds", "Weights and votes of the training rows, round after round.")
        .def(nb::new_(&start), "table"_a, "y"_a.noconvert(), "weight"_a.noconvert(), "n_classes"_a,
             "times"_a.noconvert() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def_prop_ro(
            "weight", [](ClassRounds& r) { return give(std::vector<double>(r.weight())); }, nb::rv_policy::move)
        .def_prop_ro(
            "leaf", [](ClassRounds& r) { return give(std::vector<std::uint8_t>(r.leaf())); }, nb::rv_policy::move)
        .def("resume", &resume, "weight"_a.noconvert(), "votes"_a.noconvert(), "Go on from weights and votes.")
        .def("grow", &grow, "criterion"_a, "max_depth"_a, "n_threads"_a, "The tree of a round, and its sums by leaf.")
        .def("advance", &advance, "factor"_a.noconvert(), "vote"_a.noconvert(), "scale"_a, "n_threads"_a,
             "Reweigh and vote; the share of rows that are wrong, the least margin and the distribution of margins.");
}
