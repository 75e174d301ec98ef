// Work on parameters and constants alone, done again in every call.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/shape_table.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool isParameter(const Value* v) {
  auto kind = v->node()->kind();
  return kind == jit::prim::GetAttr || kind == jit::prim::Constant;
}

// Nodes that read parameters and constants only, and at least one tensor among them.
struct Fixed {
  std::unordered_set<const Node*> nodes;

  bool holds(const Value* v) const { return isParameter(v) || nodes.count(v->node()) > 0; }
};

Fixed fixedNodes(jit::Graph& graph, const Aliases& aliases) {
  Fixed fixed;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->outputs().empty() || n->inputs().empty() || isParameter(n->output(0)) || !isPure(n)) return;
    if (isMade(n)) return;  // what a change put there is folded when the module is written
    auto inputs = n->inputs();
    bool allKnown = std::all_of(inputs.begin(), inputs.end(),
                                [&](Value* v) { return fixed.holds(v) && !aliases.hasWriters(v); });
    if (allKnown && !tensorInputs(n).empty()) fixed.nodes.insert(n);
  });
  return fixed;
}

bool readByOthers(const Node* n, const Fixed& fixed) {
  for (auto* out : n->outputs())
    for (auto& use : out->uses())
      if (!fixed.nodes.count(use.user)) return true;
  return false;
}

// The traffic and time of a node and of all that only leads to it.
struct Chain {
  Cost cost;
  double seconds = 0;
  std::vector<Node*> nodes;
  const Node* last = nullptr;  // nearest to the end that costs anything
  const Value* source = nullptr;
  bool launches = false;  // by itself, see isLaunchOfItsOwn()
};

// A gather or a norm is a launch of its own whatever it moves; element-wise work can be taken along by other
// kernels.
constexpr double kSmallLaunch = 4 * 1024;

bool isLaunchOfItsOwn(const Node* n) {
  auto kind = kindOf(n).kind;
  return kind == OperatorKind::Gather || kind == OperatorKind::Norm || kind == OperatorKind::Reduction;
}

bool isSmall(const Chain& chain) {
  return chain.cost.bytes() < (chain.launches ? kSmallLaunch : kSmallBytes);
}

void follow(const Node* n, const Fixed& fixed, const Analysis& a, std::unordered_set<const Node*>& taken,
            Chain& chain) {
  if (!fixed.nodes.count(n) || !taken.insert(n).second) return;
  chain.nodes.push_back(const_cast<Node*>(n));
  Cost cost = costOf(n, a.traced);
  chain.cost.bytesRead += cost.bytesRead;
  chain.cost.bytesWritten += cost.bytesWritten;
  chain.seconds += secondsOf(cost, *a.target.gpu);
  chain.launches = chain.launches || isLaunchOfItsOwn(n);
  if (cost.kernels > 0 && !chain.last) chain.last = n;
  for (auto* in : n->inputs()) {
    if (isParameter(in) && isTensor(in) && !chain.source) chain.source = in;
    follow(in->node(), fixed, a, taken, chain);
  }
}

std::string nameOf(const Value* source) {
  auto path = source ? attributePath(const_cast<Value*>(source)) : std::nullopt;
  return path ? path->substr(path->rfind('.') + 1) : "a constant";
}

// What stands in a branch or a loop is folded by itself, or not at all.
void addByBlock(std::vector<std::vector<Node*>>& blocks, const std::vector<Node*>& chain) {
  for (Node* n : chain) {
    auto same = std::find_if(blocks.begin(), blocks.end(),
                             [&](auto& nodes) { return nodes.front()->owningBlock() == n->owningBlock(); });
    if (same != blocks.end()) same->push_back(n);
    else blocks.push_back({n});
  }
}

}  // namespace

CodedResult findConstantWork(const RulePage&, const Analysis& a) {
  Fixed fixed = fixedNodes(a.graph, a.aliases);
  std::unordered_set<const Node*> taken;
  Places places;
  std::map<std::size_t, std::vector<std::vector<Node*>>> nodesOf;  // of each finding, by blocks
  const char* whyNothing = "nothing is computed of parameters alone";
  forEachNode(a.graph.block(), [&](Node* n) {
    if (!fixed.nodes.count(n) || !readByOthers(n, fixed)) return;
    Chain chain;
    follow(n, fixed, a, taken, chain);
    if (!chain.last || isSmall(chain)) {
      if (chain.last)
        whyNothing = "what is computed of parameters alone moves too few bytes to be worth keeping";
      for (Node* each : chain.nodes)
        taken.erase(each);  // for the chain of another reader, which may be worth it
      return;
    }
    double around = chain.seconds;
    for (auto& use : n->output(0)->uses()) around += secondsOf(costOf(use.user, a.traced), *a.target.gpu);
    auto made = tensorOf(chain.last->output(0), a.traced);
    auto finding = places.add(const_cast<Node*>(chain.last),
                              std::string(chain.last->kind().toQualString()) + " makes " +
                                  describe(made ? &*made : nullptr) + " of " + nameOf(chain.source) +
                                  " alone, again in every call",
                              estimateOfSaving(chain.cost, chain.seconds, around, *a.target.gpu));
    addByBlock(nodesOf[finding], chain.nodes);
  });
  auto out = places.take(a, whyNothing);
  for (auto& [i, blocks] : nodesOf) {
    std::string why;
    auto& rewrite = out.findings[i].rewrite;
    for (auto nodes = blocks.begin(); nodes != blocks.end() && !rewrite; ++nodes) {
      sortByPlace(*nodes);
      rewrite = foldedOf(*nodes, a, why);
    }
    if (!rewrite) out.refused.push_back({out.findings[i].node, {"the folded parameter", why}});
  }
  return out;
}

}  // namespace kadvise::graph
