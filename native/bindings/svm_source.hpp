#pragma once
// Kernel values as Python holds them: a source in single or in double precision.
#include "arrays.hpp"
#include "margin/svm/source.hpp"
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

} // namespace margin::bindings
