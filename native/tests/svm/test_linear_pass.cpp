// margin/svm/linear/linear_pass.hpp
#include "check.hpp"
#include "margin/svm/linear/linear_pass.hpp"
#include "svm/linear_data.hpp"

using namespace margin;
using namespace margin::svm;

TEST("a pass sums up what each row says, for any number of columns and scores") {
    for (const std::size_t d : {1U, 4U, 7U, 13U})
        for (const std::size_t scores : {1U, 3U})
            for (const bool squared : {true, false}) {
                const Data data(150, d);
                std::vector<double> coef(scores * d, 0.25), intercept(scores, -0.1), width(scores, 0.5),
                    share(150 * scores), before(150 * scores, 0.3);
                const std::vector<std::int32_t> target{0, 1, 2};
                const MarginRows<double> of{data.x.data(), data.y.data(), data.bound.data(), 1.0,    150, d, scores,
                                            target.data(), coef.data(),   intercept.data(),  nullptr};
                const Rounding rounding{width.data(), before.data()};
                Monitor monitor;
                const auto found = margin_sums(of, squared ? nullptr : &rounding, share.data(), 2, monitor);
                for (std::size_t k = 0; k < scores; ++k) {
                    const auto sign = data.signs(target[k]);
                    double loss = 0, slope = 0, first = 0;
                    for (std::size_t i = 0; i < 150; ++i) {
                        const double left = 1 - sign[i] * data.score(i, coef.data() + k * d, -0.1);
                        const double hinge = std::max(left, 0.0);
                        const double a = squared ? hinge : std::clamp(0.3 + left / 0.5, 0.0, 1.0);
                        CHECK_NEAR(share[i * scores + k], a, 1e-12);
                        loss += data.bound[i] * (squared ? hinge * hinge : hinge);
                        const double alpha = data.bound[i] * (squared ? 2 * a : a);
                        slope -= alpha * sign[i];
                        first -= alpha * sign[i] * data.x[i * d];
                    }
                    CHECK_NEAR(found.loss[k], loss, 1e-9);
                    CHECK_NEAR(found.intercept_gradient[k], slope, 1e-9);
                    CHECK_NEAR(found.gradient[k * d], first, 1e-9);
                }
            }
}
