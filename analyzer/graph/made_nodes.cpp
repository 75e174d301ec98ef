#include "analyzer/graph/made_nodes.h"

#include <unordered_map>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;

constexpr const char* kCopyOf = "copy of ";

// What a conversion of images consists of, by ATen or by a generated kernel.
constexpr std::string_view kConverts[] = {"aten::contiguous", "aten::transpose", "aten::permute",
                                          "kadvise::contiguous"};

// A node and what stands in its blocks; constants have no ids.
void forEachNamed(Node* n, const std::function<void(Node*)>& visit) {
  for (jit::Block* inner : n->blocks())
    forEachNode(inner, [&](Node* m) {
      if (m->kind() != jit::prim::Constant) visit(m);
    });
  if (n->kind() != jit::prim::Constant) visit(n);
}

}  // namespace

int MadeNodes::idFor(const Key& owner, std::size_t place, const Node* n, const NodeInfo& like,
                     const std::string& maker) {
  auto [entry, fresh] = ids_.emplace(std::pair(owner, place), static_cast<int>(nodes_.size()));
  if (fresh) {
    NodeInfo info = like;
    info.id = entry->second;
    info.op = n->kind().toQualString();
    nodes_.push_back(std::move(info));
    makers_.push_back(maker);
  }
  return entry->second;
}

void MadeNodes::name(const std::vector<Node*>& inserted, const std::string& candidate, std::size_t site,
                     const Location& where) {
  std::size_t place = 0;
  NodeInfo like;
  like.where = where;
  for (Node* top : inserted)
    forEachNamed(top, [&](Node* n) { setMadeId(n, idFor({candidate, site}, place++, n, like, candidate)); });
}

void MadeNodes::nameConversions(jit::Graph& graph, const std::string& candidate, const Location& where) {
  NodeInfo like;
  like.where = where;
  forEachNode(graph.block(), [&](Node* n) {
    if (nodeId(n) >= 0 || !isOneOf(kConverts, n)) return;
    const jit::Value* read = n->input(0);
    int maker = nodeId(read->node());
    std::string name = maker < 0 ? read->debugName() : std::to_string(maker);
    std::string owner = candidate + " " + n->kind().toQualString() + " of " + name;
    setMadeId(n, idFor({owner, read->offset()}, 0, n, like, candidate));
  });
}

void MadeNodes::nameCopies(jit::Graph& graph) {
  std::unordered_map<int, std::size_t> seen;
  forEachNode(graph.block(), [&](Node* n) {
    int id = n->kind() == jit::prim::Constant ? -1 : nodeId(n);
    if (id < 0) return;
    std::size_t copies = seen[id]++;
    if (copies == 0 || static_cast<std::size_t>(id) >= nodes_.size()) return;
    NodeInfo like = nodes_[static_cast<std::size_t>(id)];
    int own = idFor({kCopyOf + std::to_string(id), 0}, copies, n, like, makerOf(n));
    isMade(n) ? setMadeId(n, own) : setNodeId(n, own);  // the copy of a user's node is the user's
  });
}

std::string MadeNodes::makerOf(const Node* n) const {
  auto id = static_cast<std::size_t>(std::max(nodeId(n), 0));
  return id < users_ || id - users_ >= makers_.size() ? "" : makers_[id - users_];
}

void forgetMadeIds(jit::Graph& graph) {
  forEachNode(graph.block(), [](Node* n) {
    if (isMade(n)) n->setSourceRange(jit::SourceRange());
  });
}

}  // namespace kadvise::graph
