// margin._core.bayes: counts and log-likelihoods.
#include "cells.hpp"
#include "interrupt.hpp"
#include "margin/bayes/likelihood.hpp"

using namespace margin;
using namespace margin::bindings;

MARGIN_BINDINGS(bayes) {
    bayes.def(
        "count_levels",
        [](InMatrix<std::int32_t> codes, In<std::int64_t> first, std::size_t levels, In<std::int32_t> y, In<double> w,
           std::size_t classes, std::size_t n_threads) {
            return give(with_monitor([&](Monitor& m) {
                            return margin::bayes::count_levels(codes.data(), first.data(), y.data(), w.data(),
                                                               codes.shape(0), codes.shape(1), levels, classes,
                                                               n_threads, m);
                        }),
                        levels, classes);
        },
        "codes"_a.noconvert(), "first"_a.noconvert(), "levels"_a, "y"_a.noconvert(), "w"_a.noconvert(), "classes"_a,
        "n_threads"_a);
    for_each_type<double, float>([&]<class T> {
        bayes.def(
            "add_normal",
            [](InMatrix<T> x, InMatrix<double> mean, InMatrix<double> steep, InMatrix<double> off, In<double> peak,
               InOutMatrix<double> scores, std::size_t n_threads) {
                return with_monitor([&](Monitor& m) {
                    return margin::bayes::add_normal(x.data(), mean.data(), steep.data(), off.data(), peak.data(),
                                                     scores.data(), x.shape(0), x.shape(1), mean.shape(0), n_threads,
                                                     m);
                });
            },
            "x"_a.noconvert(), "mean"_a.noconvert(), "steep"_a.noconvert(), "off"_a.noconvert(), "peak"_a.noconvert(),
            "scores"_a.noconvert(), "n_threads"_a);
    });
    bayes.def(
        "add_shares",
        [](InMatrix<std::int32_t> codes, In<std::int64_t> first, InMatrix<double> log_share, InOutMatrix<double> scores,
           std::size_t n_threads) {
            with_monitor([&](Monitor& m) {
                margin::bayes::add_shares(codes.data(), first.data(), log_share.data(), scores.data(), codes.shape(0),
                                          codes.shape(1), scores.shape(1), n_threads, m);
            });
        },
        "codes"_a.noconvert(), "first"_a.noconvert(), "log_share"_a.noconvert(), "scores"_a.noconvert(), "n_threads"_a);
}
