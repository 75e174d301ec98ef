#include "analyzer/graph/branch_tuples.h"

#include <vector>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Block;
using jit::Node;
using jit::Value;
namespace prim = jit::prim;

// The elements of a tuple at the end of a block.
std::vector<Value*> elementsOf(Value* tuple, Block* block) {
  Node* n = tuple->node();
  if (n->kind() == prim::TupleConstruct) return n->inputs().vec();
  auto& graph = *block->owningGraph();
  jit::WithInsertPoint here(block->return_node());
  std::vector<Value*> out;
  if (n->kind() == prim::Uninitialized) {
    for (auto& type : tuple->type()->expectRef<c10::TupleType>().elements())
      out.push_back(graph.insertNode(graph.createUninitialized(type))->output());
  } else {
    out = graph.insertNode(graph.createTupleUnpack(tuple))->outputs().vec();
  }
  return out;
}

void takeApart(Node* branch, std::size_t index) {
  auto tuple = branch->output(index)->type()->cast<c10::TupleType>();
  std::vector<Value*> results;
  for (auto& type : tuple->elements()) results.push_back(branch->addOutput()->setType(type));
  for (Block* block : branch->blocks())
    for (Value* element : elementsOf(block->outputs()[index], block)) block->registerOutput(element);
  auto& graph = *branch->owningGraph();
  jit::WithInsertPoint behind(branch->next());
  Node* made = graph.insertNode(graph.createTuple(results, tuple->schema() ? tuple : nullptr));
  made->copyMetadata(branch);
  branch->output(index)->replaceAllUsesWith(made->output());
  for (Block* block : branch->blocks()) block->eraseOutput(index);
  branch->eraseOutput(index);
}

}  // namespace

void takeBranchTuplesApart(jit::Graph& graph) {
  std::vector<Node*> branches;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->kind() == prim::If) branches.push_back(n);
  });
  for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch)  // inner ones first
    for (std::size_t i = (*branch)->outputs().size(); i-- > 0;)
      if ((*branch)->output(i)->type()->kind() == c10::TypeKind::TupleType) takeApart(*branch, i);
}

}  // namespace kadvise::graph
