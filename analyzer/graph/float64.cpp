// Where double precision enters, and how much of the graph it takes along.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool isDouble(const Value* v, const TracedValues& traced) {
  auto t = tensorOf(v, traced);
  return t && t->dtype == at::kDouble &&
         !t->shape.empty();  // one of no dimensions does not widen its partner
}

bool makesDouble(const Node* n, const TracedValues& traced) {
  auto outputs = n->outputs();
  return std::any_of(outputs.begin(), outputs.end(), [&](const Value* v) { return isDouble(v, traced); });
}

bool readsDouble(const Node* n, const TracedValues& traced) {
  auto inputs = tensorInputs(n);
  return std::any_of(inputs.begin(), inputs.end(), [&](const Value* v) { return isDouble(v, traced); });
}

// The same work in float32.
Cost narrowed(Cost c) {
  c.bytesRead /= 2;
  c.bytesWritten /= 2;
  c.rate = Rate::Fp32;
  return c;
}

struct Reach {  // what computes in float64 because of one node
  int nodes = 0;
  Cost saved;
  double savedSeconds = 0, seconds = 0;
};

void count(const Node* n, const Analysis& a, Reach& reach) {
  Cost cost = costOf(n, a.traced), less = narrowed(cost);
  if (cost.kernels == 0) return;
  ++reach.nodes;
  reach.saved.bytesRead += cost.bytesRead - less.bytesRead;
  reach.saved.bytesWritten += cost.bytesWritten - less.bytesWritten;
  double seconds = secondsOf(cost, *a.target.gpu);
  reach.seconds += seconds;
  reach.savedSeconds += seconds - secondsOf(less, *a.target.gpu);
}

// Why a node's result is float64 although no operand was computed in it: named for the reader.
std::string causeOf(const Node* n, const TracedValues& traced) {
  for (auto* v : tensorInputs(n)) {
    if (!isDouble(v, traced)) continue;
    auto kind = v->node()->kind();
    if (kind == jit::prim::Constant) return "a float64 constant";
    if (kind == jit::prim::GetAttr) return "the float64 parameter " + v->node()->s(jit::attr::name);
    if (kind == jit::prim::Param) return "a float64 input";
  }
  return std::string(n->kind().toQualString());
}

}  // namespace

CodedResult findFloat64(const RulePage&, const Analysis& a) {
  std::unordered_map<const Node*, Node*> entryOf;  // a node in float64 -> where that began
  std::vector<Node*> entries;
  std::unordered_map<const Node*, Reach> reach;
  forEachNode(a.graph.block(), [&](Node* n) {
    auto kind = n->kind();
    if (kind == jit::prim::Constant || kind == jit::prim::GetAttr || n->outputs().empty()) return;
    if (!makesDouble(n, a.traced) && !readsDouble(n, a.traced)) return;
    Node* entry = n;
    for (auto* v : tensorInputs(n))
      if (auto known = entryOf.find(v->node()); known != entryOf.end() && isDouble(v, a.traced)) {
        entry = known->second;
        break;
      }
    if (entry == n) entries.push_back(n);
    entryOf[n] = entry;
    count(n, a, reach[entry]);
  });
  Places places;
  for (Node* n : entries) {
    auto& r = reach[n];
    if (r.saved.bytes() < kSmallBytes) continue;
    int ratio = static_cast<int>(a.target.gpu->fp32FlopPerSecond / a.target.gpu->fp64FlopPerSecond + 0.5);
    places.add(n,
               causeOf(n, a.traced) + " makes " + std::to_string(r.nodes) +
                   (r.nodes == 1 ? " operator" : " operators") +
                   " compute in float64, which moves twice the bytes and runs at 1/" + std::to_string(ratio) +
                   " of the float32 rate on " + a.target.gpu->name,
               estimateOfSaving(r.saved, r.savedSeconds, r.seconds, *a.target.gpu));
  }
  return places.take(a, "nothing of size is computed in float64");
}

}  // namespace kadvise::graph
