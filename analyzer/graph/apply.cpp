#include "analyzer/graph/apply.h"

#include <algorithm>
#include <unordered_set>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/settled.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

using jit::Node;

constexpr int kDeepestRank = 8;  // operators that hand it on

// A library's empty beginning of a cache, which a cat skips whatever the rank of the others.
bool isSkippedByCat(const jit::Value* piece) {
  auto constant = jit::toIValue(piece);
  return constant && constant->isTensor() && constant->toTensor().dim() == 1 &&
         constant->toTensor().numel() == 0;
}

// What a value is asked for in place of another; where no run traced it, it is to be like `like`.
struct Asked {
  jit::Value* value;
  const jit::Value* like;
};

// The values whose ranks and dtypes say those of v, where v's own rank cannot be asked for: LibTorch's
// executor takes the rank of a cat from such an empty piece, and folds dim() of what is made of the result to
// that. None where it can be asked for.
std::vector<Asked> whatSaysRankOf(const jit::Value* v, int depth = 0) {
  while (const jit::Value* viewed = mayView(v)) v = viewed;
  auto* n = const_cast<Node*>(v->node());
  std::vector<Asked> out;
  if (n->kind() == jit::aten::cat) {
    auto pieces = n->input(0)->node()->inputs();
    if (std::none_of(pieces.begin(), pieces.end(), isSkippedByCat)) return {};
    for (auto* piece : pieces)
      if (!isSkippedByCat(piece)) out.push_back({piece, v});
    return out;
  }
  if (kindOf(n).kind != OperatorKind::Pointwise || depth == kDeepestRank) return {};
  bool isAnyMistaken = false;
  for (auto* in : n->inputs()) {
    if (!isTensor(in)) continue;
    auto behind = whatSaysRankOf(in, depth + 1);
    isAnyMistaken = isAnyMistaken || !behind.empty();
    if (behind.empty()) behind = {{in, in}};
    out.insert(out.end(), behind.begin(), behind.end());
  }
  return isAnyMistaken ? out : std::vector<Asked>();
}

// A rule was asked about the ranks and dtypes that the run saw. Those that the checks of the inputs do not
// settle, since they come out of a list or a loop, are checked in the place itself.
void checkParameters(const Pattern& pattern, const Match& match, Node* before, const TracedValues& traced) {
  Settled settled(*before->owningGraph(), traced);
  std::unordered_set<const jit::Value*> checked;
  for (auto* p : pattern.graph->inputs()) {
    auto* v = match.at(p);
    if (!isTensor(v) || attributePath(v) || settled.tensor(v)) continue;
    auto asked = whatSaysRankOf(v);
    if (asked.empty()) asked = {{v, v}};
    for (auto& a : asked) {
      if (attributePath(a.value) || settled.tensor(a.value) || !checked.insert(a.value).second) continue;
      auto check = checkOf(a.value, traced);
      if (!check) check = checkOf(a.like, traced);
      if (check) insertCheck(a.value, *check, before);
    }
  }
}

// What the results are now, so that a pass over the module as it has become knows their shapes. What replaces
// the result of an earlier replacement stands for the value of the user's.
std::vector<StandIns::Replaced> replacedBy(const Pattern& pattern, const Match& match,
                                           const TracedValues& traced, const StandIns& made) {
  std::vector<StandIns::Replaced> out;
  for (auto* result : pattern.graph->outputs()) {
    auto* v = match.at(result);
    auto* seen = traced.find(v);
    auto* earlier = isInserted(v->node()) ? made.find(v) : nullptr;
    if (earlier) out.push_back(*earlier);
    else out.push_back({nodeId(v->node()), seen ? std::optional(*seen) : std::nullopt});
  }
  return out;
}

}  // namespace

Node* nodeWithId(jit::Graph& graph, int id) {
  Node* found = nullptr;
  forEachNode(graph.block(), [&](Node* n) {
    if (nodeId(n) == id && n->kind() != jit::prim::Constant) found = n;
  });
  return found;
}

SiteResult applyAt(jit::Module& module, const Pattern& pattern, const Replacement& replacement,
                   const std::vector<int>& roots, const TracedValues& traced, StandIns& made) {
  auto refused = [](const std::string& why) { return SiteResult{SiteStatus::Refused, why, {}}; };
  auto graph = module.get_method("forward").graph();
  std::vector<Node*> nodes;
  for (int id : roots) {
    nodes.push_back(nodeWithId(*graph, id));
    if (!nodes.back())
      return {SiteStatus::Gone, "what is kept of other proposals already replaces this region", {}};
  }
  NearMiss near;
  auto match = matchAt(pattern, nodes, traced, near);
  if (!match) return refused("what is kept of other proposals already changes operators of this region");
  auto aliases = aliasesOf(graph, &module);
  if (auto why = whyUnsafe(pattern, *match, *aliases, memoryOfResults(replacement)))
    return refused(why->at + " " + why->reason);
  auto replaced = replacedBy(pattern, *match, traced, made);
  auto done = rewrite(*graph, pattern, replacement, *match, *aliases);
  if (done.refused) return refused(done.refused->at + " " + done.refused->reason);
  for (std::size_t i = 0; i < done.results.size(); ++i)  // writes in place behind them have none
    if (replaced[i].node >= 0) made.add(done.results[i], replaced[i]);
  if (!done.inserted.empty()) checkParameters(pattern, *match, done.inserted.front(), traced);
  return {SiteStatus::Applied, "", done.inserted};
}

std::vector<std::string> applyPass(jit::Module& module, const RegionPass& pass, const std::vector<int>& ids,
                                   const TracedValues& traced, const StandIns& made) {
  auto graph = module.get_method("forward").graph();
  auto aliases = aliasesOf(graph, &module);
  return pass.change({*graph, {ids.begin(), ids.end()}, Shapes(traced, made), *aliases});
}

}  // namespace kadvise::graph
