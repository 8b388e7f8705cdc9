// margin._core.neighbors: kd-trees are built here and handed out as plain arrays.
#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "margin/neighbors/kd_tree/kd_tree_build.hpp"

using namespace margin;
using namespace margin::bindings;

namespace {

template <class T>
OutMatrix<T> give(neighbors::kd::Buffer<T>&& buffer, std::size_t rows, std::size_t columns) {
    T* kept = buffer.release();
    nb::capsule owner(kept, [](void* p) noexcept { std::free(p); });
    return OutMatrix<T>(kept, {rows, columns}, owner);
}

template <class T>
nb::dict build(InMatrix<T> x, std::size_t leaf_size, std::size_t n_threads) {
    namespace kd = neighbors::kd;
    auto tree = with_monitor([&](Monitor& monitor) {
        return kd::build<T>(x.data(), x.shape(0), x.shape(1), leaf_size, n_threads, monitor);
    });
    const std::size_t columns = tree.columns, lanes = tree.n_blocks * kd::block_rows, n_nodes = tree.n_nodes;
    nb::dict out;
    out["sketch"] = give(std::move(tree.sketch), tree.n_blocks, columns * kd::block_rows);
    out["rows"] = give(std::move(tree.rows), tree.rows.size() ? lanes : 0, columns);
    out["place"] = give(std::move(tree.place), tree.n_blocks, kd::block_rows);
    out["boxes"] = give(std::move(tree.boxes), n_nodes, columns * 2 * kd::fan);
    out["first"] = give(std::move(tree.first), n_nodes, kd::fan);
    out["size"] = give(std::move(tree.size), n_nodes, kd::fan);
    out["lowest"] = give(std::move(tree.lowest), n_nodes, kd::fan);
    out["shift"] = bindings::give(std::move(tree.shift));
    out["scale"] = tree.scale;
    return out;
}

} // namespace

MARGIN_BINDINGS(neighbors) {
    neighbors.def("kd_tree", &build<double>, "x"_a.noconvert(), "leaf_size"_a, "n_threads"_a,
                  "The arrays of a kd-tree over the rows of x.");
    neighbors.def("kd_tree", &build<float>, "x"_a.noconvert(), "leaf_size"_a, "n_threads"_a);
}
