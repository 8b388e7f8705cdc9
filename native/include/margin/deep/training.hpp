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
};

/// The rows to learn from.
template <class T>
struct Rows {
    const T* x;
    Targets<T> targets;
    std::span<const std::int64_t> order; // rows in the order of visits
};

struct EpochReport {
    double loss = 0;            // the mean over the rows, each before it was learnt, penalty included
    double gradient = 0;        // the mean length of the gradients
    std::ptrdiff_t failed = -1; // the batch whose loss was not finite
};

template <class T>
class Trainer {
public:
    Trainer(const std::vector<std::size_t>& units, const Settings& settings)
        : layout_(units), settings_(settings), activation_(ActivationOf<T>::named(settings.activation)),
          error_(error_function<T>(settings.error)), step_(step_function<T>(settings.optimizer)),
          decays_(settings.optimizer == AdamW::name), w_(layout_.size), first_(layout_.size), second_(layout_.size) {}

    const Layout<T>& layout() const noexcept { return layout_; }
    std::vector<T>& weights() noexcept { return w_; }
    std::vector<T>& first() noexcept { return first_; }
    std::vector<T>& second() noexcept { return second_; }
    std::uint64_t& steps() noexcept { return steps_; }

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
            const std::int64_t* visited = rows.order.data() + begin;
            passes_->read(rows.x, visited, n);
            passes_->forward(w_.data(), helpers, {settings_.dropout, settings_.seed}, steps_);
            const double loss =
                passes_->loss(error_, visited, rows.targets) + (decays_ ? 0 : 0.5 * settings_.alpha * squares);
            if (!std::isfinite(loss)) {
                report.failed = static_cast<std::ptrdiff_t>(k);
                return report;
            }
            passes_->backward(w_.data(), helpers);
            const Lengths found = move(static_cast<double>(n), rates[k], helpers);
            squares = found.weights;
            report.loss += loss;
            report.gradient += std::sqrt(found.gradient);
        }
        report.loss /= static_cast<double>(rows.order.size());
        report.gradient /= static_cast<double>(k);
        return report;
    }

    /// The mean loss of all rows with its penalty, and its gradient (in panels). Sums are over fixed blocks of rows.
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
            const std::int64_t* visited = rows.order.data() + begin;
            own->read(rows.x, visited, end - begin);
            own->forward(w_.data(), alone, {}, 0);
            const double loss = own->loss(error_, visited, rows.targets);
            own->backward(w_.data(), alone);
            joined.add(begin / block, {loss, {own->gradient().begin(), own->gradient().end()}}, join);
        });
        Part& whole = *joined.whole();
        const double scale = 1 / static_cast<double>(n);
        for (const auto& layer : layout_.layers)
            for (std::size_t i = layer.weights; i < layer.bias; ++i)
                whole.gradient[i] += static_cast<T>(settings_.alpha) * w_[i];
        for (T& g : whole.gradient)
            g *= static_cast<T>(scale);
        gradient = std::move(whole.gradient);
        return (whole.loss + 0.5 * settings_.alpha * weight_squares()) * scale;
    }

private:
    double weight_squares() const {
        double sum = 0;
        for (const auto& layer : layout_.layers)
            sum +=
                gradient_length<T>(layer.n_weights(), w_.data() + layer.weights, w_.data() + layer.weights, T(0), T(1));
        return sum;
    }

    /// One step with the gradient of n rows.
    Lengths move(double n, double rate, const Helpers& helpers) {
        const double t = static_cast<double>(++steps_), penalty = decays_ ? 0 : settings_.alpha;
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
        const T* sum = passes_->gradient().data();
        double unclipped = -1;
        if (settings_.clip > 0) {
            unclipped = 0;
            for (const auto& layer : layout_.layers)
                unclipped +=
                    gradient_length(layer.n_weights(), w_.data() + layer.weights, sum + layer.weights, step.penalty,
                                    step.scale) +
                    gradient_length(layer.n_bias(), w_.data() + layer.bias, sum + layer.bias, T(0), step.scale);
            if (std::sqrt(unclipped) > settings_.clip)
                step.scale *= as(settings_.clip / std::sqrt(unclipped));
        }
        Lengths found;
        for (const auto& layer : layout_.layers) {
            const Lengths of_weights = move_part(layer.weights, layer.n_weights(), sum, step, helpers);
            Step<T> of_bias = step;
            of_bias.penalty = of_bias.decay = 0;
            found.gradient +=
                of_weights.gradient + move_part(layer.bias, layer.n_bias(), sum, of_bias, helpers).gradient;
            found.weights += of_weights.weights;
        }
        if (unclipped >= 0)
            found.gradient = unclipped;
        return found;
    }

    Lengths move_part(std::size_t begin, std::size_t n, const T* sum, const Step<T>& step, const Helpers& helpers) {
        constexpr std::size_t chunk = 1024 * panel<T>;
        const std::size_t n_chunks = (n + chunk - 1) / chunk;
        lengths_.resize(std::max(lengths_.size(), n_chunks));
        helpers.share(n_chunks, 16 * n, [&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c) {
                const std::size_t at = begin + c * chunk;
                lengths_[c] = step_(std::min(chunk, n - c * chunk), w_.data() + at, sum + at, first_.data() + at,
                                    second_.data() + at, step);
            }
        });
        Lengths found;
        for (std::size_t c = 0; c < n_chunks; ++c) {
            found.gradient += lengths_[c].gradient;
            found.weights += lengths_[c].weights;
        }
        return found;
    }

    Layout<T> layout_;
    Settings settings_;
    ActivationOf<T> activation_;
    ErrorFunction<T> error_;
    StepFunction<T> step_;
    bool decays_;
    std::vector<T> w_, first_, second_;
    std::vector<Lengths> lengths_;
    std::uint64_t steps_ = 0;
    std::optional<Passes<T>> passes_;
    std::size_t most_rows_ = 0;
};

} // namespace margin::deep
