#include "analyzer/graph/capture_pieces.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/capture_interface.h"
#include "analyzer/graph/capture_memory.h"
#include "analyzer/graph/capture_tail.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/operator_kinds.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

constexpr int kMostAttempts = 64;  // each takes one node out that stood in the way of cutting

bool isWithin(const Node* n, const Node* outer) {
  while (n && n != outer) n = n->owningBlock()->owningNode();
  return n != nullptr;
}

void gatherReads(Node* n, Node* outer, std::vector<Value*>& out, std::unordered_set<Value*>& seen) {
  auto take = [&](Value* v) {
    if (!isWithin(v->node(), outer) && seen.insert(v).second) out.push_back(v);
  };
  for (Value* in : n->inputs()) take(in);
  for (jit::Block* b : n->blocks()) {
    for (Node* inner : b->nodes()) gatherReads(inner, outer, out, seen);
    for (Value* v : b->outputs()) take(v);
  }
}

bool anyWithin(Node* n, const std::function<bool(Node*)>& holds) {
  bool found = holds(n);
  for (jit::Block* b : n->blocks()) forEachNode(b, [&](Node* inner) { found = found || holds(inner); });
  return found;
}

// A loop whose steps nobody knows before the call counts as long enough.
std::size_t launchesIn(const Node* n) {
  std::size_t count = launches(n);
  for (const jit::Block* b : n->blocks())
    for (const Node* inner : b->nodes()) count += launchesIn(inner);
  if (n->kind() != prim::Loop) return count;
  auto steps = constantInt(const_cast<Node*>(n)->input(0));
  bool isKnown = steps && *steps >= 0 && *steps < 100'000;
  return count * (isKnown ? static_cast<std::size_t>(*steps) : kFewestLaunches);
}

// An operator that is a loop: cuDNN launches kernels for each step of a sequence.
bool isRecurrent(Node* n) { return kindOf(n).kind == OperatorKind::Recurrent; }

class Cutter {
 public:
  Cutter(const Analysis& analysis, const std::vector<Blocker>& blockers, std::size_t fewest)
      : analysis_(analysis), facts_(analysis), values_(analysis.graph, analysis.aliases), fewest_(fewest) {
    plan_.blockers = blockers;
    for (auto& b : blockers) blocked_.insert(topOf(const_cast<Node*>(b.node)));
    for (Node* n : analysis.graph.nodes()) plan_.launches += launchesIn(n);
  }

  CapturePlan plan() {
    for (int attempt = 0; attempt < kMostAttempts; ++attempt)
      if (cutAll()) return std::move(plan_);
    plan_.pieces.clear();
    return std::move(plan_);
  }

 private:
  // False where a node has to be left out first.
  bool cutAll() {
    plan_.pieces.clear();
    open_ = {};
    inBody_.clear();
    for (Node* n : analysis_.graph.nodes())
      if (!visit(n)) return false;
    return close();
  }

  bool visit(Node* n) {
    if (n->kind() == prim::Constant || n->kind() == prim::GetAttr) return true;
    if (blocked_.count(n)) return close();
    bool onBody = false, stranger = writesOutside(n) || readsChangedInside(n);
    for (Value* v : readBy(n)) {
      bool inside = inBody_.count(topOf(v->node())) > 0;
      onBody = onBody || inside;
      stranger = stranger || (!inside && !isFit(v));
    }
    if (stranger) return (onBody || !mayRunBefore(n)) ? close() : true;
    open_.body.push_back(n);
    inBody_.insert(n);
    return true;
  }

  bool isFit(Value* v) {
    bool onHost = isTensor(v) && facts_.placement().of(v) == Place::Host;
    return !onHost && (values_.canBeHad(v) || isTensor(v));
  }

  // Not in memory that the body itself has made.
  bool writesOutside(Node* n) const {
    return anyWithin(n, [&](Node* inner) {
      auto written = writtenValues(inner);
      return std::any_of(written.begin(), written.end(), [&](Value* target) {
        Value* memory = memoryOf(target);
        Node* maker = topOf(memory->node());
        bool own = maker == n || inBody_.count(maker);
        return !own || (isTensor(target) && !isOwnMemory(memory));
      });
    });
  }

  // At the top such an attribute is handed over.
  bool readsChangedInside(Node* n) const {
    return anyWithin(n, [&](Node* inner) {
      return inner != n && inner->kind() == prim::GetAttr && values_.isChanged(inner->output());
    });
  }

  static bool mayRunBefore(Node* n) {
    return !anyWithin(n, [](Node* inner) { return hasEffects(inner) || !writtenValues(inner).empty(); });
  }

  bool close() {
    CapturePiece piece = std::move(open_);
    open_ = {};
    inBody_.clear();
    leaveLargeProduct(piece, analysis_);
    for (Node* n : piece.body) piece.launches += launchesIn(n);
    const bool isLong =
        std::any_of(piece.body.begin(), piece.body.end(), [](Node* n) { return anyWithin(n, isRecurrent); });
    if (piece.launches < fewest_ && !isLong) return true;
    if (auto refused = completePiece(piece, values_, analysis_.aliases)) {
      blocked_.insert(topOf(refused->node));
      plan_.blockers.push_back({refused->node, "", refused->reason});
      return false;
    }
    if (!piece.inputs.empty() && !piece.outputs.empty()) plan_.pieces.push_back(std::move(piece));
    return true;
  }

  const Analysis& analysis_;
  GraphFacts facts_;
  CaptureValues values_;
  std::size_t fewest_;
  CapturePlan plan_;
  CapturePiece open_;
  std::unordered_set<const Node*> blocked_, inBody_;
};

}  // namespace

std::vector<Value*> readBy(Node* n) {
  std::vector<Value*> out;
  std::unordered_set<Value*> seen;
  gatherReads(n, n, out, seen);
  return out;
}

Node* topOf(Node* n) {
  while (Node* owner = n->owningBlock()->owningNode()) n = owner;
  return n;
}

CapturePlan planCapture(const Analysis& analysis, const std::vector<Blocker>& blockers,
                        std::size_t fewestLaunches) {
  return Cutter(analysis, blockers, fewestLaunches).plan();
}

}  // namespace kadvise::graph
