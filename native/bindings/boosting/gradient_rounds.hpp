#pragma once
// Rounds of boosting as dictionaries of NumPy arrays.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/boosting/gradient/booster.hpp"
#include <cstring>

namespace margin::bindings {

inline std::vector<double> copy(const In<double>& a) { return {a.data(), a.data() + a.size()}; }

inline nb::dict run(boosting::Boosting& boosting, std::size_t first, std::size_t n, bool with_loss, Monitor* monitor) {
    auto rounds = with_monitor(monitor, [&](Monitor& m) { return boosting.run(first, n, with_loss, m); });
    nb::dict arrays;
    const std::size_t n_nodes = rounds.trees.nodes.size();
    std::vector<std::uint64_t> nodes(2 * n_nodes);
    std::memcpy(nodes.data(), rounds.trees.nodes.data(), 16 * n_nodes);
    arrays["nodes"] = give(std::move(nodes), n_nodes, 2);
    arrays["start"] = give(std::move(rounds.trees.start));
    arrays["words"] = give(std::move(rounds.trees.words));
    arrays["gain"] = give(std::move(rounds.trees.gain));
    arrays["cover"] = give(std::move(rounds.trees.cover));
    arrays["term_nodes"] = give(std::move(rounds.trees.term_nodes));
    arrays["term_columns"] = give(std::move(rounds.trees.term_columns));
    const std::size_t n_terms = rounds.trees.terms.size() / 4;
    arrays["term_numbers"] = give(std::move(rounds.trees.terms), n_terms, 4);
    arrays["loss"] = give(std::move(rounds.loss));
    arrays["watched"] = give(std::move(rounds.watched));
    arrays["dropped"] = give(std::move(rounds.dropped));
    arrays["n_dropped"] = give(std::move(rounds.n_dropped));
    return arrays;
}

inline void give_slopes(boosting::Boosting& boosting, In<double> g, In<double> h) {
    if (g.size() != boosting.scores().size() || h.size() != boosting.scores().size())
        throw nb::value_error("there must be two derivatives for each score of each row");
    boosting.give_slopes(copy(g), copy(h));
}

/// Before derivatives are worked out elsewhere.
inline void leave_out(boosting::Boosting& boosting) {
    with_monitor([&](Monitor& m) { boosting.leave_out(m); });
}

/// Seconds of each phase, and how much was done there.
inline nb::dict phases(const boosting::Boosting& boosting) {
    nb::dict found;
    for (std::size_t k = 0; k < boosting::Phases::n_phases; ++k)
        found[nb::cast(std::string(boosting::Phases::names[k]))] =
            nb::make_tuple(boosting.phases().seconds[k], boosting.phases().done[k]);
    return found;
}

/// Columns of numbers as linear leaves ask for them; whoever fits keeps them.
template <class T>
boosting::RawNumbers raw_numbers(InMatrix<T> numbers, const boosting::Settings& settings) {
    boosting::RawNumbers raw;
    if (!settings.linear)
        return raw;
    raw.width = numbers.shape(1);
    if constexpr (std::is_same_v<T, double>)
        raw.doubles = numbers.data();
    else
        raw.floats = numbers.data();
    return raw;
}

inline Out<double> scores(const boosting::Boosting& boosting) { return give(std::vector<double>(boosting.scores())); }
inline Out<double> watched_scores(const boosting::Boosting& boosting) {
    return give(std::vector<double>(boosting.watched_scores()));
}

/// What does not depend on the type of the numbers.
inline void add_rounds(nb::class_<boosting::Boosting>& boosting) {
    boosting.def("run", &run, "first"_a, "n"_a, "with_loss"_a, "monitor"_a.none(),
                 "Some rounds: the arrays of their trees.");
    boosting.def("give_slopes", &give_slopes, "g"_a.noconvert(), "h"_a.noconvert(),
                 "The derivatives of the next round under the loss \"given\": scores x rows.");
    boosting.def("leave_out", &leave_out, "Take away the scores of rounds that the next one leaves out.");
    boosting.def("scores", &scores, "The scores of the rows, class after class.");
    boosting.def("phases", &phases, "Of each phase the seconds so far, and how much was done.");
    boosting.def(
        "n_groups", [](const boosting::Boosting& b) { return b.table().width(); },
        "Columns of histograms: exclusive ones are bundled.");
    boosting.def("watched_scores", &watched_scores, "Those of the watched rows.");
}

} // namespace margin::bindings
