#include "analyzer/graph/normal_form.h"

#include <limits>
#include <unordered_set>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// One step looks at one node and may put something in its place; destroyed nodes are collected by the caller, since
// an insert point may still refer to them.
struct Step {
  Graph& graph;
  std::vector<Node*>& dead;
  const jit::AliasDb& aliases;

  Node* insert(Node* at, c10::Symbol kind, at::ArrayRef<Value*> inputs, std::size_t outputs = 1) const {
    jit::WithInsertPoint here(at);
    Node* n = graph.insertNode(graph.create(kind, inputs, outputs));
    n->copyMetadata(at);
    return n;
  }
  Value* constant(Node* at, const c10::IValue& v) const {
    jit::WithInsertPoint here(at);
    Value* out = graph.insertConstant(v);
    out->node()->copyMetadata(at);
    return out;
  }
  void replace(Node* old, Value* by) const {
    by->setType(old->output()->type());
    old->output()->replaceAllUsesWith(by);
    dead.push_back(old);
  }
};

bool isListOfSizes(Value* v) { return v->node()->kind() == aten::size && v->node()->inputs().size() == 1; }

bool isListOfPieces(Value* v) {
  auto k = v->node()->kind();
  return k == aten::split || k == aten::chunk || k == aten::unbind || k == aten::split_with_sizes;
}

// The size of one dimension, taken where the list of sizes was taken: x may change its shape in place afterwards.
Node* sizeAt(const Step& s, Value* sizes, Value* index) {
  Node* list = sizes->node();
  if (auto constant = constantInt(index)) index = s.constant(list, *constant);
  return s.insert(list, aten::size, {list->input(), index});
}

// a, b, c = x.shape  ->  size(x, 0), size(x, 1), size(x, 2);   a, b = chunk(x, 2)  ->  chunk(x, 2)[0], chunk(x, 2)[1]
void unpackByIndex(const Step& s, Node* n) {
  bool sizes = isListOfSizes(n->input()) && !s.aliases.hasWriters(n->input());
  if (!sizes && !isListOfPieces(n->input())) return;
  for (std::size_t i = 0; i < n->outputs().size(); ++i) {
    Value* index = s.constant(n, static_cast<std::int64_t>(i));
    Node* item = sizes ? sizeAt(s, n->input(), index)
                       : s.insert(n, aten::__getitem__, {n->input(), index});
    item->output()->setType(n->output(i)->type());
    n->output(i)->replaceAllUsesWith(item->output());
  }
  s.dead.push_back(n);
}

// x.shape[1]  ->  size(x, 1)
void indexOfSizes(const Step& s, Node* n) {
  if (!isListOfSizes(n->input(0)) || !constantInt(n->input(1)) || s.aliases.hasWriters(n->input(0))) return;
  s.replace(n, sizeAt(s, n->input(0), n->input(1))->output());
}

// Traces write the bounds of a whole slice as 0 and the largest integer, scripts as None.
void sliceBounds(const Step& s, Node* n) {
  if (n->inputs().size() != 5) return;
  if (constantInt(n->input(2)) == 0) n->replaceInput(2, s.constant(n, c10::IValue()));
  if (constantInt(n->input(3)) == std::numeric_limits<std::int64_t>::max()) n->replaceInput(3, s.constant(n, c10::IValue()));
  // x[:] aliases x. Handing on x itself is the same for everyone who only reads; writes were looked at before.
  if (isNone(n->input(2)) && isNone(n->input(3)) && constantInt(n->input(4)) == 1) s.replace(n, n->input(0));
}

void constantChunk(const Step& s, Node* n) {
  Value* count = s.constant(n, n->i(jit::attr::chunks));
  Value* dim = s.constant(n, n->i(jit::attr::dim));
  Node* chunk = s.insert(n, aten::chunk, {n->input(), count, dim});
  chunk->output()->setType(c10::ListType::ofTensors());
  for (std::size_t i = 0; i < n->outputs().size(); ++i) {
    Node* item = s.insert(n, aten::__getitem__, {chunk->output(), s.constant(n, static_cast<std::int64_t>(i))});
    item->output()->setType(n->output(i)->type());
    n->output(i)->replaceAllUsesWith(item->output());
  }
  s.dead.push_back(n);
}

