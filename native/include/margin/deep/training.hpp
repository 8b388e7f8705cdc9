#pragma once
// A network that learns: epochs of mini-batches, and the whole objective with its gradient.
#include "optimizer.hpp"
#include "passes.hpp"
#include <cmath>
#include <memory>
#include <optional>
#include <string>

namespace margin::deep {

/// What stays the same from the first batch to the last.
struct Settings {
    std::string activation, error, optimizer;
    double alpha, momentum, beta_1, beta_2, epsilon, clip, dropout;
    std::uint64_t seed;
    Embeddings embeddings{};
    std::vector<std::size_t> groups{}; // outputs of each target, where there are several
    bool batch_norm = false;
    double smoothing = 0, mixup = 0;
    double average = 0; // how much of the averaged weights a step leaves; 0 for none
};

/// The rows to learn from.
template <class T>
struct Rows {
    TableRows<T> x;
    Targets<T> targets;
    std::span<const std::int64_t> order; // rows in the order of visits
};

struct EpochReport {
    double loss = 0;            // the mean over the rows, each before it was learnt, penalty included
    double gradient = 0;        // the mean length of the gradients
    std::ptrdiff_t failed = -1; // the batch whose loss was not finite
};

/// What a network has learnt and what its optimiser remembers, in panels.
template <class T>
struct Learnt {
    std::vector<T> weights, first, second;
    std::vector<T> average; // of the weights; empty where they are not averaged
    RunningNorms<T> norms;
    std::uint64_t steps = 0;
};

template <class T>
class Trainer {
public:
    Trainer(const std::vector<std::size_t>& units, const Settings& settings)
        : layout_(units, settings.embeddings, settings.batch_norm), settings_(settings),
          activation_(ActivationOf<T>::named(settings.activation)), error_(error_function<T>(settings.error)),
          step_(step_function<T>(settings.optimizer)), decays_(settings.optimizer == AdamW::name) {
        const std::size_t n = layout_.total();
        now_.weights.resize(n), now_.first.resize(n), now_.second.resize(n);
        if (settings.average > 0)
            now_.average.resize(n);
        if (settings.batch_norm)
            now_.norms = RunningNorms<T>(layout_.n_hidden);
    }

    const Layout<T>& layout() const noexcept { return layout_; }
    Learnt<T>& now() noexcept { return now_; }

    /// One visit to every row of `order`, in batches; the k-th batch has the k-th rate.
    EpochReport epoch(const Rows<T>& rows, std::size_t batch, std::span<const double> rates, std::size_t n_threads,
                      Monitor& monitor) {
        if (!passes_ || batch > most_rows_) {
            passes_.emplace(layout_, batch, activation_, settings_.dropout > 0);
            most_rows_ = batch;
        }
        const Helpers helpers{n_threads, monitor};
        EpochReport report;
        double squares = weight_squares();
        std::size_t k = 0;
        for (std::size_t begin = 0; begin < rows.order.size(); begin += batch, ++k) {
            monitor.check();
            const std::size_t n = std::min(batch, rows.order.size() - begin);
            const double loss = batch_gradient(rows, rows.order.data() + begin, n, helpers) +
                                (decays_ ? 0 : 0.5 * settings_.alpha * squares);
            if (!std::isfinite(loss)) {
                report.failed = static_cast<std::ptrdiff_t>(k);
                return report;
            }
            const Lengths found = move(static_cast<double>(n), rates[k], helpers);
            squares = found.weights;
            report.loss += loss;
            report.gradient += std::sqrt(found.gradient);
            follow();
        }
        report.loss /= static_cast<double>(rows.order.size());
        report.gradient /= static_cast<double>(k);
        return report;
    }

