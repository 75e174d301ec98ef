#include "analyzer/graph/replacement_here.h"

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// In place of a branch on something constant, what its taken arm holds.
void takeKnownArm(Node* branch) {
  auto taken = branch->kind() == jit::prim::If ? jit::toIValue(branch->input(0)) : std::nullopt;
  if (!taken) return;
  auto* arm = branch->blocks()[taken->toBool() ? 0 : 1];
  for (auto it = arm->nodes().begin(); it != arm->nodes().end();) {
    Node* n = *it++;
    n->moveBefore(branch);
    takeKnownArm(n);
  }
  for (std::size_t i = 0; i < branch->outputs().size(); ++i)
    branch->output(i)->replaceAllUsesWith(arm->outputs()[i]);
  branch->destroy();
}

// Whether an optional of the replacement is given in this place; nullopt where only a call can say. nn.Conv2d
// declares its bias as an optional: an attribute that is None became a constant when the module was loaded.
std::optional<bool> isGiven(Value* argument) {
  if (isNone(argument)) return false;
  bool isAttribute = argument->node()->kind() == jit::prim::GetAttr && attributePath(argument);
  if (isTensor(argument) || (isAttribute && !isAssigned(argument))) return true;
  return std::nullopt;
}

// "x is None" and "x is not None", answered.
void answer(Value* optional, bool isGiven) {
  auto uses = optional->uses();
  for (const jit::Use& use : uses) {
    bool asksPresence = use.user->kind() == jit::aten::__isnot__;
    if (!asksPresence && use.user->kind() != jit::aten::__is__) continue;
    if (!isNone(use.user->input(1 - use.offset))) continue;
    jit::WithInsertPoint here(use.user);
    use.user->output()->replaceAllUsesWith(optional->owningGraph()->insertConstant(asksPresence == isGiven));
  }
}

}  // namespace

std::shared_ptr<jit::Graph> replacementHere(const Replacement& replacement,
                                            const std::vector<Value*>& arguments) {
  auto here = replacement.graph->copy();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (auto given = isGiven(arguments[i])) answer(here->inputs()[i], *given);
    auto known = jit::toIValue(arguments[i]);
    if (!known || !known->isBool()) continue;
    jit::WithInsertPoint start(*here->nodes().begin());
    here->inputs()[i]->replaceAllUsesWith(here->insertConstant(*known));
  }
  for (auto it = here->nodes().begin(); it != here->nodes().end();) takeKnownArm(*it++);
  return here;
}

}  // namespace kadvise::graph
