// margin/neighbors/distances/distance.hpp, general_distance.hpp: every distance in every index, members of the lists and
// others that anyone may add.
#include "check.hpp"
#include "margin/core/random.hpp"
#include "margin/neighbors/ball_tree/ball_rows.hpp"
#include "margin/neighbors/brute/brute.hpp"
#include "margin/neighbors/distances/metric_traits.hpp"
#include "margin/neighbors/kd_tree/kd_tree_build.hpp"
#include "margin/neighbors/kd_tree/kd_tree_nearest.hpp"
#include "margin/neighbors/sparse/sparse_rows.hpp"

using namespace margin;
using namespace margin::neighbors;

namespace {

/// sum |a_j - b_j|^1.5, of which nothing is known: no metric, and no norm is said to be below it.
struct Silent {
    static constexpr std::string_view name = "silent";
    static double term(double d, double) { return std::pow(std::abs(d), 1.5); }
    static double join(double s, double t) { return s + t; }
    static double finish(double s, double) { return s; }
    static double unfinished(double distance, double) { return distance; }
};

/// (sum |a_j - b_j|^1.5)^(2/3), with all bounds: nothing is said about how it is computed.
struct Stated {
    static constexpr std::string_view name = "stated";
    static double term(double d, double) { return std::pow(std::abs(d), 1.5); }
    static double join(double s, double t) { return s + t; }
    static double finish(double s, double) { return std::pow(s, 1 / 1.5); }
    static double unfinished(double distance, double) { return std::pow(distance, 1.5); }
    static double relative_error(std::size_t columns, double) { return error_of_sums(columns, 1024); }
    static bool is_metric(double) { return true; }
    template <class F>
    static auto bound_in_bytes(std::size_t columns, double, F f) {
        return f(SumOfSizes{}, std::cbrt(static_cast<double>(columns)));
    }
    template <class F>
    static auto bound_in_float32(std::size_t, double, F f) {
        return f(SumOfPowers{1.5}, 1.0);
    }
};

/// 3 max |a_j - b_j|, so that norms are a third of it; or, falsely, a fifteenth.
template <int share>
struct Thrice {
    static constexpr std::string_view name = share == 3 ? "thrice" : "false";
    static double term(double d, double) { return 3 * std::abs(d); }
    static double join(double s, double t) { return s < t ? t : s; }
    static double finish(double s, double) { return s; }
    static double unfinished(double distance, double) { return distance; }
    static double relative_error(std::size_t columns, double) { return error_of_sums(columns, 16); }
    static bool is_metric(double) { return true; }
    template <class F>
    static auto bound_in_bytes(std::size_t, double, F f) {
        return f(LargestSize{}, 1.0 / share);
    }
    template <class F>
    static auto bound_in_float32(std::size_t, double, F f) {
        return f(LargestSize{}, 1.0 / share);
    }
};

/// sum ((a_j - b_j) / (|a_j| + |b_j|))^2, no metric and no function of differences.
struct Clark {
    static constexpr std::string_view name = "clark";
    template <class T>
    static double compare(const double* query, const T* row, std::size_t columns, double) {
        return summed(query, row, columns, [](double a, double b) {
            const double size = std::abs(a) + std::abs(b), share = (a - b) / (size > 0 ? size : 1);
            return share * share;
        });
    }
    static double finish(double compared, std::size_t, double) { return compared; }
};

using Toys = OneOf<Silent, Stated, Thrice<3>>;
using Falsehoods = OneOf<Thrice<15>>;
using GeneralToys = Toys::wrapped<OfDifferences, Clark>;

/// Rows and queries in so many columns, many cells 0 or equal, and what was found for each query.
template <class T>
struct Table {
    std::size_t n = 500, m = 9, columns, k = 5;
    double p;
    std::vector<T> rows;
    std::vector<double> queries;
    Monitor monitor{};

