// margin/linear/online/active.hpp
#include "check.hpp"
#include "margin/linear/online/active.hpp"
#include <limits>

using namespace margin;
using namespace margin::linear;

namespace {

constexpr std::size_t endless = std::numeric_limits<std::size_t>::max();

struct Learner {
    std::vector<double> v, constant, threshold;
    std::vector<std::int64_t> streak;
    ActiveState state;

    Learner(std::size_t n_scores, std::size_t width)
        : v(n_scores * padded(width)), constant(n_scores), threshold(n_scores, std::numeric_limits<double>::infinity()),
          streak(n_scores),
          state{v.data(), constant.data(), threshold.data(), streak.data(), n_scores, padded(width), 0} {}
};

// Exactly as many cells as there are: a sanitizer sees every read beyond them.
std::vector<double> cells(std::size_t n) {
    std::vector<double> found;
    found.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        found.push_back(i % 3 == 1 ? 0.0 : static_cast<double>((i * 37) % 23) - 11);
    return found;
}

} // namespace

TEST("the first row sets the direction and a mistake reflects it") {
    Monitor monitor;
    const std::vector<double> x{1, 0, 6, 8, 0, 0, 9, 0.1};
    const std::vector<std::int32_t> y{1, 0, 1, 1};
    std::vector<std::uint8_t> asked(4);
    Learner learner(1, 2);
    const ActiveStream stream{{nullptr, 4}, y.data(), asked.data(), false, false, 2, 0.7, endless};
    const DenseRows<double> rows(x.data(), 4, 2);
    CHECK(active_stream(rows, stream, 0, endless, learner.state, monitor) == 4);
    CHECK_NEAR(learner.v[0], 0.28, 1e-12); // (1, 0) - 1.2 (.6, .8)
    CHECK_NEAR(learner.v[1], -0.96, 1e-12);
    CHECK(asked == std::vector<std::uint8_t>({1, 1, 0, 1})); // nothing is asked of a row of zeros
    CHECK(learner.state.labels == 3);
    CHECK(learner.threshold[0] == 0.7);
}

TEST("stored cells are followed as dense ones are, stop where enough is known, and go on from there") {
    Monitor monitor;
    for (const std::size_t d : {1, 2, 5, 8, 9, 17})
        for (const std::size_t n_scores : {1, 3}) {
            const std::size_t n = 200;
            const auto x = cells(n * d);
            std::vector<double> values;
            std::vector<std::int32_t> columns, y;
            std::vector<std::int64_t> start{0};
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < d; ++j)
                    if (x[i * d + j] != 0)
                        values.push_back(x[i * d + j]), columns.push_back(static_cast<std::int32_t>(j));
                start.push_back(static_cast<std::int64_t>(values.size()));
                y.push_back(static_cast<std::int32_t>(x[i * d] > 0));
            }
            const SparseRows<double, std::int32_t> stored{{values.data(), columns.data(), start.data(), n, d}};
            const DenseRows<double> dense(x.data(), n, d);
            std::vector<std::uint8_t> asked(n), asked_stored(n);
            Learner whole(n_scores, d), parts(n_scores, d);
            const ActiveStream stream{{nullptr, n}, y.data(), asked.data(), true, false, 4, 0.5, endless};
            ActiveStream other = stream;
            other.asked = asked_stored.data();
            active_stream(dense, stream, 0, endless, whole.state, monitor);
            std::size_t at = 0;
            while (at < n)
                at = active_stream(stored, other, at, parts.state.labels + 3, parts.state, monitor);
            CHECK(asked == asked_stored);
            CHECK(whole.v == parts.v);
            CHECK(whole.constant == parts.constant);
            CHECK(whole.threshold == parts.threshold);
            CHECK(whole.state.labels == parts.state.labels);
        }
}

TEST("no more labels are looked at than are allowed, and known ones cost nothing") {
    Monitor monitor;
    const auto x = cells(150);
    const std::vector<std::int32_t> y(50, 1);
    std::vector<std::uint8_t> asked(50);
    Learner learner(1, 3);
    const ActiveStream stream{{nullptr, 50}, y.data(), asked.data(), false, false, 1000, 2.0, 7};
    const DenseRows<double> rows(x.data(), 50, 3);
    active_stream(rows, stream, 0, endless, learner.state, monitor);
    CHECK(learner.state.labels == 7);
    active_stream(rows, stream, 0, endless, learner.state, monitor);
    CHECK(learner.state.labels == 7);
}
