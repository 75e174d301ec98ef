// A region as one call of kadvise::row_program.
#pragma once

#include "analyzer/graph/made_rewrite.h"
#include "analyzer/graph/row_regions.h"

namespace kadvise::graph {

inline constexpr int kLevelOfGenerated = 4;  // of the candidates that are generated kernels

// The text of the program; inputs are the region's readings in their order.
std::string rowProgramText(const RowRegion&, const TracedValues&);

// A call of the operator in a replacement's body; inputs: "p0, p1".
std::string rowProgramCall(const std::string& text, const std::string& inputs);

// The text of a program as a literal of TorchScript.
std::string rowTextLiteral(const std::string& text);

// One tensor of at most kMostOfCopies dimensions, contiguous in their order.
inline constexpr std::size_t kMostOfCopies = 8;  // kMostRank in kernels/rowprogram/program.h
std::string rowCopyText(c10::ScalarType, std::size_t rank);

MadeRewrite rewriteOf(const RowRegion&, const TracedValues&);

}  // namespace kadvise::graph