    Table(std::size_t columns_, double p_, bool ties)
        : columns(columns_), p(p_), rows(n * columns), queries(m * columns) {
        Stream stream(columns, ties);
        const auto cell = [&] {
            return stream.below(4) == 0 ? 0.0 : ties ? static_cast<double>(stream.below(4)) - 1 : stream.normal();
        };
        for (T& one : rows)
            one = static_cast<T>(cell());
        for (double& one : queries)
            one = cell();
    }
    MatrixView<const T> row_view() const { return {rows.data(), n, columns}; }
    MatrixView<const double> query_view() const { return {queries.data(), m, columns}; }
};

/// Neighbours of all queries, one after another; for a radius also where those of each begin.
struct Neighbours {
    std::vector<std::int64_t> start, row;
    std::vector<double> distance;
    bool operator==(const Neighbours&) const = default;
};

/// By definition: all rows sorted, the first k of them, or those up to a radius.
template <class T, class Compare, class Finish>
Neighbours by_sorting(const Table<T>& table, Compare compare, Finish finish, double radius) {
    Neighbours found{{0}, {}, {}};
    for (std::size_t q = 0; q < table.m; ++q) {
        std::vector<Found> all;
        for (std::size_t i = 0; i < table.n; ++i)
            all.push_back({compare(table.queries.data() + q * table.columns, table.rows.data() + i * table.columns),
                           static_cast<std::int64_t>(i)});
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < table.n; ++i)
            if (radius < 0 ? i < table.k : finish(all[i].distance) <= radius) {
                found.row.push_back(all[i].row);
                found.distance.push_back(finish(all[i].distance));
            }
        found.start.push_back(static_cast<std::int64_t>(found.row.size()));
    }
    return found;
}

/// search(distances, rows) of the k nearest.
template <class T, class Search>
Neighbours nearest_by(const Table<T>& table, Search search) {
    Neighbours found{{0}, std::vector<std::int64_t>(table.m * table.k), std::vector<double>(table.m * table.k)};
    for (std::size_t q = 1; q <= table.m; ++q)
        found.start.push_back(static_cast<std::int64_t>(q * table.k));
    search(found.distance.data(), found.row.data());
    return found;
}

/// What each index found: nearest(table) and within(table, radius).
template <class D>
struct Brute {
    template <class T>
    static Neighbours nearest(Table<T>& t) {
        return nearest_by(t, [&](double* distance, std::int64_t* row) {
            nearest_rows<D, T>(t.row_view(), t.query_view(), t.k, t.p, distance, row, 2, t.monitor);
        });
    }
    template <class T>
    static Neighbours within(Table<T>& t, double radius) {
        auto found = rows_within<D, T>(t.row_view(), t.query_view(), radius, t.p, 2, t.monitor);
        return {found.start, found.row, found.distance};
    }
};

template <class D>
struct Boxes {
    template <class T>
    static Neighbours nearest(Table<T>& t, double* share = nullptr) {
        const auto grown = kd::build<T>(t.rows.data(), t.n, t.columns, 16, 2, t.monitor);
        const kd::Tree tree = kd::view(grown);
        return nearest_by(t, [&](double* distance, std::int64_t* row) {
            const double looked_at = kd::nearest<D>(tree, kd::comparing<D, T>(tree), t.queries.data(), t.m, t.k, t.p,
                                                    distance, row, 2, t.monitor);
            if (share)
                *share = looked_at;
        });
    }
    template <class T>
    static Neighbours within(Table<T>& t, double radius) {
        const auto grown = kd::build<T>(t.rows.data(), t.n, t.columns, 16, 2, t.monitor);
        const kd::Tree tree = kd::view(grown);
        auto found = kd::within<D>(tree, kd::comparing<D, T>(tree), t.queries.data(), t.m, radius, t.p, 2, t.monitor);
        return {found.start, found.place, found.distance};
    }
};

