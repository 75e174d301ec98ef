#include "analyzer/graph/separate_passes.h"

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_rewrite.h"

namespace kadvise::graph {
namespace {

using jit::Value;

constexpr std::size_t kMostNamed = 5;

bool isTaken(const RowRegion& region, const Analysis& analysis) {
  return std::any_of(region.nodes.begin(), region.nodes.end(),
                     [&](auto* n) { return analysis.taken.count(n->node) != 0; });
}

constexpr std::string_view kViews[] = {"aten::transpose", "aten::permute",   "aten::view",   "aten::reshape",
                                       "aten::unsqueeze", "aten::squeeze",   "aten::expand", "aten::select",
                                       "aten::flatten",   "aten::unflatten", "aten::t",      "aten::slice"};

bool isReadByTaken(const Value* v, const Analysis& analysis) {
  return std::any_of(v->uses().begin(), v->uses().end(), [&](const jit::Use& use) {
    if (analysis.taken.count(use.user)) return true;
    return isOneOf(kViews, use.user) && isReadByTaken(use.user->output(), analysis);
  });
}

// A copy for what another rule replaces may be needed no more: attention takes heads as they lie.
bool isCopiedForTaken(const RowRegion& region, const Analysis& analysis) {
  return std::any_of(region.nodes.begin(), region.nodes.end(),
                     [&](auto* n) { return isRowCopy(*n, analysis.traced); }) &&
         std::any_of(region.outputs.begin(), region.outputs.end(),
                     [&](auto* v) { return isReadByTaken(v, analysis); });
}

// "add, layer_norm, gelu": each name once, in the order of the graph.
std::string namesOf(const RowRegion& region) {
  std::vector<std::string> names;
  for (auto* n : region.nodes) {
    std::string name = (n->op.isBias ? "bias of " : "") + std::string(n->node->kind().toUnqualString());
    if (!n->op.isView && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) out += (i ? ", " : "") + names[i];
  return names.size() > kMostNamed ? out + ", …" : out;
}

std::string messageOf(const RowRegion& region) {
  auto passes = static_cast<int>(region.kernelsBefore);
  bool isRows = !region.space.reduced.empty() && !region.nodes.front()->op.staysAlone;
  if (passes == 1 && isRows)
    return namesOf(region) + " reads its rows more than once, where one pass is enough";
  if (passes == 1) return namesOf(region) + " takes longer than the memory that it moves";
  return std::to_string(passes) +
         " kernels in a row pass over the same elements, where one is enough: " + namesOf(region);
}

}  // namespace

CodedResult findSeparatePasses(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  if (analysis.traced.empty()) {
    out.whyNothing = "shapes and dtypes are not known without a run";
    return out;
  }
  auto search = findRowRegions(analysis.graph, analysis.traced, analysis.aliases);
  for (auto& region : search.regions) {
    if (isTaken(region, analysis) || isCopiedForTaken(region, analysis)) {
      out.looksAgain = true;
      continue;
    }
    CodedFinding f;
    f.node = region.outputs.front()->node();
    f.message = messageOf(region);
    try {
      f.rewrite = rewriteOf(region, analysis.traced);
    } catch (const Error& e) {
      out.refused.push_back({f.node, {namesOf(region), e.reason}});
      continue;
    }
    out.findings.push_back(std::move(f));
  }
  if (out.findings.empty())
    out.whyNothing = "no two neighbouring operators that one generated kernel could compute";
  return out;
}

}  // namespace kadvise::graph
