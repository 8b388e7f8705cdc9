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
                    double epsilon, double clip, double dropout, std::uint64_t seed,
                    const std::vector<std::size_t>& levels, const std::vector<std::size_t>& widths,
                    const std::vector<std::size_t>& groups, bool batch_norm, double smoothing, double mixup,
                    double average)
        : groups_(groups), trainer_(units, {activation,
                                            error,
                                            optimizer,
                                            alpha,
                                            momentum,
                                            beta_1,
                                            beta_2,
                                            epsilon,
                                            clip,
                                            dropout,
                                            seed,
                                            {levels, widths},
                                            groups,
                                            batch_norm,
                                            smoothing,
                                            mixup,
                                            average}) {}

    /// Begin with weights of layers without batch norm: its factors are 1, and nothing is remembered.
    void begin(In<T> weights) {
        auto& now = trainer_.now();
        const auto& layout = trainer_.layout();
        const std::size_t width = weights.size();
        for (auto* each : {&now.weights, &now.first, &now.second})
            std::fill(each->begin(), each->end(), T(0));
        std::vector<T> flat(layout.flat_size, T(1));
        std::size_t from = layout.n_vectors;
        if (width < from)
            throw std::invalid_argument("Trainer.begin: as many numbers as the network has weights");
        std::copy_n(weights.data(), from, flat.data());
        for (const auto& layer : layout.layers) {
            const std::size_t n = layer.in * layer.out + layer.out;
            if (from + n > width)
                throw std::invalid_argument("Trainer.begin: as many numbers as the network has weights");
            std::copy_n(weights.data() + from, n, flat.data() + layer.flat);
            from += n;
        }
        layout.pack(flat.data(), now.weights.data());
        now.norms = deep::RunningNorms<T>(now.norms.mean.size());
        if (!now.average.empty())
            now.average = now.weights;
        now.steps = 0;
    }

    /// Go on from there; what is None is 0.
    void set(In<T> weights, In<T> first, In<T> second, std::uint64_t steps, In<T> average, In<T> norms) {
        auto& now = trainer_.now();
        put(weights, now.weights), put(first, now.first), put(second, now.second);
        if (!now.average.empty())
            put(average.is_valid() ? average : weights, now.average);
        if (norms.is_valid()) {
            const std::size_t n = now.norms.mean.size();
            if (norms.size() != 2 * n)
                throw std::invalid_argument("Trainer.set: as many running means as the network has units");
            std::copy_n(norms.data(), n, now.norms.mean.data());
            std::copy_n(norms.data() + n, n, now.norms.variance.data());
        }
        now.steps = steps;
    }

    Out<T> weights() { return flat(trainer_.now().weights); }
    nb::tuple memory() {
        auto& now = trainer_.now();
        return nb::make_tuple(flat(now.first), flat(now.second), now.steps);
    }
    nb::object average() {
        auto& now = trainer_.now();
        return now.average.empty() ? nb::none() : nb::cast(flat(now.average));
    }
    nb::object norms() {
        const auto& now = trainer_.now().norms;
        if (now.mean.empty())
            return nb::none();
        std::vector<T> both = now.mean;
        both.insert(both.end(), now.variance.begin(), now.variance.end());
        return nb::cast(give(std::move(both)));
    }

    /// The network as it answers: averaged weights where they are averaged, without batch norm.
    Out<T> answering() {
        const auto& now = trainer_.now();
        return give(
            deep::fold_norms(trainer_.layout(), (now.average.empty() ? now.weights : now.average).data(), now.norms));
    }

    nb::tuple epoch(InMatrix<T> x, In<std::int32_t> classes, InMatrix<T> values, In<T> weight, In<std::int64_t> order,
                    std::size_t batch, In<double> rates, std::size_t n_threads, In<T> cells, In<std::int32_t> columns,
                    In<std::int64_t> starts) {
        const auto rows = rows_of(x, classes, values, weight, order, cells, columns, starts);
        const auto found = with_monitor(
            [&](Monitor& monitor) { return trainer_.epoch(rows, batch, span(rates), n_threads, monitor); });
        return nb::make_tuple(found.loss, found.gradient, found.failed);
    }

    nb::tuple objective(InMatrix<T> x, In<std::int32_t> classes, InMatrix<T> values, In<T> weight,
                        In<std::int64_t> order, std::size_t n_threads, In<T> cells, In<std::int32_t> columns,
                        In<std::int64_t> starts) {
        const auto rows = rows_of(x, classes, values, weight, order, cells, columns, starts);
        std::vector<T> gradient;
        const double loss =
            with_monitor([&](Monitor& monitor) { return trainer_.objective(rows, n_threads, monitor, gradient); });
        return nb::make_tuple(loss, flat(gradient));
    }

private:
    deep::Rows<T> rows_of(const InMatrix<T>& x, const In<std::int32_t>& classes, const InMatrix<T>& values,
                          const In<T>& weight, const In<std::int64_t>& order, const In<T>& cells,
                          const In<std::int32_t>& columns, const In<std::int64_t>& starts) const {
        const auto& layout = trainer_.layout();
        const bool dense = x.is_valid();
        if (classes.is_valid() == values.is_valid() || dense == cells.is_valid() ||
            (dense ? x.shape(1) != layout.columns() : !columns.is_valid() || !starts.is_valid()))
            throw std::invalid_argument("Trainer: rows and targets must be those of the network");
        deep::TableRows<T> table{optional(x)};
        if (!dense)
            table.sparse = csr(cells, columns, starts, layout.columns());
        return {table, {optional(classes), optional(values), optional(weight), groups_}, span(order)};
    }

    void put(const In<T>& given, std::vector<T>& kept) const {
        std::fill(kept.begin(), kept.end(), T(0));
        if (!given.is_valid())
            return;
        if (given.size() != trainer_.layout().flat_size)
            throw std::invalid_argument("Trainer.set: as many numbers as the network has weights");
        trainer_.layout().pack(given.data(), kept.data());
    }

    Out<T> flat(const std::vector<T>& packed) const {
        std::vector<T> found(trainer_.layout().flat_size);
        trainer_.layout().unpack(packed.data(), found.data());
        return give(std::move(found));
    }

    std::vector<std::size_t> groups_;
    deep::Trainer<T> trainer_;
};

} // namespace margin::bindings
