#include "analyzer/graph/replacement_here.h"

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

}  // namespace

std::shared_ptr<jit::Graph> replacementHere(const Replacement& replacement,
                                            const std::vector<Value*>& arguments) {
  auto here = replacement.graph->copy();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto known = jit::toIValue(arguments[i]);
    if (!known || !known->isBool()) continue;
    jit::WithInsertPoint start(*here->nodes().begin());
    here->inputs()[i]->replaceAllUsesWith(here->insertConstant(*known));
  }
  for (auto it = here->nodes().begin(); it != here->nodes().end();) takeKnownArm(*it++);
  return here;
}

}  // namespace kadvise::graph
