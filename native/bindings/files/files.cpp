// margin._core.files: digests of large files.
#include "bindings/buffers.hpp"
#include "margin/files/sha256.hpp"
#include <string>

using namespace margin;
using namespace margin::bindings;

namespace {

/// The digests of two pieces of memory; empty where this machine has no instructions for them.
nb::tuple sha256_of_two(nb::handle first, nb::handle second) {
    const Buffer a(first), b(second);
    if (!a.is_bytes() || !b.is_bytes())
        throw nb::type_error("sha256_of_two wants two contiguous pieces of memory");
    std::array<files::Digest, 2> digests{};
    {
        nb::gil_scoped_release release;
#ifdef MARGIN_SHA256
        digests = files::sha256_of_two(a.bytes(), b.bytes());
#endif
    }
    const auto given = [](const files::Digest& digest) { return nb::bytes(digest.data(), digest.size()); };
    return nb::make_tuple(given(digests[0]), given(digests[1]));
}

} // namespace

MARGIN_BINDINGS(files) {
    files.def("has_sha256", &margin::files::has_sha256, "Whether this machine has instructions for SHA-256.");
    files.def("sha256_of_two", &sha256_of_two, "a"_a, "b"_a,
              "The SHA-256 of two pieces of memory, worked out side by side; only where has_sha256().");
}
