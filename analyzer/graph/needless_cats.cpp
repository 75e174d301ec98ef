// Concatenations that copy more than they must. A cat of a cat is not among them: the normal form has joined
// it.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

double bytesIn(const Value* v, const TracedValues& traced) {
  auto t = tensorOf(v, traced);
  return t ? bytesOf(*t) : 0;
}

// Of one element in the dimension of the cat: expand describes repetitions of no more.
bool isExpandable(const Value* piece, Node* cat, const TracedValues& traced) {
  auto t = tensorOf(piece, traced);
  auto dim = t ? dimensionAt(cat->input(1), t->shape.size()) : std::nullopt;
  return dim && t->shape[*dim] == 1;
}

Value* repeatedPiece(Node* cat, const TracedValues& traced) {
  auto all = piecesOf(cat);
  for (Value* piece : all) {
    if (std::count(all.begin(), all.end(), piece) > 1 && 2 * bytesIn(piece, traced) >= kSmallBytes &&
        isExpandable(piece, cat, traced))
      return piece;
  }
  return nullptr;
}

// Results that exist for this cat alone, of operators that could write them to their place in it.
bool couldBeWrittenInPlace(Node* cat, const TracedValues& traced) {
  auto all = piecesOf(cat);
  return all.size() > 1 && std::all_of(all.begin(), all.end(), [&](Value* v) {
           auto kind = kindOf(v->node()).kind;
           bool writes = kind == OperatorKind::Pointwise || kind == OperatorKind::MatMul ||
                         kind == OperatorKind::Norm || kind == OperatorKind::Convolution;
           return writes && isReadOnce(v) && overlapOf(v->node(), traced) == Overlap::Own;
         });
}

Estimate estimateOfCopying(double bytes, Node* cat, const Analysis& a) {
  Cost saved;
  saved.bytesRead = saved.bytesWritten = bytes;
  double around = secondsOf(costOf(cat, a.traced), *a.target.gpu);
  for (Value* piece : piecesOf(cat)) around += secondsOf(costOf(piece->node(), a.traced), *a.target.gpu);
  return estimateOfSaving(saved, secondsOf(saved, *a.target.gpu), around, *a.target.gpu);
}

void lookAt(Node* cat, const Analysis& a, Places& places) {
  auto out = tensorOf(cat->output(), a.traced);
  if (!out) return;
  if (auto* twice = repeatedPiece(cat, a.traced)) {
    places.add(cat,
               "a cat copies the same " + describe(a.traced.find(twice)) +
                   " more than once; expand describes it without a copy",
               estimateOfCopying(bytesIn(twice, a.traced), cat, a));
  } else if (couldBeWrittenInPlace(cat, a.traced) && costOf(cat, a.traced).bytes() >= kSmallBytes) {
    places.add(cat,
               "the pieces of this cat (" + describe(&*out) +
                   ") are made for it alone and could be written where they belong",
               estimateOfCopying(denseBytes(*out), cat, a));
  }
}

// Dense blocks put the same features into one longer cat after another.
void lookForGrowing(const std::vector<Node*>& cats, const Analysis& a, Places& places) {
  constexpr int kMany = 3;
  std::unordered_map<Value*, int> copies;
  std::unordered_map<Value*, double> longest;  // of the cats before that copy it
  for (Node* cat : cats) {
    double bytes = bytesIn(cat->output(), a.traced);
    for (Value* piece : piecesOf(cat)) {
      if (bytes > longest[piece]) ++copies[piece];
      longest[piece] = std::max(longest[piece], bytes);
    }
  }
  Node* last = nullptr;
  double again = 0;  // bytes beyond the first copy of each piece
  std::unordered_set<const Value*> met;
  for (Node* cat : cats)
    for (Value* piece : piecesOf(cat)) {
      if (copies[piece] < kMany) continue;
      if (!met.insert(piece).second) again += bytesIn(piece, a.traced);
      last = cat;
    }
  if (!last || 2 * again < kSmallBytes) return;
  places.add(last,
             "the same tensors are copied by one growing cat after another; one buffer of the final size "
             "takes each once",
             estimateOfCopying(again, last, a));
}

}  // namespace

CodedResult findNeedlessCats(const RulePage&, const Analysis& a) {
  Places places;
  std::map<std::string, std::vector<Node*>> byModule;
  std::vector<std::string> order;
  forEachNode(a.graph.block(), [&](Node* n) {
    if (!isCat(n)) return;
    lookAt(n, a, places);
    auto scope = n->scopeName();
    auto parent = scope.substr(0, scope.find_last_of('.') == std::string::npos ? 0 : scope.find_last_of('.'));
    if (!byModule.count(parent)) order.push_back(parent);
    byModule[parent].push_back(n);
  });
  for (auto& parent : order) lookForGrowing(byModule[parent], a, places);
  return places.take(a, "no cat copies more than it must");
}

}  // namespace kadvise::graph
