#pragma once
// Kernel values as Python holds them: a source in single or in double precision.
#include "bindings/arrays.hpp"
#include "margin/svm/kernel/source.hpp"
#include <memory>

namespace margin::bindings {

struct KernelSource {
    std::unique_ptr<const svm::Source<float>> single; // one of the two is there
    std::unique_ptr<const svm::Source<double>> full;

    /// run(source) for the one that is there.
    template <class Run>
    auto with(Run&& run) const {
        return single ? run(*single) : run(*full);
    }
};

/// make(T()) in float if no squared length of a row, as the kernel scales rows, exceeds `single_up_to`, else in double.
template <class Make>
std::unique_ptr<KernelSource> chosen(double single_up_to, Make&& make) {
    auto made = std::make_unique<KernelSource>();
    if (single_up_to >= 0)
        if (auto single = make(float()); static_cast<double>(single->largest_square()) <= single_up_to) {
            made->single = std::move(single);
            return made;
        }
    made->full = make(double());
    return made;
}

} // namespace margin::bindings
