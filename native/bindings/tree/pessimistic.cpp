// margin._core.tree: pessimistic pruning.
#include "margin/tree/grown/pessimistic.hpp"
#include "bindings/cells.hpp"
#include "bindings/interrupt.hpp"
#include "walk.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

nb::dict pessimistic(const TreeWalker& walker, InMatrix<double> numbers, const Columns<std::int32_t>& codes,
                     In<std::int32_t> y, In<double> weight, double confidence, double z, bool raise) {
    const auto columns = pointers(codes);
    const tree::TreeView& view_of_tree = walker.walker.tree();
    tree::Pruned found = with_monitor([&](Monitor& monitor) {
        const tree::WalkedRows<double> rows{view(numbers), columns};
        std::vector<double> cells(numbers.shape(0) * rows.columns());
        rows.write(0, numbers.shape(0), cells.data());
        tree::PessimisticPruning pruning(view_of_tree, cells, rows.columns(), span(y), span(weight), confidence, z,
                                         raise, monitor);
        return pruning.prune();
    });
    nb::dict arrays;
    const std::size_t n = found.node.size();
    arrays["node"] = give(std::move(found.node));
    arrays["stands_for"] = give(std::move(found.stands_for));
    arrays["leaf"] = give(std::move(found.leaf));
    arrays["value"] = give(std::move(found.value), n, view_of_tree.width);
    arrays["weight"] = give(std::move(found.weight));
    arrays["cases"] = give(std::move(found.cases));
    return arrays;
}

} // namespace

MARGIN_BINDINGS(tree) {
    tree.def("pessimistic", &pessimistic, "walker"_a, "numbers"_a.noconvert(), "codes"_a, "y"_a.noconvert(),
             "weight"_a.noconvert(), "confidence"_a, "z"_a, "raise_branches"_a,
             "The nodes that pessimistic pruning leaves, with the cases they have then.");
    tree.def("extra_errors", &margin::tree::extra_errors, "n"_a, "e"_a, "confidence"_a, "z"_a,
             "What the upper confidence limit adds to e errors among n cases.");
}
