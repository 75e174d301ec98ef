#include "analyzer/graph/landmarks.h"

#include <algorithm>

#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Block;
using jit::Node;

// What an operator computes of tensors; questions about sizes and parameters are answered, and gone, in a
// reading.
bool isLandmark(const Node* n) {
  auto made = n->outputs();
  return !n->kind().is_prim() &&
         std::any_of(made.begin(), made.end(), [](auto* v) { return holdsTensors(v->type()); });
}

// What runs whatever the answers are; a block that raises is no reading.
std::vector<c10::Symbol> alwaysIn(const Block* b) {
  std::vector<c10::Symbol> out;
  for (const Node* n : b->nodes()) {
    if (isLandmark(n)) out.push_back(n->kind());
    if (n->kind() != jit::prim::If) continue;
    const Block *yes = n->blocks()[0], *no = n->blocks()[1];
    auto both = alwaysIn(raises(yes) ? no : yes);
    if (!raises(yes) && !raises(no)) {
      const auto other = alwaysIn(no);
      std::erase_if(both,
                    [&](auto kind) { return std::find(other.begin(), other.end(), kind) == other.end(); });
    }
    out.insert(out.end(), both.begin(), both.end());
  }
  return out;
}

}  // namespace

Operators operatorsOf(jit::Graph& graph) {
  Operators out;
  forEachNode(graph.block(), [&](Node* n) { out.insert(n->kind()); });
  return out;
}

std::vector<c10::Symbol> landmarksOf(const jit::Graph& text) { return alwaysIn(text.block()); }

std::optional<c10::Symbol> landmarkLacking(const jit::Graph& text, const Operators& present) {
  for (auto kind : landmarksOf(text))
    if (present.count(kind) == 0) return kind;
  return std::nullopt;
}

}  // namespace kadvise::graph
