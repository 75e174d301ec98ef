#include "analyzer/graph/normal_form.h"

#include <unordered_set>

#include "analyzer/graph/branch_tuples.h"
#include "analyzer/graph/carried_none.h"
#include "analyzer/graph/dictionaries.h"
#include "analyzer/graph/filled_lists.h"
#include "analyzer/graph/fold_constants.h"
#include "analyzer/graph/grown_lists.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/joined_branches.h"
#include "analyzer/graph/large_cats.h"
#include "analyzer/graph/layers_apart.h"
#include "analyzer/graph/local_forms.h"
#include "analyzer/graph/local_objects.h"
#include "analyzer/graph/parts_written.h"
#include "analyzer/graph/peephole.h"
#include "analyzer/graph/pieces_apart.h"
#include "analyzer/graph/self_copies.h"
#include "analyzer/graph/size_arithmetic.h"
#include "analyzer/graph/unsafe_pieces.h"
#include "analyzer/graph/writes_away.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace prim = jit::prim;

// One node for each distinct constant that is not a tensor, at the top of the graph in the order of first
// use: patterns and models then share constants in the same way, and nodes can move past them.
void poolConstants(Graph& graph) {
  std::unordered_set<Node*, jit::HashNode, jit::EqualNode> pooled;
  std::vector<Node*> inOrder;
  auto pool = [&](Node* user, std::size_t input) {
    Node* n = user->input(input)->node();
    if (n->kind() != prim::Constant || isTensor(n->output())) return;
    auto [at, fresh] = pooled.insert(n);
    if (fresh) inOrder.push_back(n);
    else if (*at != n) user->replaceInput(input, (*at)->output());
  };
  forEachNode(graph.block(), [&](Node* n) {
    for (std::size_t i = 0; i < n->inputs().size(); ++i) pool(n, i);
    for (jit::Block* b : n->blocks())
      for (std::size_t i = 0; i < b->outputs().size(); ++i) pool(b->return_node(), i);
  });
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) pool(graph.return_node(), i);
  for (auto n = inOrder.rbegin(); n != inOrder.rend(); ++n)
    if (*n != *graph.nodes().begin()) (*n)->moveBefore(*graph.nodes().begin());
}

}  // namespace

// Of LibTorch's own passes only those that put nothing new at another place: FuseLinear and
// replaceConvolutionWithAtenConv move work across writes in place.
void normalise(std::shared_ptr<Graph>& g) {
  jit::Inline(*g);
  piecesAsViews(*g);
  jit::removeDropout(g);
  foldConstants(g);
  takeLayersApart(*g);
  takeBranchTuplesApart(*g);
  jit::LowerSimpleTuples(g);
  foldConstants(g);  // the keys of dictionaries
  if (settleCarriedNone(*g)) foldConstants(g);
  lowerDictionaries(*g);
  lowerLocalObjects(*g);
  jit::RemoveListMutation(g);
  settleGrownLists(*g);
  dropSelfCopies(*g);
  removeWrites(g);
  if (tellPiecesApart(*g)) {
    removeWrites(g);
    joinPieces(*g);
  }
  partsAsNewTensors(*g);
  jit::InplaceToFunctionalActivation(g);
  jit::NormalizeOps(g);
  jit::CanonicalizeOps(g);  // numbers of the file's own constants, as the executor makes them
  sizesAsNumbers(*g);
  foldConstants(g);
  peephole(g, PeepholeShapes::Use);
  normaliseAgain(g);
  if (joinBranches(*g)) normaliseAgain(g);
}

void normaliseAgain(std::shared_ptr<Graph>& g) {
  rewriteLocally(*g);
  foldConstants(g);
  makeFilledListsAtOnce(*g);
  keepLargeCatsApart(*g);
  jit::EliminateDeadCode(g);
  poolConstants(*g);
  mergeEqual(g);
  jit::EliminateDeadCode(g);
  g->lint();
}

}  // namespace kadvise::graph
