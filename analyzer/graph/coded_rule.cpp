#include "analyzer/graph/coded_rule.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/channels_last.h"
#include "analyzer/graph/copied_operands.h"
#include "analyzer/graph/einsum_copies.h"
#include "analyzer/graph/graph_break.h"
#include "analyzer/graph/grouped_rows.h"
#include "analyzer/graph/joined_pieces.h"
#include "analyzer/graph/joined_programs.h"
#include "analyzer/graph/late_bias.h"
#include "analyzer/graph/launch_bound.h"
#include "analyzer/graph/loop_over_sequence.h"
#include "analyzer/graph/mask_from_shapes.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/norm_between_programs.h"
#include "analyzer/graph/odd_widths.h"
#include "analyzer/graph/parallel_convolutions.h"
#include "analyzer/graph/rows_nobody_reads.h"
#include "analyzer/graph/scattered_slices.h"
#include "analyzer/graph/selective_scan.h"
#include "analyzer/graph/separate_passes.h"
#include "analyzer/graph/shape_only.h"
#include "analyzer/graph/shift_before_norm.h"
#include "analyzer/graph/sibling_linears.h"

namespace kadvise::graph {
namespace {

struct Entry {
  const char* name;
  CodedRule rule;
};
constexpr Entry kCodedRules[] = {
    {"sibling-linears", findSiblingLinears},
    {"parallel-convolutions", findParallelConvolutions},
    {"late-bias", findLateBiases},
    {"shift-before-norm", findShiftsBeforeNorms},
    {"einsum-copies", findEinsumCopies},
    {"graph-break", findGraphBreaks},
    {"group-norm-of-rows", findGroupedRows},
    {"rows-nobody-reads", findRowsNobodyReads},
    {"scattered-slices", findScatteredSlices},
    {"shape-only", findShapeOnly},
    {"launch-bound", findLaunchBound},
    {"copied-transpose", findCopiesBeforeUse},
    {"copied-operands", findCopiedOperands},
    {"copying-reshape", findCopyingReshapes},
    {"constant-work", findConstantWork},
    {"needless-cat", findNeedlessCats},
    {"growing-cache", findGrowingCaches},
    {"dtype-round-trip", findDtypeRoundTrips},
    {"float64", findFloat64},
    {"no-effect", findNoEffect},
    {"kept-too-long", findKeptTooLong},
    {"mask-from-shapes", findMasksFromShapes},
    {"loop-over-sequence", findLoopsOverSequences},
    {"selective-scan", findSelectiveScans},
    {"odd-widths", findOddWidths},
    {"convolutions-in-nchw", findConvolutionsInNchw},
    {"separate-passes", findSeparatePasses},
    {"joined-pieces", findJoinedPieces},
    {"joined-programs", findJoinedPrograms},
    {"norm-between-programs", findNormsBetweenPrograms},
};

// In the order in which they look: generated kernels leave to layouts what those take.
constexpr std::string_view kStandOnOthers[] = {"convolutions-in-nchw",  "copied-operands",
                                               "einsum-copies",         "separate-passes",
                                               "norm-between-programs", "launch-bound"};

}  // namespace

CodedRule codedRule(const std::string& function) {
  for (auto& e : kCodedRules)
    if (function == e.name) return e.rule;
  return nullptr;
}

std::optional<std::size_t> turnBehindOthers(const RulePage& page) {
  if (page.isBehindOthers) return 0;
  auto at = std::find(std::begin(kStandOnOthers), std::end(kStandOnOthers), page.function);
  if (at == std::end(kStandOnOthers)) return std::nullopt;
  return static_cast<std::size_t>(at - std::begin(kStandOnOthers)) + 1;
}

}  // namespace kadvise::graph
