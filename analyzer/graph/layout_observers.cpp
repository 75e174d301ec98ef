#include "analyzer/graph/layout_observers.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/shared_memory.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// Of the operators that look at strides the ones that a tensor of equal strides may still answer otherwise:
// where a dimension has one element, its stride is anything.
constexpr std::string_view kAsksForStrides[] = {
    "aten::as_strided", "aten::stride",          "aten::is_contiguous", "aten::data_ptr",
    "aten::set_",       "aten::view_as_complex", "aten::storage_offset"};

bool asksForStrides(const Node* n) { return isOneOf(kAsksForStrides, n); }

// Their results are laid out as their sizes say. All other operators are taken to follow their operands, as
// TensorIterator, copies, *_like and whatever knows channels_last do.
constexpr std::string_view kOwnLayout[] = {"aten::linear",    "aten::addmm",        "aten::mm",
                                           "aten::bmm",       "aten::baddbmm",      "aten::layer_norm",
                                           "aten::embedding", "kadvise::contiguous"};

constexpr int kMostViews = 16;

// The first who asks, of those who read a value, by way of views too.
const Node* askerOf(const Value* v, int depth = kMostViews) {
  if (depth == 0) return v->node();
  for (auto& use : v->uses()) {
    if (asksForStrides(use.user)) return use.user;
    auto next = acrossBlocks(use);
    if (has(use.user, OperatorTrait::KeepsStrides) && use.user->blocks().empty())
      next.insert(next.end(), use.user->outputs().begin(), use.user->outputs().end());
    for (auto* kept : next)
      if (auto* found = askerOf(kept, depth - 1)) return found;
  }
  return nullptr;
}

std::string words(const Node* n) { return n->kind().toQualString(); }

std::optional<std::string> observedBy(const jit::Use& use) {
  const Node* user = use.user;
  if (has(user, OperatorTrait::LooksAtStrides)) return "has strides that are observed by " + words(user);
  if (use.offset != 0 || !copiesByStrides(user)) return std::nullopt;
  if (showsWhetherItCopied(user))
    return "has strides that decide whether " + words(user) +
           " makes a view or a copy, which writes or results of forward show";
  if (user->kind() != jit::aten::contiguous) return std::nullopt;
  auto* asker = askerOf(user->output());
  return asker ? std::optional("has strides that are observed by " + words(asker)) : std::nullopt;
}

// view never copies: of strides that do not suit it, it says so. That counts as long as the layout is still
// surely the result's own, not behind a convolution, say, whose library has chosen one.
bool isView(const Node* n) { return n->kind() == jit::aten::view || n->kind() == jit::aten::view_as; }
bool staysNear(const Node* n) {
  bool handsOn = n->kind() == jit::aten::clone || n->kind() == jit::prim::Return;
  return handsOn || has(n, OperatorTrait::KeepsStrides) || isPointwise(n);
}

// The values whose strides hang on those of this one, next in line.
std::vector<const Value*> followers(const jit::Use& use, const Value* v) {
  auto out = heldBy(use, v);
  const Node* user = use.user;
  bool own = isOneOf(kOwnLayout, user) || user->kind() == jit::aten::contiguous;
  if (own || !user->blocks().empty()) return own ? std::vector<const Value*>{} : out;
  for (auto* made : user->outputs())
    if (holdsTensors(made->type())) out.push_back(made);
  return out;
}

}  // namespace

std::optional<std::string> strideObserver(const Value* v, NewStrides strides) {
  std::set<std::pair<const Value*, bool>> seen;
  std::vector<std::pair<const Value*, bool>> open{{v, true}};
  while (!open.empty()) {
    auto [laidOut, isNear] = open.back();
    open.pop_back();
    if (!seen.insert({laidOut, isNear}).second) continue;
    for (auto& use : laidOut->uses()) {
      bool suits = isView(use.user) && (!isNear || (laidOut == v && strides == NewStrides::InOrder));
      if (!suits)
        if (auto found = observedBy(use)) return found;
      for (auto* next : followers(use, laidOut)) open.emplace_back(next, isNear && staysNear(use.user));
    }
  }
  return std::nullopt;
}

bool askedForStrides(const Value* v) { return askerOf(v) != nullptr; }

}  // namespace kadvise::graph
