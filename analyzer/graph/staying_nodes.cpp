#include "analyzer/graph/staying_nodes.h"

#include <algorithm>

#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool isReadOutside(const Node* n, const std::set<const Node*>& inside) {
  auto& uses = n->output()->uses();
  return std::any_of(uses.begin(), uses.end(), [&](auto& use) { return !inside.count(use.user); });
}

bool isListOfNumbers(const Node* n) {
  if (n->kind() != jit::prim::ListConstruct) return false;
  auto type = n->output()->type()->cast<c10::ListType>();
  return type && type->getElementType() == c10::IntType::get();
}

}  // namespace

std::set<const Node*> staysForOthers(const Match& match, const std::set<const Node*>& inside,
                                     const std::set<const Value*>& results) {
  std::set<const Node*> out;
  for (Node* n : match.nodes) {
    Node* program = imageProgramOf(n);
    if (program && !results.count(n->output()) && isReadOutside(n, inside))
      out.insert({n, program, program->inputs()[1]->node()});
    auto isMadeInside = [&](const Value* in) { return inside.count(in->node()) > 0; };
    bool costsNothing =
        has(n, OperatorTrait::View)
            ? !isMadeInside(n->input(0))
            : isListOfNumbers(n) && std::none_of(n->inputs().begin(), n->inputs().end(), isMadeInside);
    if (costsNothing && !results.count(n->output()) && isReadOutside(n, inside)) out.insert(n);
  }
  return out;
}

}  // namespace kadvise::graph
