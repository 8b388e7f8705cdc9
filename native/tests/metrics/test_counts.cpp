// margin/metrics/labels.hpp and counts.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/metrics/counts.hpp"

using namespace margin;
using namespace margin::metrics;

namespace {

template <class T>
Labels of(const std::vector<T>& values) {
    return {values.data(), values.size(), sizeof(T), std::is_signed_v<T>};
}

/// Labels of one type, its least and greatest number among them, and what the slow way counts.
template <class T>
void check_type() {
    Monitor monitor;
    const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    const std::vector<T> wide{0, least, most};
    const Range range = label_range(of(wide), 1, monitor);
    CHECK(range.low == 0);
    CHECK(range.high == static_cast<std::make_unsigned_t<T>>(~std::make_unsigned_t<T>{0}));
    for (const T low : {T(0), T(least + 1), T(most - 5)}) {
        const std::vector<T> values{T(low + 3), low, T(low + 3), T(low + 5)};
        const auto found = tally(of(values), 6, 2, monitor);
        CHECK(found && found->counts == std::vector<std::int64_t>{1, 0, 0, 2, 0, 1});
        CHECK(!tally(of(values), 5, 2, monitor));
        CHECK(first_rows(of(values), *found, monitor) == std::vector<std::int64_t>{1, 4, 4, 0, 4, 3});
        const std::vector<std::int64_t> code_at{0, -1, -1, 1};
        std::vector<std::int64_t> codes(4);
        encode(of(values), {found->range.low, found->range.low + 3}, code_at.data(), codes.data(), 1, monitor);
        CHECK(codes == std::vector<std::int64_t>{1, 0, 1, -1});
    }
}

} // namespace

TEST("labels of every type are counted and coded, from the ends of its range too") {
    check_type<std::int8_t>();
    check_type<std::int16_t>();
    check_type<std::int32_t>();
    check_type<std::int64_t>();
    check_type<std::uint8_t>();
    check_type<std::uint16_t>();
    check_type<std::uint32_t>();
    check_type<std::uint64_t>();
}

TEST("a byte may use all of its 256 labels") {
    Monitor monitor;
    std::vector<std::uint8_t> all(256);
    for (std::size_t i = 0; i < 256; ++i)
        all[i] = static_cast<std::uint8_t>(i);
    CHECK(tally(of(all), 256, 1, monitor)->counts == std::vector<std::int64_t>(256, 1));
    CHECK(tally_pairs(of(all), of(all), nullptr, 1, monitor).has_value() == false); // 66049 cells for 256 rows
}

TEST("pairs of different types are counted, their weights added") {
    Monitor monitor;
    const std::vector<std::int64_t> truth{-1, 0, 0, -1};
    const std::vector<std::uint8_t> said{1, 1, 0, 1};
    const std::vector<double> weight{0.5, 2, 0, 1};
    const auto found = tally_pairs(of(truth), of(said), weight.data(), 2, monitor);
    CHECK(found->counts == std::vector<std::int64_t>{0, 2, 1, 1});
    CHECK(found->weights == std::vector<double>{0, 1.5, 0, 2});
    CHECK(tally_pairs(of(truth), of(said), nullptr, 2, monitor)->weights.empty());
}

TEST("without labels there is nothing to count") {
    Monitor monitor;
    const std::vector<std::int32_t> none;
    CHECK(tally(of(none), 10, 2, monitor)->counts.empty());
    CHECK(tally_pairs(of(none), of(none), nullptr, 2, monitor)->counts.empty());
    CHECK(!label_range(of(none), 2, monitor).is_within(100));
}

TEST("a rare label that the guess of the range has missed is counted all the same, by any number of threads") {
    Monitor monitor;
    Stream stream(3, 0);
    const std::size_t n = 300'001;
    std::vector<std::int16_t> truth(n), said(n);
    std::vector<double> weight(n);
    for (std::size_t i = 0; i < n; ++i) {
        truth[i] = static_cast<std::int16_t>(stream.below(5));
        said[i] = static_cast<std::int16_t>(stream.below(3));
        weight[i] = stream.uniform01();
    }
    truth[200'001] = -7;
    said[100'003] = 40;
    std::vector<std::int64_t> counts(12 * 41);
    std::vector<double> weights(12 * 41);
    for (std::size_t i = 0; i < n; ++i) {
        const auto cell = static_cast<std::size_t>((truth[i] + 7) * 41 + said[i]);
        ++counts[cell];
        weights[cell] += weight[i];
    }
    const auto one = tally_pairs(of(truth), of(said), weight.data(), 1, monitor);
    CHECK(one->counts == counts);
    for (std::size_t c = 0; c < weights.size(); ++c)
        CHECK_NEAR(one->weights[c], weights[c], 1e-7);
    for (const std::size_t threads : {2, 3, 7}) {
        const auto found = tally_pairs(of(truth), of(said), weight.data(), threads, monitor);
        CHECK(found->counts == one->counts && found->weights == one->weights);
        CHECK(tally(of(truth), 100, threads, monitor)->counts.size() == 12);
    }
}
