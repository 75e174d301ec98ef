// The account of a search for regions: what is inside of them, and why the rest is not.
#pragma once

#include <string_view>

#include "analyzer/core/generated_share.h"
#include "analyzer/graph/row_regions.h"

namespace kadvise::graph {

// Why an element-wise operator, a norm or a reduction is in no region. Messages for people are made of these.
inline constexpr std::string_view kLeftOut[] = {
    "alone-saves-nothing",       // one pass over memory, and no neighbour to share it with
    "between-two-products",      // the same, between matrix products or convolutions
    "other-iteration-space",     // its neighbours' elements are other ones
    "other-reduced-dimensions",  // its neighbours reduce over other dimensions
    "expensive-to-repeat",       // it would be computed again for each element that it is broadcast to
    "needed-in-between",         // something that is no row program reads one part of it and feeds the other
    "too-large",                 // more operators, inputs or results than one kernel should have
    "too-many-inputs",           // long rows of more inputs than fit beside each other
    "writes-memory",             // it, or something around it, is written to in place
    "random",
    "unused",
    "shape-not-known",     // the run did not see it
    "number-is-computed",  // an argument that a program has to know is computed in each call
    "moves-between-devices",
    "unsupported-dtype",
    "unsupported-form",  // of an operator that is known
    "unsupported-operator",
};

GeneratedShare shareOf(torch::jit::Graph&, const RowSearch&, const TracedValues&);

}  // namespace kadvise::graph
