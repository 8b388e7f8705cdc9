#pragma once
// A trainer as Python holds it.
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "margin/deep/training.hpp"
#include <string>

namespace margin::bindings {

template <class T>
class LearningNetwork {
public:
    LearningNetwork(const std::vector<std::size_t>& units, const std::string& activation, const std::string& error,
                    const std::string& optimizer, double alpha, double momentum, double beta_1, double beta_2,
                    double epsilon, double clip, double dropout, std::uint64_t seed)
        : optimizer_(optimizer), trainer_(units, {activation, error, optimizer_, alpha, momentum, beta_1, beta_2,
                                                  epsilon, clip, dropout, seed}) {}

    void set(In<T> weights, In<T> first, In<T> second, std::uint64_t steps) {
        for (const auto& [given, kept] :
             {std::pair(&weights, &trainer_.weights()), {&first, &trainer_.first()}, {&second, &trainer_.second()}}) {
            std::fill(kept->begin(), kept->end(), T(0));
            if (given->is_valid()) {
                if (given->size() != trainer_.layout().flat_size)
                    throw std::invalid_argument("Trainer.set: as many numbers as the network has weights");
                trainer_.layout().pack(given->data(), kept->data());
            }
        }
        trainer_.steps() = steps;
    }

    Out<T> weights() { return flat(trainer_.weights()); }
    nb::tuple memory() { return nb::make_tuple(flat(trainer_.first()), flat(trainer_.second()), trainer_.steps()); }

    nb::tuple epoch(InMatrix<T> x, In<std::int32_t> classes, InMatrix<T> values, In<T> weight, In<std::int64_t> order,
                    std::size_t batch, In<double> rates, std::size_t n_threads) {
        const auto rows = rows_of(x, classes, values, weight, order);
        const auto found = with_monitor(
            [&](Monitor& monitor) { return trainer_.epoch(rows, batch, span(rates), n_threads, monitor); });
        return nb::make_tuple(found.loss, found.gradient, found.failed);
    }

    nb::tuple objective(InMatrix<T> x, In<std::int32_t> classes, InMatrix<T> values, In<T> weight,
                        In<std::int64_t> order, std::size_t n_threads) {
        const auto rows = rows_of(x, classes, values, weight, order);
        std::vector<T> gradient;
        const double loss =
            with_monitor([&](Monitor& monitor) { return trainer_.objective(rows, n_threads, monitor, gradient); });
        return nb::make_tuple(loss, flat(gradient));
    }

private:
    deep::Rows<T> rows_of(const InMatrix<T>& x, const In<std::int32_t>& classes, const InMatrix<T>& values,
                          const In<T>& weight, const In<std::int64_t>& order) const {
        if (x.shape(1) != trainer_.layout().layers.front().in || classes.is_valid() == values.is_valid())
            throw std::invalid_argument("Trainer: rows and targets must be those of the network");
        return {x.data(), {optional(classes), optional(values), optional(weight)}, span(order)};
    }

    Out<T> flat(const std::vector<T>& packed) const {
        std::vector<T> found(trainer_.layout().flat_size);
        trainer_.layout().unpack(packed.data(), found.data());
        return give(std::move(found));
    }

    std::string optimizer_; // settings look at it
    deep::Trainer<T> trainer_;
};

} // namespace margin::bindings
