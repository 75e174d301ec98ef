// Activations that are alive at the peak of memory, are not read there, and could be made again for little.
#include <cstdio>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/liveness.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr double kShareOfPeak = 0.1;    // smaller ones change little
constexpr double kSmallPeak = 1 << 20;  // of no concern to anybody

bool isCheap(const Node* n) {
  auto kind = kindOf(n).kind;
  return kind == OperatorKind::Pointwise || kind == OperatorKind::Conversion ||
         kind == OperatorKind::Reshape || kind == OperatorKind::Copy || kind == OperatorKind::Factory ||
         kind == OperatorKind::Join;
}

const Activation* activationOf(const Value* v, const Liveness& live, const TracedValues& traced) {
  auto* base = baseOf(v, traced);
  for (auto& a : live.activations)
    if (a.value == base) return &a;
  return nullptr;
}

// Making it again keeps nothing alive that is not alive anyway: operands are parameters, inputs, or outlive
// it.
bool canBeMadeAgain(const Activation& a, const Liveness& live, const TracedValues& traced) {
  for (const Value* in : tensorInputs(a.value->node())) {
    auto* base = baseOf(in, traced);
    auto kind = base->node()->kind();
    if (kind == jit::prim::Param || kind == jit::prim::GetAttr || kind == jit::prim::Constant) continue;
    auto* source = activationOf(in, live, traced);
    if (!source || source->lastUse < a.lastUse) return false;
  }
  return true;
}

// A use at the peak, or before and after it with no gap worth speaking of, is what memory is for.
bool isIdleAtPeak(const Activation& a, const Liveness& live) {
  return a.born < live.peakAt && a.lastUse > live.peakAt && a.lastUser != nullptr;
}

bool isReadAtPeak(const Activation& a, const Liveness& live, const TracedValues& traced) {
  for (const Value* in : tensorInputs(live.order[static_cast<std::size_t>(live.peakAt)]))
    if (baseOf(in, traced) == a.value) return true;
  return false;
}

std::string mebibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g MiB", bytes / (1 << 20));
  return text;
}

}  // namespace

CodedResult findKeptTooLong(const RulePage&, const Analysis& a) {
  Places places;
  auto live = livenessOf(a.graph, a.traced);
  if (live.peakBytes >= kSmallPeak)
    for (auto* held : live.atPeak()) {
      bool matters = held->bytes >= kShareOfPeak * live.peakBytes;
      if (!matters || !isIdleAtPeak(*held, live) || isReadAtPeak(*held, live, a.traced) ||
          !isCheap(held->value->node()) || !canBeMadeAgain(*held, live, a.traced))
        continue;
      Node* maker = const_cast<Node*>(held->value->node());
      places.add(maker,
                 std::string(maker->kind().toQualString()) + " makes " +
                     describe(a.traced.find(held->value)) + " (" + mebibytes(held->bytes) + ") early and " +
                     held->lastUser->kind().toQualString() + " reads it only after the peak of " +
                     mebibytes(live.peakBytes) + "; made again there, it would not be alive then",
                 std::nullopt);
    }
  return places.take(a, "what is alive at the peak of memory is needed there, or dear to make again");
}

}  // namespace kadvise::graph
