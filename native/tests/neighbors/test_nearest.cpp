// margin/neighbors/distances/nearest.hpp
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/distances/nearest.hpp"

using namespace margin;
using namespace margin::neighbors;

TEST("the best of any offers are the first of all of them sorted, however many are asked for") {
    for (const std::size_t k : {1, 5, 32, 33, 90, 200}) {
        Stream stream(k, 1);
        Nearest best(k);
        for (int again = 0; again < 2; ++again) {
            best.clear();
            std::vector<Found> all;
            for (std::int64_t row = 0; row < 150; ++row)
                all.push_back({static_cast<double>(stream.below(20)), row * 37 % 150}); // many ties, rows in no order
            for (const Found& found : all)
                best.offer(found.distance, found.row);
            std::sort(all.begin(), all.end());
            const auto& sorted = best.sorted();
            CHECK(sorted.size() == std::min<std::size_t>(k, 150));
            for (std::size_t i = 0; i < sorted.size(); ++i)
                CHECK(sorted[i].distance == all[i].distance && sorted[i].row == all[i].row);
        }
    }
}