    /// The mean loss of all rows with its penalty, and its gradient (in panels). Sums are over fixed blocks of rows. Not for
    /// batch norm, vectors and mixtures.
    double objective(const Rows<T>& rows, std::size_t n_threads, Monitor& monitor, std::vector<T>& gradient) {
        constexpr std::size_t block = 256;
        const std::size_t n = rows.order.size();
        struct Part {
            double loss;
            std::vector<T> gradient;
        };
        std::vector<std::unique_ptr<Passes<T>>> passes(n_workers(n, block, n_threads));
        JoinedInPairs<Part> joined((n + block - 1) / block);
        auto join = [](Part& left, Part&& right) {
            left.loss += right.loss;
            for (std::size_t i = 0; i < left.gradient.size(); ++i)
                left.gradient[i] += right.gradient[i];
        };
        parallel_for(n, block, n_threads, monitor, [&](std::size_t begin, std::size_t end, std::size_t worker) {
            auto& own = passes[worker];
            if (!own)
                own = std::make_unique<Passes<T>>(layout_, block, activation_, false);
            Monitor unwatched;
            const Helpers alone{1, unwatched};
            const Mixture<T> part{rows.order.data() + begin, end - begin};
            own->read(rows.x, now_.weights.data(), part, alone);
            own->forward(w(), nullptr, alone, {}, 0);
            const double loss = own->loss(error_, part.rows, rows.targets);
            own->backward(w(), rows.x, part, alone);
            joined.add(begin / block, {loss, {own->gradient().begin(), own->gradient().end()}}, join);
        });
        Part& whole = *joined.whole();
        const double scale = 1 / static_cast<double>(n);
        for (const auto& layer : layout_.layers)
            for (std::size_t i = layer.weights; i < layer.bias; ++i)
                whole.gradient[i] += static_cast<T>(settings_.alpha) * w()[i];
        for (T& g : whole.gradient)
            g *= static_cast<T>(scale);
        gradient = std::move(whole.gradient);
        return (whole.loss + 0.5 * settings_.alpha * weight_squares()) * scale;
    }

private:
    /// Weights of the layers; those of vectors stand before them.
    T* w() noexcept { return now_.weights.data() + layout_.n_vectors; }
    const T* w() const noexcept { return now_.weights.data() + layout_.n_vectors; }

    double weight_squares() const {
        double sum = 0;
        for (const auto& layer : layout_.layers)
            sum += gradient_length<T>(layer.n_weights(), w() + layer.weights, w() + layer.weights, T(0), T(1));
        return sum;
    }

    /// What a batch costs; its gradient is left in the passes.
    double batch_gradient(const Rows<T>& rows, const std::int64_t* visited, std::size_t n, const Helpers& helpers) {
        const auto batch = soft_.mix(visited, n, settings_.mixup, settings_.seed + 1, now_.steps);
        passes_->read(rows.x, now_.weights.data(), batch, helpers);
        passes_->forward(w(), &now_.norms, helpers, {settings_.dropout, settings_.seed}, now_.steps);
        Targets<T> targets = rows.targets;
        if (batch.other || (targets.classes && settings_.smoothing > 0)) {
            targets = soft_.soften(batch, targets, layout_.layers.back().out, settings_.smoothing);
            visited = soft_.places();
        }
        const double loss = passes_->loss(error_, visited, targets);
        if (std::isfinite(loss))
            passes_->backward(w(), rows.x, batch, helpers);
        return loss;
    }

    /// One step with the gradient of n rows.
    Lengths move(double n, double rate, const Helpers& helpers) {
        const double t = static_cast<double>(++now_.steps), penalty = decays_ ? 0 : settings_.alpha;
        const double unbias_1 = 1 - std::pow(settings_.beta_1, t), unbias_2 = 1 - std::pow(settings_.beta_2, t);
        const auto as = [](double value) { return static_cast<T>(value); };
        Step<T> step{as(rate),
                     as(1 / n),
                     as(penalty),
                     as(settings_.momentum),
                     as(settings_.beta_1),
                     as(settings_.beta_2),
                     as(settings_.epsilon),
                     as(decays_ ? settings_.alpha : 0),
                     as(unbias_1),
                     as(unbias_2),
                     as(rate * std::sqrt(unbias_2) / unbias_1)};
        gather_vectors();
        double unclipped = -1;
        if (settings_.clip > 0) {
            unclipped = whole_length(step);
            if (std::sqrt(unclipped) > settings_.clip)
                step.scale *= as(settings_.clip / std::sqrt(unclipped));
        }
        Lengths found;
        Step<T> free = step; // of what is not punished for its size
        free.penalty = free.decay = 0;
        for (const auto& layer : layout_.layers) {
            const Lengths of_weights = move_part(layer.weights, layer.n_weights(), step, helpers);
            const std::size_t others = (layer.factor ? 2 : 1) * layer.n_bias();
            found.gradient += of_weights.gradient + move_part(layer.bias, others, free, helpers).gradient;
            found.weights += of_weights.weights;
        }
        found.gradient += move_vectors(free);
        if (unclipped >= 0)
            found.gradient = unclipped;
        return found;
    }

