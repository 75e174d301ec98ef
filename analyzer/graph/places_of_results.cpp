#include "analyzer/graph/places_of_results.h"

#include <algorithm>
#include <unordered_set>

#include "analyzer/core/result_names.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// Of one result nothing is behind it.
bool mayLoseResults(const Node* n) { return !n->blocks().empty() && n->outputs().size() > 1; }

bool isReadByOthers(const Node* n, const Node* reader) {
  return std::any_of(n->outputs().begin(), n->outputs().end(), [&](const Value* v) {
    return std::any_of(v->uses().begin(), v->uses().end(), [&](auto& use) { return use.user != reader; });
  });
}

bool standsIn(const std::unordered_set<const Node*>& nodes, Node* n) {
  for (Node* owner = n->owningBlock()->owningNode(); owner; owner = owner->owningBlock()->owningNode())
    if (nodes.count(owner)) return true;
  return false;
}

}  // namespace

PlacesOfResults::PlacesOfResults(const std::shared_ptr<jit::Graph>& graph)
    : graph_(graph), mark_(std::make_shared<jit::Source>(std::string())) {
  std::vector<Node*> found;
  forEachNode(graph->block(), [&](Node* n) {
    if (mayLoseResults(n)) found.push_back(n);
  });
  for (Node* n : found) {
    // An effect that takes anything, and writes to nothing.
    Node* reader = graph->create(jit::prim::Print, n->outputs(), 0)->insertAfter(n);
    reader->setSourceRange(jit::SourceRange(mark_, 0, 0));
  }
}

std::vector<Node*> PlacesOfResults::readers() const {
  std::vector<Node*> out;
  forEachNode(graph_->block(), [&](Node* n) {
    if (n->sourceRange().source() == mark_) out.push_back(n);
  });
  return out;
}

PlacesOfResults::~PlacesOfResults() {
  // A branch that was settled meanwhile has left its values here, and nobody may read the node any more.
  std::unordered_set<const Node*> unread;
  for (Node* reader : readers())
    for (std::size_t i = reader->inputs().size(); i-- > 0;) {
      Node* maker = reader->input(i)->node();
      bool isUnread = mayLoseResults(maker) && !isReadByOthers(maker, reader);
      if (isUnread) unread.insert(maker);
      if (isUnread || !mayLoseResults(maker)) reader->removeInput(i);
    }
  for (Node* reader : readers())
    if (reader->inputs().empty() || standsIn(unread, reader)) reader->destroy();
  auto graph = graph_;
  jit::EliminateDeadCode(graph);
  for (Node* reader : readers()) reader->destroy();
}

void nameResults(jit::Graph& graph) {
  forEachNode(graph.block(), [](Node* n) {
    if (!mayLoseResults(n) || nodeId(n) < 0) return;
    for (std::size_t i = 0; i < n->outputs().size(); ++i)
      n->output(i)->setDebugName(nameOfResult(i, nodeId(n)));
  });
}

}  // namespace kadvise::graph
