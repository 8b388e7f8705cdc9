// Eight numbers at once, and what a search does with them. Included by kd_tree_search.hpp once for each instruction set,
// each time into another namespace: no #pragma once.
//
// Vector types rather than loops that the compiler might vectorise: it unrolls loops over so few lanes first, and then
// finds nothing left to vectorise (a third of the speed). They need the instruction set to be known where they are
// written, which is why clones (MARGIN_SIMD) do not serve here.

// MARGIN_LANES_AVX: there is AVX2. (The macros of the compiler do not follow the pragma that chooses it.)
// MARGIN_LANES_SCAN: how scans are compiled, into the places that need them or once for all of these.
// No function returns a vector: how that is done depends on the instruction set, and compilers warn. A difference of
// vectors that lie anywhere is itself one that may lie anywhere, and has to be made an Eight before it is passed on.

typedef float Eight __attribute__((vector_size(32)));
typedef float EightAnywhere __attribute__((vector_size(32), aligned(4)));
typedef std::int32_t EightInts __attribute__((vector_size(32)));

MARGIN_INLINED const EightAnywhere* lanes_at(const float* from) { return reinterpret_cast<const EightAnywhere*>(from); }

/// a = max(a, b)
MARGIN_INLINED void raise_to(Eight& a, const Eight& b) {
#ifdef MARGIN_LANES_AVX
    a = __builtin_ia32_maxps256(a, b);
#else
    a = a > b ? a : b;
#endif
}

/// a = |a|
MARGIN_INLINED void take_size(Eight& a) {
    const EightInts all_but_sign = EightInts{} + std::numeric_limits<std::int32_t>::max();
    a = reinterpret_cast<Eight>(reinterpret_cast<EightInts>(a) & all_but_sign);
}

/// Bit l is set where lane l does not exceed the limit.
MARGIN_INLINED std::uint32_t which_not_above(const Eight& lanes, float limit) {
    const EightInts holds = lanes <= limit;
#ifdef MARGIN_LANES_AVX
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<Eight>(holds)));
#else
    std::uint32_t mask = 0;
    for (int l = 0; l < 8; ++l)
        mask |= (static_cast<std::uint32_t>(holds[l]) & 1u) << l;
    return mask;
#endif
}

/// Difference d joins the sum s.
MARGIN_INLINED void join(const SumOfSquares&, Eight& s, const Eight& d) { s += d * d; }
MARGIN_INLINED void join(const SumOfSizes&, Eight& s, const Eight& d) {
    Eight size = d;
    take_size(size);
    s += size;
}
MARGIN_INLINED void join(const LargestSize&, Eight& s, const Eight& d) {
    Eight size = d;
    take_size(size);
    raise_to(s, size);
}

MARGIN_INLINED void join(const SumOfPowers& norm, Eight& s, const Eight& d) {
    constexpr float one = 0x3f800000, most = 0x7f000000; // the bits of 1 and 2^127
    Eight size = d;
    take_size(size);
    Eight logarithm = __builtin_convertvector(reinterpret_cast<EightInts>(size), Eight);
    logarithm = (logarithm - one) * static_cast<float>(norm.p) + one;
    raise_to(logarithm, Eight{});
    logarithm = logarithm < most ? logarithm : Eight{} + most;
    const EightInts ordinary =
        size >= std::numeric_limits<float>::min(); // smaller ones have no exponent, and count as 0
    s += reinterpret_cast<Eight>(__builtin_convertvector(logarithm, EightInts) & ordinary);
}

MARGIN_INLINED void join(const NoNorm&, Eight&, const Eight&) {}

/// As many numbers as a node has children, or a block rows.
template <std::size_t n>
struct Lanes {
    static_assert(n % 8 == 0);
    Eight eight[n / 8];

    MARGIN_INLINED void store(float* to) const {
        for (std::size_t e = 0; e < n / 8; ++e)
            *reinterpret_cast<EightAnywhere*>(to + 8 * e) = eight[e];
    }
    /// The lane with the lowest number, up to its last few bits; of equal ones the first. Requires numbers of at least 0,
    /// which sort like the whole numbers that have the same bits.
    MARGIN_LANES_SCAN std::uint32_t lowest() const {
        float numbers[n];
        store(numbers);
        std::uint32_t best = ~0u;
        for (std::uint32_t l = 0; l < n; ++l)
            best = std::min(best, (std::bit_cast<std::uint32_t>(numbers[l]) & ~std::uint32_t{n - 1}) | l);
        return best % n;
    }
    MARGIN_LANES_SCAN std::uint32_t not_above(float limit) const {
        std::uint32_t mask = 0;
        for (std::size_t e = 0; e < n / 8; ++e)
            mask |= which_not_above(eight[e], limit) << (8 * e);
        return mask;
    }
};

