// margin/core/exponential.hpp
#include "check.hpp"
#include "margin/core/exponential.hpp"
#include <algorithm>
#include <limits>

using namespace margin;

namespace {

/// The distance of `found` from the true value, in units of the last place of the true value.
double units_off(double found, long double truth) {
    const double near = static_cast<double>(truth);
    const double unit = std::nextafter(std::abs(near), 1e308) - std::abs(near);
    return static_cast<double>(std::abs(static_cast<long double>(found) - truth) / unit);
}

/// The largest error of f over `count` points spread evenly from a to b, ends included.
template <class F, class Truth>
double largest_error(F f, Truth truth, double a, double b, std::size_t count) {
    double worst = 0;
    for (std::size_t i = 0; i <= count; ++i) {
        const double x = a + (b - a) * (static_cast<double>(i) / static_cast<double>(count));
        worst = std::max(worst, units_off(f(x), truth(x)));
    }
    return worst;
}

double exp_double(double x) { return exp_inlined(x); }
long double true_exp(double x) { return std::exp(static_cast<long double>(x)); }
long double true_log(double x) { return std::log(static_cast<long double>(x)); }
long double true_log1p(double x) { return std::log1p(static_cast<long double>(x)); }

MARGIN_SIMD void exp_of_all(const double* x, double* to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        to[i] = exp_inlined(x[i]);
}

} // namespace

TEST("exp is within 1.5 units in the last place wherever its values are ordinary numbers") {
    CHECK(largest_error(exp_double, true_exp, -708.39, 709.78, 1'000'003) < 1.5);
    CHECK(largest_error(exp_double, true_exp, -1, 1, 500'009) < 1.5);
    CHECK(largest_error(exp_double, true_exp, -1e-8, 1e-8, 10'007) < 1.5);
}

TEST("exp meets its exact values and its limits") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(exp_inlined(0.0) == 1);
    CHECK(exp_inlined(-0.0) == 1);
    CHECK(exp_inlined(-746.0) == 0);
    CHECK_NEAR(exp_inlined(-740.0), std::exp(-740.0), 5e-324);
    CHECK(exp_inlined(-1e300) == 0);
    CHECK(exp_inlined(-infinity) == 0);
    CHECK(std::isfinite(exp_inlined(709.78)));
    CHECK(exp_inlined(709.79) == infinity);
    CHECK(exp_inlined(1e300) == infinity);
    CHECK(exp_inlined(infinity) == infinity);
    CHECK(std::isnan(exp_inlined(std::numeric_limits<double>::quiet_NaN())));
}

TEST("exp in float32 is within 1.5 units in the last place wherever its values are ordinary numbers") {
    double worst = 0;
    for (int i = 0; i <= 1'000'003; ++i) {
        const float x = -87.3F + 176.0F * (static_cast<float>(i) / 1'000'003.0F);
        const long double truth = true_exp(static_cast<double>(x));
        const float near = static_cast<float>(truth);
        const double unit = static_cast<double>(std::nextafter(near, 1e38F)) - static_cast<double>(near);
        worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(exp_inlined(x)) - truth)) / unit);
    }
    CHECK(worst < 1.5);
}

TEST("exp in float32 meets its exact values and its limits") {
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(exp_inlined(0.0F) == 1);
    CHECK(exp_inlined(-0.0F) == 1);
    CHECK(exp_inlined(-104.5F) == 0);
    CHECK_NEAR(exp_inlined(-100.0F), std::exp(-100.0F), 3e-45);
    CHECK(exp_inlined(-1e38F) == 0);
    CHECK(exp_inlined(-infinity) == 0);
    CHECK(std::isfinite(exp_inlined(88.7F)));
    CHECK(exp_inlined(88.8F) == infinity);
    CHECK(exp_inlined(infinity) == infinity);
    CHECK(std::isnan(exp_inlined(std::numeric_limits<float>::quiet_NaN())));
}

TEST("exp of minus a number of at least 0 is within 1.5 units in the last place, and 0 far below") {
    const auto of_minus = [](double z) { return exp_of_minus(z); };
    const auto truth = [](double z) { return true_exp(-z); };
    CHECK(largest_error(of_minus, truth, 0, 707, 1'000'003) < 1.5);
    CHECK(largest_error(of_minus, truth, 0, 1e-3, 10'007) < 1.5);
    double worst = 0;
    for (int i = 0; i <= 1'000'003; ++i) {
        const float z = 86.5F * (static_cast<float>(i) / 1'000'003.0F);
        const long double exact = true_exp(-static_cast<double>(z));
        const float near = static_cast<float>(exact);
        const double unit = static_cast<double>(std::nextafter(near, 2.0F)) - static_cast<double>(near);
        worst =
            std::max(worst, static_cast<double>(std::abs(static_cast<long double>(exp_of_minus(z)) - exact)) / unit);
    }
    CHECK(worst < 1.5);
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double z : {0.0, -0.0, -1e-9, -5.0, -1e300, -infinity}) {
        CHECK(exp_of_minus(z) == 1);
        CHECK(exp_of_minus(static_cast<float>(z)) == 1);
    }
    for (const double z : {710.0, 1e5, 1e300, infinity}) {
        CHECK(exp_of_minus(z) == 0);
        CHECK(exp_of_minus(static_cast<float>(z)) == 0);
    }
}

TEST("log1p is within 2 units in the last place from 0 to 1") {
    CHECK(largest_error(log1p_inlined, true_log1p, 0, 1, 1'000'003) < 2);
    CHECK(largest_error(log1p_inlined, true_log1p, 1e-300, 1e-290, 1009) < 2);
    CHECK(largest_error(log1p_inlined, true_log1p, 0, 1e-6, 10'007) < 2);
    CHECK(log1p_inlined(0.0) == 0);
}

TEST("log is within 2 units in the last place") {
    CHECK(log_inlined(1.0) == 0);
    CHECK(largest_error(log_inlined, true_log, 1e-3, 100, 1'000'003) < 2);
    CHECK(largest_error(log_inlined, true_log, 0.9, 1.1, 500'009) < 2);
    double worst = 0;
    for (int exponent = -1022; exponent < 1024; ++exponent)
        for (const double mantissa : {1.0, 1.1, 1.41, 1.42, 1.9999}) {
            const double x = std::ldexp(mantissa, exponent);
            worst = std::max(worst, units_off(log_inlined(x), true_log(x)));
        }
    CHECK(worst < 2);
}

TEST("a loop over many gives what one alone gives") {
    std::vector<double> x(1001), found(1001);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = -800 + 1.6 * static_cast<double>(i);
    exp_of_all(x.data(), found.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(found[i] == exp_inlined(x[i]));
}
