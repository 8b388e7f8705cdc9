// margin/core/one_of.hpp
#include "check.hpp"
#include "margin/core/one_of.hpp"

using namespace margin;

namespace {

struct Apple {
    static constexpr std::string_view name = "apple";
    static constexpr int grams = 180;
};
struct Plum {
    static constexpr std::string_view name = "plum";
    static constexpr int grams = 40;
};
struct Cherry {
    static constexpr std::string_view name = "cherry";
    static constexpr int grams = 8;
};
using Fruits = OneOf<Apple, Plum, Cherry>;

int grams(std::string_view name) {
    return Fruits::visit(name, []<class Fruit>() { return Fruit::grams; });
}

} // namespace

TEST("names come in the order of the list") {
    static_assert(Fruits::names() == std::array<std::string_view, 3>{"apple", "plum", "cherry"});
    static_assert(Fruits::size == 3);
}

TEST("every member is found by its name") {
    CHECK(grams("apple") == 180);
    CHECK(grams("plum") == 40);
    CHECK(grams("cherry") == 8);
}

TEST("contains knows the names and no others") {
    static_assert(Fruits::contains("plum"));
    CHECK(!Fruits::contains("plums") && !Fruits::contains("Plum") && !Fruits::contains(""));
}

TEST("a visit may give nothing back, or a reference") {
    int seen = 0;
    Fruits::visit("plum", [&]<class Fruit>() { seen = Fruit::grams; });
    CHECK(seen == 40);
    int& same = Fruits::visit("plum", [&]<class Fruit>() -> int& { return seen; });
    CHECK(&same == &seen);
}

TEST("an unknown name is refused with the list of known ones") {
    std::string message;
    try {
        grams("pear");
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    CHECK(message == "'pear' is not one of 'apple', 'plum', 'cherry'");
}
