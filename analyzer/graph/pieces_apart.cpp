#include "analyzer/graph/pieces_apart.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/step.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

c10::Symbol apartMark() { return c10::Symbol::attr("apart"); }

bool isWrittenDirectly(const Value* v) {
  return std::any_of(v->uses().begin(), v->uses().end(), [](const jit::Use& use) {
    auto* schema = use.user->maybeSchema();
    if (!schema || use.offset >= schema->arguments().size()) return false;
    auto* alias = schema->arguments()[use.offset].alias_info();
    return alias && alias->isWrite();
  });
}

// Used once, and so is what it was made of by writing to it: nobody else knows the memory. Elements of a
// tensor whose strides were asked for may share theirs.
bool isOnlyHere(const Value* v) {
  for (; v->uses().size() == 1; v = v->node()->inputs()[0]) {
    std::string_view kind = v->node()->kind().toQualString();
    if (isFresh(v)) return kind.find("strided") == std::string_view::npos;
    bool written =
        v->node()->kind().is_aten() && kind.ends_with("_") && writtenBy(v->node()) == v->node()->inputs()[0];
    if (!written || reshapesInPlace(v->node())) return false;
  }
  return false;
}

// The values that the list of pieces is read as; none where two of them may be one piece.
std::vector<Value*> piecesOf(Node* list) {
  std::vector<Value*> out;
  std::set<std::int64_t> read;
  for (auto& use : list->output()->uses()) {
    if (use.user->kind() == jit::prim::ListUnpack && list->output()->uses().size() == 1)
      return {use.user->outputs().begin(), use.user->outputs().end()};
    auto index = use.user->kind() == jit::aten::__getitem__ ? constantInt(use.user->input(1)) : std::nullopt;
    if (!index || *index < 0 || !read.insert(*index).second) return {};
    out.push_back(use.user->output());
  }
  return out;
}

Value* copyOf(Value* v, Node* before) {
  jit::Graph& graph = *v->owningGraph();
  jit::WithInsertPoint here(before);
  Value* none = graph.insertConstant(c10::IValue());
  Node* copy = graph.insertNode(graph.create(jit::aten::clone, {v, none}));
  copy->i_(apartMark(), 1);
  copy->copyMetadata(v->node());
  return copy->output()->setType(v->type());
}

}  // namespace

bool tellPiecesApart(jit::Graph& graph) {
  std::vector<Node*> lists;
  forEachNode(graph.block(), [&](Node* n) {
    if (!has(n, OperatorTrait::Pieces) || !isOnlyHere(n->input(0))) return;
    auto pieces = piecesOf(n);
    if (std::any_of(pieces.begin(), pieces.end(), isWrittenDirectly)) lists.push_back(n);
  });
  for (Node* list : lists) {
    for (Value* piece : piecesOf(list)) {
      Value* copy = copyOf(piece, piece->node()->next());
      piece->replaceAllUsesAfterNodeWith(copy->node(), copy);
    }
    list->replaceInput(0, copyOf(list->input(0), list));
  }
  return !lists.empty();
}

void joinPieces(jit::Graph& graph) {
  forEachNode(graph.block(), [](Node* n) {
    if (!n->hasAttribute(apartMark())) return;
    n->output()->replaceAllUsesWith(n->input(0));
    n->destroy();
  });
}

}  // namespace kadvise::graph