template <class M>
struct Balls {
    template <class T, class Use>
    static auto with_tree(Table<T>& t, Use use) {
        const BetweenRows between{row_metric<M, T>(), t.rows.data(), t.columns, t.p};
        const BallTree tree = build_ball_tree(t.n, 4, between, 64, 2, t.monitor);
        std::vector<T> ordered(t.rows.size());
        for (std::size_t i = 0; i < t.n; ++i)
            std::copy_n(t.rows.begin() + tree.place[i] * t.columns, t.columns, ordered.begin() + i * t.columns);
        const BallTreeView view{tree.levels,        t.n, tree.place.data(), tree.reach.data(), tree.smallest.data(),
                                tree.largest.data()};
        return use(view, ToEach{row_metric<M, T>(), t.queries.data(), ordered.data(), t.columns, t.p, 10.0});
    }
    template <class T>
    static Neighbours nearest(Table<T>& t) {
        return with_tree(t, [&](const BallTreeView& tree, const auto& to) {
            return nearest_by(t, [&](double* distance, std::int64_t* row) {
                ball_nearest(tree, to, t.m, t.k, distance, row, 4, 2, t.monitor);
            });
        });
    }
    template <class T>
    static Neighbours within(Table<T>& t, double radius) {
        const auto found = with_tree(t, [&](const BallTreeView& tree, const auto& to) {
            return ball_within(tree, to, t.m, radius, 4, 2, t.monitor);
        });
        return {found.start, found.row, found.distance};
    }
};

template <class T, class Index>
struct Csr {
    std::vector<T> values;
    std::vector<Index> columns;
    std::vector<std::int64_t> start{0};
    Csr(const std::vector<T>& cells, std::size_t width) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (cells[i] != 0) {
                values.push_back(cells[i]);
                columns.push_back(static_cast<Index>(i % width));
            }
            if (i % width == width - 1)
                start.push_back(static_cast<std::int64_t>(values.size()));
        }
    }
};

template <class D>
struct Sparse {
    using M = SparseOf<D>;
    template <class T, class Use>
    static auto with_index(Table<T>& t, Use use) {
        const Csr<T, std::int32_t> rows(t.rows, t.columns);
        const Csr<double, std::int64_t> asked(t.queries, t.columns);
        const SparseTable<T> table{rows.values.data(), rows.columns.data(), rows.start.data(), t.n, t.columns};
        const SparsePostings made = make_postings<M>(table, t.p, t.monitor);
        return use(SparseIndex<T>{table, made.length.data(), made.size.data(), made.start.data(), made.row.data(),
                                  made.value.data(), made.written.data(), made.table.data(), made.stride,
                                  made.most_stored, made.scale, t.p},
                   SparseQueries{asked.values.data(), asked.columns.data(), asked.start.data(), t.m, t.columns});
    }
    template <class T>
    static Neighbours nearest(Table<T>& t) {
        return with_index(t, [&](const auto& index, const auto& queries) {
            return nearest_by(t, [&](double* distance, std::int64_t* row) {
                sparse_nearest<M>(index, queries, t.k, distance, row, 2, t.monitor);
            });
        });
    }
    template <class T>
    static Neighbours within(Table<T>& t, double radius) {
        const auto found = with_index(t, [&](const auto& index, const auto& queries) {
            return sparse_within<M>(index, queries, radius, 2, t.monitor);
        });
        return {found.start, found.row, found.distance};
    }
};

/// Whether indexes find the neighbours of the definition to the last bit, also within a radius that just reaches some.
class Definition {
public:
    template <class Compare, class Finish>
    Definition(const Table<double>& table, Compare compare, Finish finish)
        : nearest_(by_sorting(table, compare, finish, -1)), radius_(nearest_.distance[nearest_.distance.size() / 2]),
          within_(by_sorting(table, compare, finish, radius_)) {}

    template <class Index>
    bool agrees(Table<double>& table) const {
        return Index::nearest(table) == nearest_ && Index::within(table, radius_) == within_;
    }

private:
    Neighbours nearest_;
    double radius_;
    Neighbours within_;
};

template <class D>
Definition definition_of(const Table<double>& t) {
    return {t, [&](const double* query, const double* row) { return joined<D>(query, row, t.columns, t.p); },
            [&](double compared) { return D::finish(compared, t.p); }};
}

/// For rows of double: the tests of each index have float as well.
template <class Family>
void every_member_agrees() {
    for (const auto name : Family::names())
        Family::visit(name, []<class D>() {
            for (const double p : {0.5, 3.0})
                for (const std::size_t columns : {2, 5, 19})
                    for (const bool ties : {false, true}) {
                        Table<double> table(columns, p, ties);
                        const Definition definition = definition_of<D>(table);
                        CHECK(definition.agrees<Brute<D>>(table));
                        CHECK(definition.agrees<Boxes<D>>(table));
                        CHECK(definition.agrees<Balls<OfDifferences<D>>>(table));
                        CHECK(definition.agrees<Sparse<D>>(table));
                    }
        });
}

