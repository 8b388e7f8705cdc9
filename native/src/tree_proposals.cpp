// What a column proposes under the criteria that every kind of tree knows, compiled once.
#include "margin/tree/binned/bin_proposals.hpp"

namespace margin::tree {

#define MARGIN_PROPOSE(Criterion, Target)                                                                              \
    template void propose_subset<Criterion>(const Node<Target>&, const Groups&, bool, Candidate&);                     \
    template void propose_one_level<Criterion>(const Node<Target>&, const Groups&, Candidate&);                        \
    template void propose_random_levels<Criterion>(const Node<Target>&, const Groups&, Candidate&);                    \
    template std::unique_ptr<BinProposals<Target>> proposals_by<Criterion, Target>(const BinCommon&, std::size_t)
MARGIN_FOR_CRITERIA(MARGIN_PROPOSE);

} // namespace margin::tree
