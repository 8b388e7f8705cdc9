// margin/core/random.hpp: the same bits as NumPy, then the laws that the numbers must follow.
#include "check.hpp"
#include "margin/core/random.hpp"
#include <algorithm>
#include <map>
#include <numeric>

using namespace margin;

namespace {

template <class Generator>
std::vector<std::uint64_t> draw(Generator generator, std::size_t n) {
    std::vector<std::uint64_t> values(n);
    for (auto& value : values)
        value = generator.next();
    return values;
}

using Words = std::vector<std::uint64_t>;
constexpr std::uint64_t ones = UINT64_MAX;

} // namespace

// What numpy.random.Philox(key=…, counter=…).random_raw(6) gives (NumPy 2.4).
TEST("key and counter of nought give NumPy's bits") {
    CHECK(draw(Philox({0, 0}), 6) == Words{0x2f4ba6408e4d89b, 0x3dd62b0b9ca8c5b2, 0x1c8667a55d902e79,
                                           0x907d7a052fd5b4dc, 0x809bf322883987c3, 0x471128b9e807f7dd});
}

TEST("any key and counter give NumPy's bits") {
    CHECK(draw(Philox({0x123456789abcdef, 0xfedcba9876543210}, {1, 2, 3, 4}), 6) ==
          Words{0x88e941281d6fe907, 0x5823687dd5272472, 0x246fd1b93a04f59d, 0x5f18e9daf3d87de6, 0xa0177786c22eeb8a,
                0x3d98f3fd166e544});
}

TEST("the counter carries from word to word as NumPy's does") {
    CHECK(draw(Philox({ones, ones}, {ones, ones, ones, ones}), 6) == Words{0x44b7493d1acfc229, 0x6636af8e997921dd,
                                                                           0x3f73e132b5b3780e, 0x605644dde03b01b1,
                                                                           0x6d46cc0e71f0be7e, 0x924ea1693f9a8bc0});
    CHECK(draw(Philox({ones, ones}, {ones, ones, 5, 0}), 6) == Words{0x24325456f17e1bc1, 0x2e93e80c0404248e,
                                                                     0xa6d940f2c2716301, 0xa6dcd30a331340da,
                                                                     0x24bee98932b7f92e, 0x8eb8315d890d54de});
}

TEST("task 7 of seed 42 is NumPy's Philox with key 42 and counter [0, 0, 7, 0]") {
    CHECK(draw(Stream(42, 7), 6) == Words{0x2bfb9d635be188e2, 0x2b0049f790afff84, 0x1479a84f09f8426d,
                                          0xf188dde28ec79dc1, 0xc8372fc2e316f82d, 0x2d55ddf24a0b6a16});
    Stream stream(42, 7);
    for (double expected : {0x1.5fdceb1adf0c4p-3, 0x1.58024fbc857fcp-3, 0x1.479a84f09f840p-4})
        CHECK(stream.uniform01() == expected);
}

TEST("tasks of one seed, and seeds of one task, differ") {
    CHECK(draw(Stream(1, 0), 8) != draw(Stream(1, 1), 8));
    CHECK(draw(Stream(1, 0), 8) != draw(Stream(2, 0), 8));
}

TEST("uniform numbers lie in [0, 1) and have mean 1/2 and variance 1/12") {
    Stream stream(3, 0);
    const int n = 200000;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
        const double u = stream.uniform01();
        CHECK(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
    }
    CHECK_NEAR(sum / n, 0.5, 0.003); // 4.6 standard errors
    CHECK_NEAR(squares / n, 1.0 / 3, 0.003);
}

TEST("below 1 is always nought, and below the largest number works") {
    Stream stream(4, 0);
    for (int i = 0; i < 100; ++i) {
        CHECK(stream.below(1) == 0);
        CHECK(stream.below(ones) < ones);
    }
}

TEST("below(6) is a fair die") {
    Stream stream(5, 0);
    std::array<int, 6> counts{};
    for (int i = 0; i < 60000; ++i)
        ++counts.at(stream.below(6));
    double chi2 = 0;
    for (int count : counts)
        chi2 += (count - 1e4) * (count - 1e4) / 1e4;
    CHECK(chi2 < 25.7); // 5 degrees of freedom, p = 0.0001
}

TEST("below has no bias where a remainder would have a strong one") {
    Stream stream(6, 0);
    const std::uint64_t n = (ones / 4) * 3; // 2^64 mod n is n / 3: a remainder would favour the lowest third two to one
    int low = 0;
    for (int i = 0; i < 30000; ++i)
        low += stream.below(n) < n / 3;
    CHECK_NEAR(low, 10000, 400); // 4.9 standard errors
}

TEST("a shuffle keeps the items, and all six orders of three are equally likely") {
    Stream stream(7, 0);
    std::map<std::vector<int>, int> counts;
    for (int i = 0; i < 12000; ++i) {
        std::vector<int> items{0, 1, 2};
        stream.shuffle(std::span(items));
        ++counts[items];
    }
    CHECK(counts.size() == 6);
    for (const auto& [order, count] : counts) {
        CHECK(std::is_permutation(order.begin(), order.end(), std::vector{0, 1, 2}.begin()));
        CHECK_NEAR(count, 2000, 200); // 4.9 standard errors
    }
}

TEST("normal numbers have the moments of a standard normal") {
    Stream stream(8, 0);
    const int n = 200000;
    std::array<double, 4> moments{};
    double neighbours = 0, before = 0;
    for (int i = 0; i < n; ++i) {
        const double z = stream.normal();
        for (int k = 0; k < 4; ++k)
            moments[k] += std::pow(z, k + 1) / n;
        neighbours += z * before / n;
        before = z;
    }
    CHECK_NEAR(moments[0], 0, 0.011);
    CHECK_NEAR(moments[1], 1, 0.016);
    CHECK_NEAR(moments[2], 0, 0.045);
    CHECK_NEAR(moments[3], 3, 0.12);
    CHECK_NEAR(neighbours, 0, 0.011); // the spare of a pair is independent of its partner
}
