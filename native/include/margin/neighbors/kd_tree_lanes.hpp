// Eight numbers at once, and what a search does with them. Included by kd_tree_search.hpp once for each instruction set,
// each time into another namespace: no #pragma once.
//
// Vector types rather than loops that the compiler might vectorise: it unrolls loops over so few lanes first, and then
// finds nothing left to vectorise (a third of the speed). They need the instruction set to be known where they are
// written, which is why clones (MARGIN_SIMD) do not serve here.

// No function returns a vector: how that is done depends on the instruction set, and compilers warn.

typedef float Eight __attribute__((vector_size(32)));
typedef float EightAnywhere __attribute__((vector_size(32), aligned(4)));
typedef std::int32_t EightInts __attribute__((vector_size(32)));

MARGIN_INLINED const EightAnywhere* lanes_at(const float* from) { return reinterpret_cast<const EightAnywhere*>(from); }

MARGIN_INLINED void store(float* to, const Eight& lanes) { *reinterpret_cast<EightAnywhere*>(to) = lanes; }

/// a = max(a, b)
MARGIN_INLINED void raise_to(Eight& a, const Eight& b) {
#ifdef __AVX__
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
MARGIN_INLINED std::uint32_t not_above(const Eight& lanes, float limit) {
    const EightInts holds = lanes <= limit;
#ifdef __AVX__
    return static_cast<std::uint32_t>(__builtin_ia32_movmskps256(reinterpret_cast<Eight>(holds)));
#else
    std::uint32_t mask = 0;
    for (int l = 0; l < 8; ++l)
        mask |= (static_cast<std::uint32_t>(holds[l]) & 1u) << l;
    return mask;
#endif
}

/// Difference d joins the sum s.
MARGIN_INLINED void join(SumOfSquares, Eight& s, const Eight& d) { s += d * d; }
MARGIN_INLINED void join(SumOfSizes, Eight& s, const Eight& d) {
    Eight size = d;
    take_size(size);
    s += size;
}
MARGIN_INLINED void join(LargestSize, Eight& s, const Eight& d) {
    Eight size = d;
    take_size(size);
    raise_to(s, size);
}

/// Columns known when this is compiled (the loops over them vanish), or 0: as the tree says.
template <std::size_t Columns>
MARGIN_INLINED std::size_t n_columns(const Tree& tree) {
    return Columns ? Columns : tree.columns;
}

/// Joined gaps between a query and the boxes of a node's children.
template <class N, std::size_t Columns>
MARGIN_INLINED void scan_boxes(const Tree& tree, const float* query, std::size_t node, Eight& joined) {
    const std::size_t columns = n_columns<Columns>(tree);
    const float* box = tree.boxes + node * columns * 2 * fan;
    joined = Eight{};
    for (std::size_t j = 0; j < columns; ++j, box += 2 * fan) {
        const float q = query[j];
        Eight gap = *lanes_at(box) - q;
        raise_to(gap, q - *lanes_at(box + fan));
        raise_to(gap, Eight{});
        join(N{}, joined, gap);
    }
}

/// Joined sketches of the sixteen rows of a block.
template <class N, std::size_t Columns>
MARGIN_INLINED void scan_block(const Tree& tree, const float* query, std::size_t block, Eight& low, Eight& high) {
    const std::size_t columns = n_columns<Columns>(tree);
    const float* cells = tree.sketch + block * columns * block_rows;
    low = high = Eight{};
    for (std::size_t j = 0; j < columns; ++j, cells += block_rows) {
        const float q = query[j];
        join(N{}, low, q - *lanes_at(cells));
        join(N{}, high, q - *lanes_at(cells + 8));
    }
}

/// Let `sink` see every row that may be as near as its threshold, near boxes first, and return how many blocks were
/// looked at. A sink says threshold(), which may fall with every offer(row in the order of the leaves).
template <class N, std::size_t Columns, class Sink>
MARGIN_INLINED std::size_t search(const Tree& tree, const float* query, Sink& sink) {
    Visit waiting[deepest * (fan - 1) + 1];
    std::size_t n_waiting = 0, n_blocks = 0;
    Visit now{0, 0, is_node};
    for (;;) {
        if (now.size == is_node) {
            const auto node = static_cast<std::size_t>(now.first);
            Eight joined;
            scan_boxes<N, Columns>(tree, query, node, joined);
            std::uint32_t near = not_above(joined, sink.threshold());
            float gaps[fan];
            store(gaps, joined);
            const std::size_t before = n_waiting;
            for (; near; near &= near - 1) {
                const auto child = static_cast<std::size_t>(std::countr_zero(near));
                const std::size_t at = node * fan + child;
                const Visit visit{gaps[child], tree.first[at], tree.size[at]};
                if (visit.size == 0)
                    break; // children stand first, nothing comes after them
                std::size_t to = n_waiting++;
                for (; to > before && waiting[to - 1].gap <= visit.gap; --to)
                    waiting[to] = waiting[to - 1];
                waiting[to] = visit;
            }
        } else {
            n_blocks += static_cast<std::size_t>(now.size);
            for (std::int32_t b = now.first; b < now.first + now.size; ++b) {
                const auto block = static_cast<std::size_t>(b);
                Eight low, high;
                scan_block<N, Columns>(tree, query, block, low, high);
                std::uint32_t near = not_above(low, sink.threshold()) | not_above(high, sink.threshold()) << 8;
                if (near == 0)
                    continue;
                float joined[block_rows];
                store(joined, low);
                store(joined + 8, high);
                for (; near; near &= near - 1) {
                    const auto l = static_cast<std::size_t>(std::countr_zero(near));
                    if (joined[l] <= sink.threshold())
                        sink.offer(block * block_rows + l);
                }
            }
        }
        do {
            if (n_waiting == 0)
                return n_blocks;
            now = waiting[--n_waiting];
        } while (now.gap > sink.threshold());
    }
}

/// Which child of which child … a query would visit first, three nodes down, as a number below fan^3.
template <class N>
std::uint32_t corner_of(const Tree& tree, const float* query) {
    std::uint32_t corner = 0;
    std::int32_t node = 0;
    for (int level = 0; level < 3; ++level) {
        std::uint32_t nearest = 0;
        if (node >= 0) {
            Eight joined;
            scan_boxes<N, 0>(tree, query, static_cast<std::size_t>(node), joined);
            float gaps[fan];
            store(gaps, joined);
            const std::size_t at = static_cast<std::size_t>(node) * fan;
            for (std::uint32_t child = 1; child < fan && tree.size[at + child] != 0; ++child)
                if (gaps[child] < gaps[nearest])
                    nearest = child;
            node = tree.size[at + nearest] == is_node ? tree.first[at + nearest] : -1;
        }
        corner = corner * fan + nearest;
    }
    return corner;
}

template <class N, std::size_t Columns>
std::size_t search_nearest(Asking& asking, const double* query, Nearest& best) {
    KeepNearest<N> sink(asking, query, best);
    return search<N, Columns>(asking.tree, asking.sketched.cells(), sink);
}

template <class N, class D>
std::size_t search_within(Asking& asking, const double* query, double radius, std::vector<Found>& found) {
    KeepWithin<N, D> sink(asking, query, radius, found);
    return search<N, 0>(asking.tree, asking.sketched.cells(), sink);
}

/// What this instruction set has to offer.
struct Level {
    template <class N, std::size_t Columns>
    static constexpr auto nearest = &search_nearest<N, Columns>;
    template <class N, class D>
    static constexpr auto within = &search_within<N, D>;
    template <class N>
    static constexpr auto corner = &corner_of<N>;
};
