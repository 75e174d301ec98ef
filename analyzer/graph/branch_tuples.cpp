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

bool mayBeNone(const c10::TypePtr& type) {
  return type->kind() == c10::TypeKind::NoneType || type->kind() == c10::TypeKind::OptionalType;
}

void takeApart(Node* branch, std::size_t index) {
  auto tuple = branch->output(index)->type()->cast<c10::TupleType>();
  std::vector<Value*> results;
  auto types = tuple->elements().vec();
  for (Block* block : branch->blocks()) {
    auto elements = elementsOf(block->outputs()[index], block);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      block->registerOutput(elements[i]);
      if (mayBeNone(elements[i]->type()) && !mayBeNone(types[i]))
        types[i] = c10::OptionalType::create(types[i]);
    }
  }
  for (auto& type : types) results.push_back(branch->addOutput()->setType(type));
  auto& graph = *branch->owningGraph();
  jit::WithInsertPoint behind(branch->next());
  Node* made = graph.insertNode(graph.createTuple(results, tuple->schema() ? tuple : nullptr));
  made->copyMetadata(branch);
  branch->output(index)->replaceAllUsesWith(made->output());
  for (Block* block : branch->blocks()) block->eraseOutput(index);
  branch->eraseOutput(index);
}

bool isTuple(const Value* v) { return v->type()->kind() == c10::TypeKind::TupleType; }

// In the order of execution, since one branch may hand on another one's tuple.
void visit(Block* block) {
  std::vector<Node*> branches;
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) visit(inner);
    if (n->kind() == prim::If) branches.push_back(n);
  }
  for (Node* branch : branches)
    for (std::size_t i = 0; i < branch->outputs().size();) {
      if (isTuple(branch->output(i))) takeApart(branch, i);  // elements come last, and may be tuples
      else ++i;
    }
}

}  // namespace

void takeBranchTuplesApart(jit::Graph& graph) { visit(graph.block()); }

}  // namespace kadvise::graph