/// The formula, written out in long double.
long double by_formula(std::string_view name, const std::vector<double>& differences, double p) {
    long double sum = 0, most = 0;
    const long double power = name == "euclidean" ? 2 : name == "manhattan" ? 1 : name == "minkowski" ? p : 0;
    for (const double d : differences) {
        sum += std::pow(std::abs(static_cast<long double>(d)), power);
        most = std::max(most, std::abs(static_cast<long double>(d)));
    }
    CHECK(power > 0 || name == "chebyshev"); // a new distance has its formula here
    return power > 0 ? std::pow(sum, 1 / power) : most;
}

} // namespace

TEST("every distance in the list is its formula, up to the error that it states") {
    Stream stream(0, 1);
    for (const auto name : Distances::names())
        Distances::visit(name, [&]<class D>() {
            for (const std::size_t columns : {1, 3, 8, 21})
                for (const double p : {0.3, 1.0, 2.0, 4.5}) {
                    std::vector<double> differences(columns), zeros(columns);
                    for (double& d : differences)
                        d = stream.normal();
                    const auto expected = static_cast<double>(by_formula(name, differences, p));
                    const double compared = joined<D>(differences.data(), zeros.data(), columns, p);
                    const double found = D::finish(compared, p);
                    CHECK_NEAR(found, expected, D::relative_error(columns, p) * expected);
                    CHECK_NEAR(D::unfinished(found, p), compared, 1e-14 * compared);
                }
        });
}

TEST("every distance in the list finds the neighbours of its definition in every index") {
    every_member_agrees<Distances>();
}

TEST("a distance that states nothing is right in every index, and so is one that states all") {
    every_member_agrees<Toys>();
}

TEST("a general metric that states nothing is right in a tree of balls") {
    for (const auto name : GeneralToys::names())
        GeneralToys::visit(name, []<class M>() {
            for (const bool ties : {false, true}) {
                Table<double> table(3, 2, ties);
                const Definition definition(
                    table, [](const double* query, const double* row) { return M::compare(query, row, 3, 2); },
                    [](double compared) { return M::finish(compared, 3, 2); });
                CHECK(definition.agrees<Balls<M>>(table));
            }
        });
}

TEST("rows are ruled out by what is stated and only by that: a false statement loses neighbours") {
    Table<double> table(2, 2, false);
    double share = 0;
    Boxes<Silent>::nearest(table, &share);
    CHECK(share == 1);
    for (const auto name : Toys::names())
        Toys::visit(name, [&]<class D>() {
            Boxes<D>::nearest(table, &share);
            CHECK(traits_of<OfDifferences<D>>(2).bounded_by_boxes == (share < 0.5));
        });
    for (const auto name : Falsehoods::names())
        Falsehoods::visit(name, [&]<class D>() {
            CHECK(!definition_of<D>(table).template agrees<Brute<D>>(table));
            CHECK(!definition_of<D>(table).template agrees<Boxes<D>>(table));
        });
}

TEST("what a metric states is told to those who know its name") {
    const auto traits = [](std::string_view name, double p) {
        return Metrics::visit(name, [p]<class M>() { return traits_of<M>(p); });
    };
    CHECK(traits("minkowski", 0.5).power == 0.5 && !traits("minkowski", 0.5).is_metric);
    CHECK(traits("minkowski", 1).same_as == "manhattan" && traits("minkowski", 3).same_as == "minkowski");
    CHECK(traits("chebyshev", 2).power == 1.0 && std::isinf(*traits("chebyshev", 2).order));
    CHECK(traits("haversine", 2).n_columns == 2u && !traits("haversine", 2).of_differences);
    const MetricTraits silent = traits_of<OfDifferences<Silent>>(2);
    CHECK(!silent.is_metric && !silent.bounded_by_boxes && !silent.power && !silent.order && silent.of_differences);
    CHECK(!traits_of<Clark>(2).is_metric);
}
