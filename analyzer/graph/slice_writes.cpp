#include "analyzer/graph/slice_writes.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr std::string_view kMakers[] = {"aten::zeros",     "aten::ones",      "aten::full",
                                        "aten::empty",     "aten::new_zeros", "aten::new_ones",
                                        "aten::new_full",  "aten::new_empty", "aten::zeros_like",
                                        "aten::ones_like", "aten::full_like", "aten::empty_like"};
constexpr std::string_view kViews[] = {"aten::slice", "aten::select"};
constexpr std::string_view kFills[] = {"aten::copy_", "aten::fill_", "aten::zero_"};
constexpr std::string_view kArithmetic[] = {"aten::add_", "aten::sub_", "aten::mul_"};

// What becomes of a view: the write at the end of the chain, where nothing else looks at what it shows.
bool followTo(SliceWrite& part, Value* v) {
  Node* next = nullptr;
  for (auto& use : v->uses()) {
    if (onlyDescribes(use.user)) continue;
    if (next || use.offset != 0) return false;
    next = use.user;
  }
  if (!next || next->owningBlock() != v->node()->owningBlock()) return false;
  if (isOneOf(kViews, next)) {
    part.views.push_back(next);
    return followTo(part, next->output());
  }
  part.write = next;
  return (isOneOf(kFills, next) || isArithmeticInPlace(next)) && !next->output()->hasUses();
}

}  // namespace

bool onlyDescribes(const Node* n) { return n->kind() == jit::prim::dtype || n->kind() == jit::prim::device; }

bool makesFilled(const Node* n) { return isOneOf(kMakers, n) && n->outputs().size() == 1; }

bool isArithmeticInPlace(const Node* n) { return isOneOf(kArithmetic, n); }

SliceWrites sliceWritesOf(Node* maker) {
  SliceWrites out;
  auto* block = maker->owningBlock();
  auto comesFirst = [](const Node* a, const Node* b) {
    return a != b && a->kind() != jit::prim::Return && (b->kind() == jit::prim::Return || a->isBefore(b));
  };
  for (auto& use : maker->output()->uses()) {
    SliceWrite part;
    bool isView = isOneOf(kViews, use.user) && use.offset == 0 && use.user->owningBlock() == block;
    part.views = {use.user};
    if (isView && followTo(part, use.user->output())) {
      out.parts.push_back(part);
    } else if (!onlyDescribes(use.user)) {
      Node* reader = holderIn(block, use.user);
      if (!out.firstReader || comesFirst(reader, out.firstReader)) out.firstReader = reader;
    }
  }
  std::sort(out.parts.begin(), out.parts.end(),
            [&](const SliceWrite& a, const SliceWrite& b) { return comesFirst(a.write, b.write); });
  return out;
}

}  // namespace kadvise::graph