// permute that only swaps two dimensions is a transpose.
void permuteOfTwo(const Step& s, Node* n) {
  auto dims = jit::toIValue(n->input(1));
  if (!dims || !dims->isIntList()) return;
  auto order = dims->toIntVector();
  std::vector<std::int64_t> moved;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<std::int64_t>(i)) moved.push_back(static_cast<std::int64_t>(i));
  if (moved.size() != 2 || order[moved[0]] != moved[1]) return;
  s.replace(n, s.insert(n, aten::transpose, {n->input(0), s.constant(n, moved[0]), s.constant(n, moved[1])})->output());
}

// matmul(x, w.t()) and addmm(b, x, w.t()) are what a trace makes of a linear layer. t() takes no more than two
// dimensions, so w is a matrix (or a vector, which t() leaves alone and linear takes as well).
void linearLayer(const Step& s, Node* n) {
  bool withBias = n->kind() == aten::addmm;
  Node* t = n->input(withBias ? 2 : 1)->node();
  if (t->kind() != aten::t) return;
  if (withBias && (constantInt(n->input(3)) != 1 || constantInt(n->input(4)) != 1)) return;
  Value* bias = withBias ? n->input(0) : s.constant(n, c10::IValue());
  s.replace(n, s.insert(n, aten::linear, {n->input(withBias ? 1 : 0), t->input(), bias})->output());
}

// Traces write every convolution as _convolution; the number of strides says its rank.
void convolution(const Step& s, Node* n) {
  constexpr const char* kPlain[] = {"conv1d", "conv2d", "conv3d"};
  constexpr const char* kTransposed[] = {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
  auto stride = jit::toIValue(n->input(3)), transposed = jit::toIValue(n->input(6));
  if (!stride || !stride->isIntList() || !transposed || !transposed->isBool()) return;
  auto rank = stride->toIntVector().size();
  if (rank < 1 || rank > 3) return;
  auto in = [&](std::size_t i) { return n->input(i); };
  Node* out = transposed->toBool() ? s.insert(n, c10::Symbol::aten(kTransposed[rank - 1]), {in(0), in(1), in(2), in(3), in(4), in(7), in(8), in(5)})
                                   : s.insert(n, c10::Symbol::aten(kPlain[rank - 1]), {in(0), in(1), in(2), in(3), in(4), in(5), in(8)});
  s.replace(n, out->output());
}

void step(const Step& s, Node* n) {
  auto k = n->kind();
  if (k == aten::matmul || k == aten::addmm) return linearLayer(s, n);
  if (k == c10::Symbol::aten("_convolution")) return convolution(s, n);
  if (k == prim::ListUnpack) return unpackByIndex(s, n);
  if (k == aten::__getitem__) return indexOfSizes(s, n);
  if (k == aten::slice) return sliceBounds(s, n);
  if (k == prim::ConstantChunk) return constantChunk(s, n);
  if (k == aten::permute) return permuteOfTwo(s, n);
  if (k == aten::relu6) {
    s.replace(n, s.insert(n, aten::hardtanh, {n->input(0), s.constant(n, 0.0), s.constant(n, 6.0)})->output());
    return;
  }
  if (k == c10::Symbol::aten("mT"))
    s.replace(n, s.insert(n, aten::transpose, {n->input(0), s.constant(n, std::int64_t{-2}), s.constant(n, std::int64_t{-1})})->output());
}

void rewriteLocally(Graph& graph) {
  std::vector<Node*> dead;
  auto aliases = aliasesOf(graph.shared_from_this());
  Step s{graph, dead, *aliases};
  forEachNode(graph.block(), [&](Node* n) { step(s, n); });
  for (Node* n : dead) n->destroy();
}

// One node for each distinct constant that is not a tensor, at the top of the graph in the order of first use: patterns
// and models then share constants in the same way, and nodes can move past them.
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
  jit::removeDropout(g);
  jit::LowerSimpleTuples(g);
  jit::RemoveListMutation(g);
  jit::RemoveTensorMutation(g);
  jit::InplaceToFunctionalActivation(g);
  jit::NormalizeOps(g);
  jit::CanonicalizeOps(g);
  jit::ConstantPropagation(g);
  jit::PeepholeOptimize(g);
  rewriteLocally(*g);
  jit::ConstantPropagation(g);
  jit::EliminateDeadCode(g);
  poolConstants(*g);
  jit::EliminateCommonSubexpression(g);
  jit::EliminateDeadCode(g);
  g->lint();
}

}  // namespace kadvise::graph
