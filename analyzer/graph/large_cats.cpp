#include "analyzer/graph/large_cats.h"

#include "analyzer/core/most_fused_tensors.h"
#include "analyzer/graph/channels_last_operators.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"

namespace kadvise::graph {
namespace {

using jit::Node;

const c10::Symbol kHstack = c10::Symbol::aten("hstack");

// Its result has channels whatever it is given: hstack puts tensors of one dimension together along that.
bool makesImages(const Node* n) {
  auto* op = imageOperator(n);
  bool isOfAnyRank = op && (op->operands == ImageOperands::List || op->operands == ImageOperands::Pieces);
  return op && !isOfAnyRank && !isPointwise(n) && n->kind() != jit::aten::constant_pad_nd;
}

bool isLarge(Node* n) {
  if (n->kind() != jit::aten::cat || constantInt(n->input(1)) != 1) return false;
  Node* list = n->input(0)->node();
  return list->kind() == jit::prim::ListConstruct && list->inputs().size() > kMostFusedTensors &&
         makesImages(list->input(0)->node());
}

}  // namespace

void keepLargeCatsApart(jit::Graph& graph) {
  for (Node* n : nodesWhere(graph.block(), isLarge)) replaceBy(n, kHstack, {n->input(0)});
}

}  // namespace kadvise::graph