/// Columns known when this is compiled (the loops over them vanish), or 0: as the tree says.
template <std::size_t Columns>
MARGIN_INLINED std::size_t n_columns(const Tree& tree) {
    return Columns ? Columns : tree.columns;
}

/// Joined gaps between a query and the boxes of a node's children.
template <class N, std::size_t Columns>
MARGIN_LANES_SCAN void scan_boxes(const Tree& tree, const N& norm, const float* query, std::size_t node,
                                  Lanes<fan>& joined) {
    const std::size_t columns = n_columns<Columns>(tree);
    const float* box = tree.boxes + node * columns * 2 * fan;
    joined = {};
    for (std::size_t j = 0; j < columns; ++j, box += 2 * fan)
        for (std::size_t e = 0; e < fan / 8; ++e) {
            Eight gap = *lanes_at(box + 8 * e) - query[j];
            const Eight below = query[j] - *lanes_at(box + fan + 8 * e);
            raise_to(gap, below);
            raise_to(gap, Eight{});
            join(norm, joined.eight[e], gap);
        }
}

/// Joined sketches of the rows of a block.
template <class N, std::size_t Columns>
MARGIN_LANES_SCAN void scan_block(const Tree& tree, const N& norm, const float* query, std::size_t block,
                                  Lanes<block_rows>& joined) {
    const std::size_t columns = n_columns<Columns>(tree);
    const float* cells = tree.sketch + block * columns * block_rows;
    joined = {};
    for (std::size_t j = 0; j < columns; ++j, cells += block_rows)
        for (std::size_t e = 0; e < block_rows / 8; ++e) {
            const Eight apart = query[j] - *lanes_at(cells + 8 * e);
            join(norm, joined.eight[e], apart);
        }
}

/// The way of one query. Lets `sink` see every row that may be as near as its threshold, near boxes first. A sink says
/// threshold() and too_late(), from which place on no row counts any more; both may fall with every offer(row in the
/// order of the leaves).
template <class N, std::size_t Columns, class Sink>
class Search {
public:
    MARGIN_INLINED Search(const QueryState<N>& state, Sink& sink)
        : tree_(state.tree), norm_(state.sketched.norm()), query_(state.sketched.cells()), sink_(sink) {}

    /// How many blocks were looked at. First down to the nearest leaf, which makes the threshold low, then back up the
    /// same way: what has been passed by on the way down seldom has to be visited.
    MARGIN_INLINED std::size_t run() {
        Step way[deepest];
        std::size_t n_steps = 0;
        for (std::int32_t node = 0; node >= 0; ++n_steps)
            way[n_steps] = descend(node);
        while (n_steps > 0) {
            const Step step = way[--n_steps];
            open(step.node, ~(1u << step.child));
            while (n_waiting_ > 0) {
                const Visit visit = waiting_[--n_waiting_];
                if (visit.gap <= sink_.threshold())
                    open(static_cast<std::size_t>(visit.node), ~0u);
            }
        }
        return n_blocks_;
    }

private:
    struct Step {
        std::size_t node;
        std::uint32_t child;
    };

    /// From `node` to its nearest child; if that is a leaf, it is looked at, and node is -1.
    MARGIN_INLINED Step descend(std::int32_t& node) {
        const auto from = static_cast<std::size_t>(node);
        Lanes<fan> joined;
        scan_boxes<N, Columns>(tree_, norm_, query_, from, joined);
        const Step step{from, joined.lowest()};
        const std::int32_t first = tree_.first[from * fan + step.child], size = tree_.size[from * fan + step.child];
        node = size == is_node ? first : -1;
        if (size != is_node)
            scan_leaf(first, size);
        return step;
    }

