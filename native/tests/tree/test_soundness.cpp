// margin/tree/grown/soundness.hpp: a small tree by hand, and each way in which it can be wrong.
#include "check.hpp"
#include "margin/tree/grown/soundness.hpp"
#include "tree/tree_view.hpp"

using namespace margin::tree;

namespace {

/// A root of two branches: a leaf, and a node of three intervals; the root has one surrogate.
struct Small : GrownTree {
    Small() {
        width = 2;
        ask = {1, 0, 4, 0, 0, 0};
        column = {0, -1, 1, -1, -1, -1};
        threshold = {0.5, 0, 0, 0, 0, 0};
        missing = {1, -1, 0, -1, -1, -1};
        value.assign(12, 1.0);
        cases.assign(6, 1);
        weight = impurity = gain = std::vector<double>(6, 1.0);
        child_start = {0, 2, 2, 5, 5, 5, 5};
        child = {1, 2, 3, 4, 5};
        detail_start = {0, 0, 0, 2, 2, 2, 2};
        detail = {1.0, 2.0};
        surrogate_start = {0, 1, 1, 1, 1, 1, 1};
        surrogate_column = {2};
        surrogate_threshold = {0};
        surrogate_low = {1};
        surrogate_detail_start = {0, 2};
        surrogate_detail = {0, 3};
    }

    std::string_view wrong() const { return what_is_unsound(view(*this)); }
};

template <class Change>
bool refused_after(Change change, std::string_view because) {
    Small tree;
    change(tree);
    return tree.wrong().find(because) != std::string_view::npos;
}

} // namespace

TEST("a tree as it is grown is sound") { CHECK(Small{}.wrong().empty()); }

TEST("arrays of other lengths") {
    CHECK(refused_after([](Small& t) { t.column.pop_back(); }, "lengths"));
    CHECK(refused_after([](Small& t) { t.value.pop_back(); }, "lengths"));
    CHECK(refused_after([](Small& t) { t.gain.pop_back(); }, "lengths"));
    CHECK(refused_after([](Small& t) { t.child_start.pop_back(); }, "lists"));
    CHECK(refused_after([](Small& t) { t.surrogate_low.pop_back(); }, "lists"));
}

TEST("lists that do not begin where those before them end") {
    CHECK(refused_after([](Small& t) { t.child_start[1] = -1; }, "lists"));
    CHECK(refused_after([](Small& t) { t.child_start.back() = 1 << 20; }, "lists"));
    CHECK(refused_after([](Small& t) { t.detail_start[3] = INT64_MIN; }, "lists"));
}

TEST("nodes that lead back, nowhere, or twice to one") {
    for (const std::int32_t wrong : {-1, 0, 1, 5, 6, 1 << 30})
        CHECK(refused_after([=](Small& t) { t.child[1] = wrong; }, "preorder"));
    CHECK(refused_after([](Small& t) { t.child.pop_back(), t.child_start = {0, 2, 2, 4, 4, 4, 4}; }, "preorder"));
}

TEST("questions without the right answers") {
    CHECK(refused_after([](Small& t) { t.ask[0] = 0; }, "question"));
    CHECK(refused_after([](Small& t) { t.ask[0] = 9; }, "question"));
    CHECK(refused_after([](Small& t) { t.ask[2] = 1; }, "question"));
    CHECK(refused_after([](Small& t) { t.column[0] = -1; }, "question"));
    CHECK(refused_after([](Small& t) { t.column[1] = 0; }, "question"));
    CHECK(refused_after([](Small& t) { t.missing[0] = 2; }, "question"));
    CHECK(refused_after([](Small& t) { t.missing[1] = 1; }, "question"));
    CHECK(refused_after([](Small& t) { t.threshold[0] = NAN; }, "question"));
}

TEST("codes, cuts and surrogates") {
    CHECK(refused_after([](Small& t) { t.detail = {2, 2}; }, "ascend"));
    CHECK(refused_after([](Small& t) { t.detail[1] = NAN; }, "ascend"));
    CHECK(refused_after([](Small& t) { t.surrogate_detail = {0, 0.5}; }, "stand in"));
    CHECK(refused_after([](Small& t) { t.surrogate_detail = {0, 1e300}; }, "stand in"));
    CHECK(refused_after([](Small& t) { t.surrogate_low[0] = 2; }, "stand in"));
    CHECK(refused_after([](Small& t) { t.surrogate_column[0] = -5; }, "stand in"));
    CHECK(refused_after([](Small& t) { t.surrogate_start = {0, 0, 0, 1, 1, 1, 1}; }, "stand in"));
}
