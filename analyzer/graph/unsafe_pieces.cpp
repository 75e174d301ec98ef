#include "analyzer/graph/unsafe_pieces.h"

#include <algorithm>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Pair {
  const char *unsafe, *view;
};
constexpr Pair kPairs[] = {
    {"aten::unsafe_chunk", "aten::chunk"},
    {"aten::unsafe_split", "aten::split"},
    {"aten::unsafe_split_with_sizes", "aten::split_with_sizes"},
};

const Pair* pairOf(const Node* n, const char* Pair::* side) {
  std::string_view name = n->kind().toQualString();
  auto found = std::find_if(std::begin(kPairs), std::end(kPairs), [&](auto& p) { return name == p.*side; });
  return found == std::end(kPairs) ? nullptr : found;
}

void rename(Node* n, const char* to) {
  n->replaceWithNewSymbol(c10::Symbol::fromQualString(to));
  n->destroy();
}

bool isWritten(const Node* pieces, const Aliases& aliases) {
  auto& uses = pieces->output()->uses();
  return std::any_of(uses.begin(), uses.end(), [&](const jit::Use& use) {
    return std::any_of(use.user->outputs().begin(), use.user->outputs().end(),
                       [&](Value* piece) { return isTensor(piece) && aliases.hasWriters(piece); });
  });
}

}  // namespace

void piecesAsViews(jit::Graph& graph) {
  forEachNode(graph.block(), [](Node* n) {
    if (auto* pair = pairOf(n, &Pair::unsafe)) rename(n, pair->view);
  });
}

std::vector<jit::SourceRange> placesOfUnsafePieces(jit::Graph& graph) {
  std::vector<jit::SourceRange> out;
  forEachNode(graph.block(), [&](Node* n) {
    if (pairOf(n, &Pair::unsafe)) out.push_back(n->sourceRange());
  });
  return out;
}

void writtenPiecesAsLoaded(jit::Graph& graph, const std::vector<jit::SourceRange>& places,
                           const std::vector<NodeInfo>& nodes) {
  if (places.empty()) return;
  auto placeOf = [&](const Node* n) {
    int id = nodeId(n);
    bool isKnown = id >= 0 && id < static_cast<int>(nodes.size());
    return isKnown ? nodes[static_cast<std::size_t>(id)].range : n->sourceRange();
  };
  auto aliases = aliasesOf(graph.shared_from_this());
  std::vector<Node*> written;
  forEachNode(graph.block(), [&](Node* n) {
    bool was = pairOf(n, &Pair::view) && std::find(places.begin(), places.end(), placeOf(n)) != places.end();
    if (was && isWritten(n, *aliases)) written.push_back(n);
  });
  for (Node* n : written) rename(n, pairOf(n, &Pair::view)->unsafe);
}

}  // namespace kadvise::graph