    /// The squared length of the gradient before a step.
    double whole_length(const Step<T>& step) const {
        const T* sum = passes_->gradient().data();
        double found = gradient_length(vectors_.w.size(), vectors_.w.data(), vectors_.sum.data(), T(0), step.scale);
        for (const auto& layer : layout_.layers)
            found +=
                gradient_length(layer.n_weights(), w() + layer.weights, sum + layer.weights, step.penalty, step.scale) +
                gradient_length((layer.factor ? 2 : 1) * layer.n_bias(), w() + layer.bias, sum + layer.bias, T(0),
                                step.scale);
        return found;
    }

    Lengths move_part(std::size_t begin, std::size_t n, const Step<T>& step, const Helpers& helpers) {
        constexpr std::size_t chunk = 1024 * panel<T>;
        const std::size_t n_chunks = (n + chunk - 1) / chunk;
        const T* sum = passes_->gradient().data();
        lengths_.resize(std::max(lengths_.size(), n_chunks));
        helpers.share(n_chunks, 16 * n, [&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c) {
                const std::size_t at = begin + c * chunk, place = layout_.n_vectors + at;
                lengths_[c] = step_(std::min(chunk, n - c * chunk), now_.weights.data() + place, sum + at,
                                    now_.first.data() + place, now_.second.data() + place, step);
            }
        });
        Lengths found;
        for (std::size_t c = 0; c < n_chunks; ++c) {
            found.gradient += lengths_[c].gradient;
            found.weights += lengths_[c].weights;
        }
        return found;
    }

    /// The vectors that a batch has looked up, side by side, with what is remembered of them; the others stay as they are.
    void gather_vectors() {
        if (layout_.tables.empty())
            return;
        const auto& gradient = passes_->of_vectors();
        const std::size_t n = panels_for<T>(gradient.slopes().size()) * panel<T>;
        vectors_.sum = gradient.slopes();
        vectors_.sum.resize(n, T(0));
        vectors_.w.assign(n, T(0)), vectors_.first.assign(n, T(0)), vectors_.second.assign(n, T(0));
        for_vectors([&](std::size_t place, std::size_t at, std::size_t width) {
            std::copy_n(now_.weights.data() + place, width, vectors_.w.data() + at);
            std::copy_n(now_.first.data() + place, width, vectors_.first.data() + at);
            std::copy_n(now_.second.data() + place, width, vectors_.second.data() + at);
        });
    }

    double move_vectors(const Step<T>& step) {
        if (layout_.tables.empty())
            return 0;
        const Lengths found = step_(vectors_.w.size(), vectors_.w.data(), vectors_.sum.data(), vectors_.first.data(),
                                    vectors_.second.data(), step);
        for_vectors([&](std::size_t place, std::size_t at, std::size_t width) {
            std::copy_n(vectors_.w.data() + at, width, now_.weights.data() + place);
            std::copy_n(vectors_.first.data() + at, width, now_.first.data() + place);
            std::copy_n(vectors_.second.data() + at, width, now_.second.data() + place);
        });
        return found.gradient;
    }

    template <class F>
    void for_vectors(F&& f) const {
        for (const auto& each : passes_->of_vectors().touched()) {
            const auto& table = layout_.tables[each.table];
            f(table.at + each.level * table.width, each.at, table.width);
        }
    }

    /// The averaged weights come a little after the weights; at first, when these still move far, by larger steps.
    void follow() {
        if (now_.average.empty())
            return;
        const double t = static_cast<double>(now_.steps), kept = std::min(settings_.average, (1 + t) / (10 + t));
        const T share = static_cast<T>(1 - kept);
        for (std::size_t i = 0; i < now_.average.size(); ++i)
            now_.average[i] += share * (now_.weights[i] - now_.average[i]);
    }

    struct Side {
        std::vector<T> w, sum, first, second;
    };

    Layout<T> layout_;
    Settings settings_;
    ActivationOf<T> activation_;
    ErrorFunction<T> error_;
    StepFunction<T> step_;
    bool decays_;
    Learnt<T> now_;
    Side vectors_;
    std::vector<Lengths> lengths_;
    SoftBatch<T> soft_;
    std::optional<Passes<T>> passes_;
    std::size_t most_rows_ = 0;
};

} // namespace margin::deep
