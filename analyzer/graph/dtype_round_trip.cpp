// A tensor converted to another dtype and straight back.
#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Conversion {
  Node* node;
  TracedValue from, to;
};

std::optional<Conversion> conversionAt(Node* n, const TracedValues& traced) {
  auto kind = kindOf(n).kind;
  if (kind != OperatorKind::Conversion && n->kind() != c10::Symbol::aten("_to_copy")) return std::nullopt;
  auto from = tensorOf(n->input(0), traced), to = tensorOf(n->output(0), traced);
  if (!from || !to || from->dtype == to->dtype) return std::nullopt;
  return Conversion{n, *from, *to};
}

// Whether every value of the one dtype is exactly one of the other.
bool holdsAllOf(c10::ScalarType wide, c10::ScalarType narrow) {
  if (!c10::isFloatingType(wide) || !c10::isFloatingType(narrow)) return false;
  return c10::promoteTypes(wide, narrow) == wide;
}

// The conversion before this one, with views between.
std::optional<Conversion> conversionBefore(const Conversion& second, const TracedValues& traced) {
  auto* base = baseOf(second.node->input(0), traced);
  auto first =
      base->node()->inputs().empty() ? std::nullopt : conversionAt(const_cast<Node*>(base->node()), traced);
  return first && first->from.dtype == second.to.dtype ? first : std::nullopt;
}

}  // namespace

CodedResult findDtypeRoundTrips(const RulePage&, const Analysis& a) {
  Places places;
  forEachNode(a.graph.block(), [&](Node* n) {
    auto second = n->inputs().empty() || n->outputs().empty() ? std::nullopt : conversionAt(n, a.traced);
    auto first = second ? conversionBefore(*second, a.traced) : std::nullopt;
    if (!first || costOf(n, a.traced).bytes() < kSmallBytes) return;
    std::string chain = nameOf(first->from.dtype) + " to " + nameOf(first->to.dtype) + " and straight back";
    bool exact = holdsAllOf(first->to.dtype, first->from.dtype);
    places.add(n,
               describe(&second->to) + " goes from " + chain +
                   (exact ? ", which changes nothing" : ", which only rounds it"),
               estimateWithout(n, a));
  });
  return places.take(a, "no tensor is converted to another dtype and straight back");
}

}  // namespace kadvise::graph
