#include "analyzer/graph/unpacked_pieces.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/same_sizes.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

struct Unpacked {
  jit::SourceRange range;
  bool ofUnbind;
  std::int64_t count;
};

std::vector<Unpacked> unpackedIn(jit::Graph& graph) {
  std::vector<Unpacked> out;
  forEachNode(graph.block(), [&](Node* n) {
    bool unpacks = n->kind() == jit::prim::ListUnpack && has(n->input()->node(), OperatorTrait::Pieces);
    if (unpacks)
      out.push_back({n->sourceRange(), n->input()->node()->kind() == aten::unbind,
                     static_cast<std::int64_t>(n->outputs().size())});
  });
  return out;
}

// How a number of pieces follows from the size of one dimension: ceil(size / pieceSize).
struct Cut {
  Value* whole;
  Value* dim;
  std::int64_t pieceSize, count;
};

std::optional<std::size_t> lengthOf(Value* list) {
  if (list->node()->kind() == jit::prim::ListConstruct) return list->node()->inputs().size();
  auto constant = jit::toIValue(list);
  return constant && constant->isIntList() ? std::optional(constant->toIntVector().size()) : std::nullopt;
}

// nullopt where another number of pieces is an error anyway, or no one size says it.
std::optional<Cut> cutOf(Node* pieces, std::int64_t count) {
  if (pieces->kind() == aten::unbind) return Cut{pieces->input(0), pieces->input(1), 1, count};
  if (pieces->kind() != aten::split || lengthOf(pieces->input(1))) return std::nullopt;
  auto size = constantInt(pieces->input(1));
  return size && *size > 0 ? std::optional(Cut{pieces->input(0), pieces->input(2), *size, count})
                           : std::nullopt;
}

std::optional<std::size_t> dimensionOf(const Cut& cut, const TracedValues& traced) {
  auto rank = traced.rank(cut.whole);
  return rank ? dimensionAt(cut.dim, static_cast<std::size_t>(*rank)) : std::nullopt;
}

// Whether the trace has so many pieces. Several lists of one line stand at one range, and only that tells
// them apart.
bool isTraced(const Cut& cut, const TracedValues& traced) {
  auto* of = traced.find(cut.whole);
  auto dim = dimensionOf(cut, traced);
  if (!of || of->varies || !dim || *dim >= of->shape.size()) return true;  // not known
  return (std::max<std::int64_t>(of->shape[*dim], 1) + cut.pieceSize - 1) / cut.pieceSize == cut.count;
}

// A parameter or a constant decides the size.
bool isFixed(Dimension d, const TracedValues& traced) {
  auto* v = const_cast<Value*>(d.first);
  Node* n = v->node();
  if (n->kind() == jit::prim::Constant || attributePath(v)) return true;
  auto rank = traced.rank(v);
  bool last = rank && static_cast<std::int64_t>(d.second) + 1 == *rank;
  bool weighted = (n->kind() == aten::linear && last) || (n->kind() == aten::conv2d && d.second == 1);
  if (weighted && attributePath(n->input(1))) return true;
  if (n->kind() == aten::embedding && last && attributePath(n->input(0))) return true;
  if (n->kind() != aten::reshape && n->kind() != aten::view) return false;
  Node* shape = n->input(1)->node();
  if (auto constant = jit::toIValue(n->input(1)); constant && constant->isIntList())
    return d.second < constant->toIntVector().size() && constant->toIntVector()[d.second] >= 0;
  if (shape->kind() != jit::prim::ListConstruct || d.second >= shape->inputs().size()) return false;
  return constantInt(shape->input(d.second)).value_or(-1) >= 0;
}

void insertCutCheck(const Cut& cut, Node* before, const TracedValues& traced) {
  auto dim = dimensionOf(cut, traced);
  if (!dim) return;
  auto source = sourceOf({cut.whole, *dim}, traced);
  if (isFixed(source, traced)) return;
  auto at = std::to_string(source.second), piece = std::to_string(cut.pieceSize);
  Check check{
      std::to_string(cut.count) + " parts along dimension " + at + " of " + valueWords(source.first),
      "(max(v.size(" + at + "), 1) + " + piece + " - 1) // " + piece + " == " + std::to_string(cut.count)};
  insertCheck(const_cast<Value*>(source.first), check, before);
}

}  // namespace

void checkUnpackedPieces(Subject& subject, const TracedValues& traced) {
  auto unpacked = unpackedIn(*subject.original.get_method("forward").graph());
  if (unpacked.empty()) return;
  std::vector<std::pair<Cut, Node*>> cuts;
  std::set<const Value*> seen;  // a list, or what is cut
  forEachNode(subject.graph()->block(), [&](Node* n) {
    auto id = nodeId(n);
    bool selects = n->kind() == aten::select, reads = n->kind() == aten::__getitem__;
    if ((!selects && !reads) || id < 0) return;
    auto& range = subject.nodes[static_cast<std::size_t>(id)].range;
    Node* pieces = selects ? nullptr : n->input(0)->node();
    if ((pieces && !has(pieces, OperatorTrait::Pieces)) || seen.count(n->input(0))) return;
    for (auto& from : unpacked) {
      if (!(from.range == range) || (selects && !from.ofUnbind)) continue;
      seen.insert(n->input(0));
      auto cut =
          selects ? std::optional(Cut{n->input(0), n->input(1), 1, from.count}) : cutOf(pieces, from.count);
      if (!cut || !isTraced(*cut, traced)) continue;
      cuts.emplace_back(*cut, pieces ? pieces : n);
      return;
    }
  });
  for (auto& [cut, before] : cuts) insertCutCheck(cut, before, traced);
}

}  // namespace kadvise::graph
