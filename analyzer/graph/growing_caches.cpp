// Tensors that a caller hands in, gets back longer, and hands in again: what generation keeps of earlier
// tokens.
#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

constexpr std::string_view kTakenFrom[] = {"prim::TupleIndex",
                                           "prim::TupleUnpack",
                                           "prim::ListUnpack",
                                           "aten::__getitem__",
                                           "prim::unchecked_unwrap_optional",
                                           "aten::_unwrap_optional",
                                           "aten::select",
                                           "aten::unbind"};
constexpr std::string_view kPutInto[] = {"prim::TupleConstruct", "prim::ListConstruct", "prim::DictConstruct",
                                         "aten::stack"};
constexpr std::string_view kAskSizes[] = {"aten::size",  "aten::dim",    "aten::len",      "prim::device",
                                          "prim::dtype", "aten::__is__", "aten::__isnot__"};
constexpr int kDeepestNesting = 8;
constexpr double kSmallCacheBytes = 1 << 20;  // to copy less takes a tenth of what the launch does
constexpr double kLeastRatio = 4;  // of a cache to what is added: features joined are alike in size

// What a cat joins, without what is empty: a cache begins as nothing, and libraries join that to what they
// are given.
std::vector<Value*> pieces(Node* cat, const TracedValues& traced) {
  std::vector<Value*> out;
  for (auto* piece : piecesOf(cat)) {
    auto tensor = tensorOf(piece, traced);
    if (!tensor || elements(*tensor) > 0) out.push_back(piece);
  }
  return out;
}

// A cat of one piece is that piece.
bool joinsNothing(Node* n, const TracedValues& traced) { return isCat(n) && pieces(n, traced).size() == 1; }

Value* throughEmptyCats(Value* v, const TracedValues& traced) {
  for (int depth = 0; joinsNothing(v->node(), traced) && depth < kDeepestNesting; ++depth)
    v = pieces(v->node(), traced)[0];
  return v;
}

// An argument of forward, or an element or a slice of one, as it came.
bool isGiven(const Value* v) {
  const Node* n = v->node();
  for (int depth = 0; isOneOf(kTakenFrom, n) && depth < kDeepestNesting; ++depth) n = n->input(0)->node();
  return n->kind() == prim::Param && n->owningBlock() == n->owningGraph()->block();
}

bool isNameOf(const Node* access, const Node* other) {
  return access->s(jit::attr::name) == other->s(jit::attr::name) && access->input(0) == other->input(0);
}

// Where the module keeps a value, in place of what `read` got there; nullptr where it does not.
const Node* storeOver(const Node* read, const Value* whole) {
  if (read->kind() != prim::GetAttr) return nullptr;
  for (auto& use : whole->uses())
    if (use.user->kind() == prim::SetAttr && use.offset == 1 && isNameOf(use.user, read)) return use.user;
  return nullptr;
}

bool isReturned(const Value* v, int depth = 0) {
  if (depth > kDeepestNesting) return false;
  return std::any_of(v->uses().begin(), v->uses().end(), [&](const jit::Use& use) {
    if (use.user->kind() == prim::Return) return true;
    return isOneOf(kPutInto, use.user) && isReturned(use.user->output(), depth + 1);
  });
}

// Under its own name, or after it was stored under that of the module.
bool isComputedWith(const Value* v, const Node* store) {
  if (store)
    for (auto& use : store->input(0)->uses())
      if (use.user->kind() == prim::GetAttr && isNameOf(use.user, store) && store->isBefore(use.user) &&
          isComputedWith(use.user->output(), nullptr))
        return true;
  return std::any_of(v->uses().begin(), v->uses().end(), [](const jit::Use& use) {
    return use.user->kind() != prim::Return && use.user->kind() != prim::SetAttr &&
           !isOneOf(kPutInto, use.user) && !isOneOf(kAskSizes, use.user);
  });
}

// Features that a layer adds to (DenseNet) are read by the layer itself; a cache by nobody but its cat.
bool isOnlyLengthened(const Value* piece, const Node* cat, const TracedValues& traced) {
  auto isItsCat = [&](const jit::Use& joining) {
    return joining.user == cat ||
           (joinsNothing(joining.user, traced) && isOnlyLengthened(joining.user->output(), cat, traced));
  };
  return std::all_of(piece->uses().begin(), piece->uses().end(), [&](const jit::Use& use) {
    if (isOneOf(kAskSizes, use.user)) return true;
    auto& joinings = use.user->output()->uses();
    return use.user->kind() == prim::ListConstruct && std::all_of(joinings.begin(), joinings.end(), isItsCat);
  });
}

// A run does not trace what is taken from tuples: what a cat made tells it.
TracedValue without(TracedValue whole, const TracedValue& added) {
  for (std::size_t i = 0; i < whole.shape.size() && i < added.shape.size(); ++i)
    if (whole.shape[i] != added.shape[i]) whole.shape[i] -= added.shape[i];
  return whole;
}

// The piece that is the cache: longer than what is added to it.
std::optional<TracedValue> cacheOf(Node* cat, const TracedValues& traced) {
  auto all = pieces(cat, traced);
  auto whole = tensorOf(cat->output(), traced);
  if (all.size() != 2 || !whole) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    auto *old = throughEmptyCats(all[i], traced), *fresh = all[1 - i];
    auto added = tensorOf(fresh, traced);
    if (!added || isGiven(fresh)) continue;
    auto before = without(*whole, *added);
    if (elements(before) < kLeastRatio * elements(*added)) continue;
    auto* store = storeOver(old->node(), cat->output());
    if (!store && !(isGiven(old) && isReturned(cat->output()))) continue;
    if (isComputedWith(cat->output(), store) && isOnlyLengthened(old, cat, traced)) return before;
  }
  return std::nullopt;
}

}  // namespace

CodedResult findGrowingCaches(const RulePage&, const Analysis& a) {
  Places places;
  std::optional<TracedValue> tooSmall;  // the largest of those
  forEachNode(a.graph.block(), [&](Node* n) {
    if (!isCat(n)) return;
    auto cache = cacheOf(n, a.traced);
    if (!cache) return;
    if (denseBytes(*cache) < kSmallCacheBytes) {
      if (!tooSmall || denseBytes(*cache) > denseBytes(*tooSmall)) tooSmall = cache;
      return;
    }
    Cost saved;
    saved.bytesRead = saved.bytesWritten = denseBytes(*cache);
    Cost all = costOf(n, a.traced);
    places.add(n,
               "each call copies a whole cache (" + describe(&*cache) +
                   ") to append to it; in a buffer of the full length only what is new is written",
               estimateOfSaving(saved, secondsOf(saved, *a.target.gpu), secondsOf(all, *a.target.gpu),
                                *a.target.gpu));
  });
  return places.take(a, tooSmall
                            ? "the largest cache that a cat appends to (" + describe(&*tooSmall) +
                                  ") is below the rule's limit of 1 MiB: to copy it costs less than to launch"
                            : "no tensor that comes back longer is appended to by a cat");
}

}  // namespace kadvise::graph
