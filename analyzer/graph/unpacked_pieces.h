// a, b = x.split(8, 1) raises an error where x has other than two pieces. In normal form the pieces are read
// one by one, and none of the reads asks how many there are: checks do.
#pragma once

#include <vector>

#include "analyzer/graph/subject.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Puts a check into the subject's forward for every list of pieces, or row of select() in its place, that the
// user's forward unpacks, unless constants and parameters say how many pieces there are in every call.
void checkUnpackedPieces(Subject&, const TracedValues&);

}  // namespace kadvise::graph
