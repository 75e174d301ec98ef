#include "analyzer/graph/writes_away.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/same_dtype.h"
#include "analyzer/graph/step.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;

// Out of place, their result has the dtype of the first operand, whatever the others have.
constexpr std::string_view kKeepsFirst[] = {"aten::copy_",           "aten::fill_",      "aten::masked_fill_",
                                            "aten::masked_scatter_", "aten::index_put_", "aten::index_copy_",
                                            "aten::index_fill_",     "aten::index_add_", "aten::scatter_",
                                            "aten::scatter_add_"};

// Out of place, they make a bool or an int64.
constexpr std::string_view kOwnDtype[] = {"aten::eq_",          "aten::ne_",         "aten::lt_",
                                          "aten::le_",          "aten::gt_",         "aten::ge_",
                                          "aten::logical_and_", "aten::logical_or_", "aten::logical_xor_",
                                          "aten::logical_not_", "aten::cumsum_",     "aten::cumprod_"};

c10::Symbol inPlaceMark() { return c10::Symbol::attr("in_place"); }

bool addsTensorInPlace(const Node* n) { return n->kind() == jit::aten::add_ && isTensor(n->inputs()[1]); }

// A number of a higher category than the tensor's is an error in place.
bool mayPromote(Node* n, const SameDtype& dtypes) {
  if (n->inputs().empty() || isOneOf(kKeepsFirst, n)) return false;
  if (isOneOf(kOwnDtype, n)) return true;
  return std::any_of(n->inputs().begin() + 1, n->inputs().end(),
                     [&](Value* in) { return isTensor(in) && !dtypes.isKnown(in, n->input(0)); });
}

void castTo(Value* destination, Node* n) {
  Graph& graph = *n->owningGraph();
  jit::WithInsertPoint behind(n->next());
  Node* dtype = graph.insertNode(graph.create(jit::prim::dtype, {destination}));
  dtype->output()->setType(c10::IntType::get());
  Value *no = graph.insertConstant(false), *none = graph.insertConstant(c10::IValue());
  Node* cast = graph.insertNode(graph.create(jit::aten::to, {n->output(), dtype->output(), no, no, none}));
  for (Node* made = n->next(); made != cast->next(); made = made->next()) made->copyMetadata(n);
  n->output()->replaceAllUsesAfterNodeWith(cast, cast->output());
}

// What `to` makes of a tensor that nobody else has is nobody else's, whether it copies or not: of zeros that
// were moved, say. Not of a loop's, which would meet the last turn's writes.
bool isMovedAlone(Node* n) {
  if (n->kind() != jit::aten::to || n->inputs().empty() || n->outputs().size() != 1) return false;
  const Value* made = n->input(0);
  if (!isFresh(made) || made->uses().size() != 1 || made->node()->owningBlock() != n->owningBlock())
    return false;
  auto& uses = n->output()->uses();
  return std::any_of(uses.begin(), uses.end(), [&](auto& use) { return writtenBy(use.user) == n->output(); });
}

// Made by an operator of the block for this reader alone, perhaps by one in place of what was.
bool isMadeFor(const Node* reader, const Value* v) {
  if (v->uses().size() != 1 || v->node()->owningBlock() != reader->owningBlock()) return false;
  if (isFresh(v)) return true;
  const Value* written = writtenBy(v->node());
  return written && viewedBySchema(v) == written && isMadeFor(v->node(), written);
}

// It writes to what nobody else has, so that its result is that of the operator out of place, whatever
// becomes of it: pieces in a list, say, which LibTorch's pass follows no further.
bool writesWhatIsItsOwn(Node* n) {
  const Value* written = n->outputs().size() == 1 && isTensor(n->output()) ? writtenBy(n) : nullptr;
  return written && isTensor(written) && viewedBySchema(n->output()) == written && isMadeFor(n, written);
}

// LibTorch's pass takes them for views of others unless a copy stands behind them.
std::vector<Node*> copyBehindOwn(Graph& graph) {
  std::vector<Node*> copies;
  forEachNode(graph.block(), [&](Node* n) {
    if (!isMovedAlone(n) && !writesWhatIsItsOwn(n)) return;
    jit::WithInsertPoint behind(n->next());
    Value* none = graph.insertConstant(c10::IValue());
    Node* copy = graph.insertNode(graph.create(jit::aten::clone, {n->output(), none}));
    n->output()->replaceAllUsesAfterNodeWith(copy, copy->output());
    copies.push_back(copy);
  });
  return copies;
}

void takeAway(const std::vector<Node*>& copies) {
  for (Node* copy : copies) {
    copy->output()->replaceAllUsesWith(copy->input(0));
    copy->destroy();
  }
}

}  // namespace

void removeWrites(const std::shared_ptr<Graph>& graph) {
  SameDtype dtypes(*graph);
  // What comes in a node's place has its source range, and nothing else of it.
  auto mark = std::make_shared<jit::Source>(std::string());
  struct Marked {
    jit::SourceRange range;
    bool promotes, adds;
  };
  std::vector<Marked> marked;
  forEachNode(graph->block(), [&](Node* n) {
    auto* schema = n->maybeSchema();
    if (!schema || !schema->is_mutable() || n->outputs().size() != 1 || !isTensor(n->output())) return;
    bool promotes = mayPromote(n, dtypes), adds = addsTensorInPlace(n);
    if (!promotes && !adds) return;
    marked.push_back({n->sourceRange(), promotes, adds});
    n->setSourceRange(jit::SourceRange(mark, marked.size() - 1, marked.size()));
  });
  auto copies = copyBehindOwn(*graph);
  // Out of place, resize_ loses what the memory holds.
  jit::RemoveTensorMutation(graph, [](Node* n) { return !reshapesInPlace(n); });
  takeAway(copies);
  forEachNode(graph->block(), [&](Node* n) {
    if (n->sourceRange().source() != mark) return;
    auto& was = marked[n->sourceRange().start()];
    n->setSourceRange(was.range);
    auto* schema = n->maybeSchema();
    if (!schema || schema->is_mutable() || n->outputs().size() != 1) return;
    if (was.adds && n->kind() == jit::aten::add) n->i_(inPlaceMark(), 1);
    if (was.promotes) castTo(n->input(0), n);
  });
}

const Value* writtenToOf(const Node* sum) {
  return sum->hasAttribute(inPlaceMark()) ? sum->inputs()[0] : nullptr;
}

void forgetWrites(Graph& graph) {
  forEachNode(graph.block(), [](Node* n) {
    if (n->hasAttribute(inPlaceMark())) n->removeAttribute(inPlaceMark());
  });
}

}  // namespace kadvise::graph
