// margin._core.svm: the family of kernels, and one of them with its parameters.
#include "bindings/module.hpp"
#include "margin/svm/kernel/kernel_apply.hpp"
#include <nanobind/stl/string_view.h>

using namespace margin;
using namespace margin::bindings;

namespace {

nb::str text(std::string_view given) { return nb::str(given.data(), given.size()); }

/// What each member says of itself, in the order of the list.
nb::tuple kernels() {
    nb::list found;
    for (const auto name : svm::Kernels::names())
        svm::Kernels::visit(name, [&]<svm::KernelFamilyMember K>() {
            nb::list parameters;
            for (const auto parameter : K::parameters)
                parameters.append(text(parameter));
            found.append(nb::make_tuple(text(K::name), text(K::formula), nb::tuple(parameters), K::of_distance,
                                        K::positive_definite, K::single_up_to));
        });
    return nb::tuple(found);
}

svm::Kernel named(std::string_view name, double gamma, double coef0, double degree) {
    return svm::Kernel::named(name, {gamma, coef0, degree});
}

} // namespace

MARGIN_BINDINGS(svm) {
    nb::class_<svm::Kernel>(svm, "Kernel", "A kernel with its parameters.");
    svm.def("kernel", &named, "name"_a, "gamma"_a, "coef0"_a, "degree"_a, "The kernel of a name.");
    svm.def("kernels", &kernels,
            "Of each kernel its name, formula and parameters, whether it is of distances and positive definite, and up "
            "to which squared length float32 values are as good as exact.");
}
