// margin/files/sha256.hpp: the examples of the standard, then the definition, round by round.
#include "check.hpp"
#include "margin/files/sha256.hpp"
#include <bit>
#include <string_view>

using namespace margin::files;

#ifdef MARGIN_SHA256
namespace {

std::span<const std::uint8_t> bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string hex(const Digest& digest) {
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += "0123456789abcdef"[byte / 16];
        text += "0123456789abcdef"[byte % 16];
    }
    return text;
}

/// FIPS 180-4, section 6.2, as it stands there.
Digest definition(std::span<const std::uint8_t> given) {
    std::vector<std::uint8_t> message(given.begin(), given.end());
    message.push_back(0x80);
    while (message.size() % 64 != 56)
        message.push_back(0);
    for (int i = 7; i >= 0; --i)
        message.push_back(static_cast<std::uint8_t>(8 * std::uint64_t{given.size()} >> (8 * i)));
    auto H = detail::initial_state;
    for (std::size_t block = 0; block < message.size(); block += 64) {
        std::array<std::uint32_t, 64> W{};
        for (std::size_t i = 0; i < 64; ++i)
            W[i / 4] |= i / 4 < 16 ? std::uint32_t{message[block + i]} << (24 - 8 * (i % 4)) : 0;
        for (std::size_t t = 16; t < 64; ++t) {
            const auto s0 = std::rotr(W[t - 15], 7) ^ std::rotr(W[t - 15], 18) ^ (W[t - 15] >> 3);
            const auto s1 = std::rotr(W[t - 2], 17) ^ std::rotr(W[t - 2], 19) ^ (W[t - 2] >> 10);
            W[t] = s1 + W[t - 7] + s0 + W[t - 16];
        }
        auto [a, b, c, d, e, f, g, h] = H;
        for (std::size_t t = 0; t < 64; ++t) {
            const auto S1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
            const auto S0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
            const auto T1 = h + S1 + ((e & f) ^ (~e & g)) + detail::round_constants[t] + W[t];
            const auto T2 = S0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + T1, d = c, c = b, b = a, a = T1 + T2;
        }
        const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < 8; ++i)
            H[i] += added[i];
    }
    Digest digest;
    for (std::size_t i = 0; i < 32; ++i)
        digest[i] = static_cast<std::uint8_t>(H[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

} // namespace

TEST("the examples of the standard") {
    if (!has_sha256())
        return;
    CHECK(hex(sha256(bytes(""))) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(hex(sha256(bytes("abc"))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const auto two = sha256_of_two(bytes("abc"), bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
    CHECK(hex(two[0]) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(hex(two[1]) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST("two messages of any lengths have the digests that the definition gives them") {
    if (!has_sha256())
        return;
    std::vector<std::uint8_t> memory(1000);
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<std::uint8_t>(i * i + 7 * i);
    for (std::size_t n = 0; n < 300; ++n) {
        const std::span<const std::uint8_t> a(memory.data() + n % 5, n), b(memory.data() + 400, (n * 37) % 600);
        const auto two = sha256_of_two(a, b);
        CHECK(two[0] == definition(a));
        CHECK(two[1] == definition(b));
        CHECK(sha256(a) == two[0]);
    }
}
#else
TEST("a machine of another kind has no such instructions") { CHECK(!has_sha256()); }
#endif