    MARGIN_INLINED void open(std::size_t node, std::uint32_t children) {
        Lanes<fan> joined;
        scan_boxes<N, Columns>(tree_, norm_, query_, node, joined);
        children &= joined.not_above(sink_.threshold());
        if (sink_.too_late() != no_place)
            children &= in_time(node, sink_.too_late());
        if (children == 0)
            return;
        float gaps[fan];
        joined.store(gaps);
        const std::int32_t* first = tree_.first + node * fan;
        const std::int32_t* size = tree_.size + node * fan;
        if (size[0] == is_node) { // then most of them are, as a rule all
            const std::size_t before = n_waiting_;
            for (; children; children &= children - 1) {
                const auto child = static_cast<std::size_t>(std::countr_zero(children));
                if (size[child] == is_node)
                    wait({gaps[child], first[child]}, before);
                else
                    scan_leaf(first[child], size[child]);
            }
        } else {
            for (; children; children &= children - 1) {
                const auto child = static_cast<std::size_t>(std::countr_zero(children));
                if (size[child] == is_node)
                    waiting_[n_waiting_++] = {gaps[child], first[child]};
                else if (gaps[child] <= sink_.threshold())
                    scan_leaf(first[child], size[child]);
            }
        }
    }

    /// The children with places before `too_late`. Of masses of rows that equal the query only a few are then looked at.
    MARGIN_INLINED std::uint32_t in_time(std::size_t node, std::int32_t too_late) const {
        std::uint32_t children = 0;
        for (std::size_t child = 0; child < fan; ++child)
            children |= static_cast<std::uint32_t>(tree_.lowest[node * fan + child] < too_late) << child;
        return children;
    }

    /// Children of a node wait in the order of their gaps, the nearest on top; of equal ones, the first.
    MARGIN_INLINED void wait(Visit visit, std::size_t before) {
        std::size_t to = n_waiting_++;
        for (; to > before && waiting_[to - 1].gap <= visit.gap; --to)
            waiting_[to] = waiting_[to - 1];
        waiting_[to] = visit;
    }

    MARGIN_INLINED void scan_leaf(std::int32_t first, std::int32_t size) {
        n_blocks_ += static_cast<std::size_t>(size);
        for (std::int32_t b = first; b < first + size; ++b) {
            const auto block = static_cast<std::size_t>(b);
            Lanes<block_rows> joined;
            scan_block<N, Columns>(tree_, norm_, query_, block, joined);
            std::uint32_t near = joined.not_above(sink_.threshold());
            if (near == 0)
                continue;
            float sketches[block_rows];
            joined.store(sketches);
            for (; near; near &= near - 1) {
                const auto l = static_cast<std::size_t>(std::countr_zero(near));
                if (sketches[l] <= sink_.threshold())
                    sink_.offer(block * block_rows + l);
            }
        }
    }

    const Tree& tree_;
    const N norm_;
    const float* query_;
    Sink& sink_;
    std::size_t n_waiting_ = 0, n_blocks_ = 0;
    Visit waiting_[deepest * (fan - 1) + 1];
};

/// Which child of which child … a query would visit first, as a number below n_corners.
template <class N>
std::uint32_t corner_of(const Tree& tree, const Sketched<N>& query) {
    std::uint32_t corner = 0;
    std::int32_t node = 0;
    for (std::size_t level = 0; level < corner_levels; ++level) {
        std::uint32_t nearest = 0;
        if (node >= 0) {
            Lanes<fan> joined;
            scan_boxes<N, 0>(tree, query.norm(), query.cells(), static_cast<std::size_t>(node), joined);
            nearest = joined.lowest();
            const std::size_t at = static_cast<std::size_t>(node) * fan + nearest;
            node = tree.size[at] == is_node ? tree.first[at] : -1;
        }
        corner = corner * fan + nearest;
    }
    return corner;
}

template <class N, std::size_t Columns>
std::size_t search_nearest(QueryState<N>& state, const double* query, Nearest& best) {
    KeepNearest<N> sink(state, query, best);
    return Search<N, Columns, KeepNearest<N>>(state, sink).run();
}

template <class N>
std::size_t search_within(QueryState<N>& state, const double* query, double radius, std::vector<Found>& found) {
    KeepWithin<N> sink(state, query, radius, found);
    return Search<N, 0, KeepWithin<N>>(state, sink).run();
}

/// What this instruction set has to offer.
struct Level {
    template <class N, std::size_t Columns>
    static constexpr auto nearest = &search_nearest<N, Columns>;
    template <class N>
    static constexpr auto within = &search_within<N>;
    template <class N>
    static constexpr auto corner = &corner_of<N>;
};
