#include "analyzer/graph/convolution_branches.h"

#include <algorithm>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

bool isWeight(Value* v) { return isNone(v) || attributePath(v); }
bool isPlain(Value* v) { return attributePath(v) && isTensor(v); }  // no optional
Value* orNull(Value* v) { return isNone(v) ? nullptr : v; }

std::optional<RowsAndColumns> pairOf(Value* v) {
  auto given = jit::toIValue(v);
  if (!given || !given->isIntList()) return std::nullopt;
  auto list = given->toIntVector();
  if (list.size() == 1) return RowsAndColumns{list[0], list[0]};
  return list.size() == 2 ? std::optional(RowsAndColumns{list[0], list[1]}) : std::nullopt;
}

std::optional<BranchKernel> kernelOf(Node* n, const TracedValues& traced) {
  if (n->kind() != aten::conv2d || n->inputs().size() != 7) return std::nullopt;
  auto *w = traced.find(n->input(1)), *x = traced.find(n->input(0));
  bool areWeights = attributePath(n->input(1)) && isWeight(n->input(2));
  if (!areWeights || !w || !x || w->shape.size() != 4 || x->shape.size() != 4 || w->dtype != x->dtype ||
      !c10::isFloatingType(w->dtype))
    return std::nullopt;
  auto stride = pairOf(n->input(3)), padding = pairOf(n->input(4)), dilation = pairOf(n->input(5));
  auto groups = constantInt(n->input(6));
  if (!stride || !padding || !dilation || !groups) return std::nullopt;
  BranchKernel k{n, n->input(1), orNull(n->input(2)), {}, *stride, *padding, *dilation, *groups};
  std::copy_n(w->shape.begin(), 4, k.shape.begin());
  return k;
}

// Whether it lies within the other, about the same pixel.
bool liesAbout(const BranchKernel& k, const BranchKernel& all) {
  if (k.stride != all.stride || k.groups != all.groups || k.shape[0] != all.shape[0] ||
      k.shape[1] != all.shape[1])
    return false;
  for (std::size_t i = 0; i < 2; ++i) {
    auto size = k.shape[i + 2], most = all.shape[i + 2];
    bool isWithin = size <= most && (most - size) % 2 == 0 && (size == 1 || k.dilation[i] == all.dilation[i]);
    if (!isWithin || 2 * (all.padding[i] - k.padding[i]) != all.dilation[i] * (most - size)) return false;
  }
  return true;
}

// The identity as a kernel of that place.
bool holdsIdentity(const BranchKernel& all) {
  bool isSquare = all.shape[0] == all.shape[1] * all.groups && all.stride == RowsAndColumns{1, 1};
  for (std::size_t i = 0; i < 2; ++i)
    isSquare = isSquare && all.shape[i + 2] % 2 == 1 &&
               2 * all.padding[i] == all.dilation[i] * (all.shape[i + 2] - 1);
  return isSquare;
}

// That the dtype of all is that of the kernel, and a vector has a number for each channel.
bool fits(const Branch& b, const BranchKernel& all, const TracedValues& traced) {
  auto* w = traced.find(all.weight);
  auto isVector = [&](Value* v) {
    auto* t = v ? traced.find(v) : nullptr;
    return !v || (t && t->shape == std::vector<std::int64_t>{all.shape[0]});
  };
  if (b.norm &&
      !(isVector(b.norm->gamma) && isVector(b.norm->beta) && isVector(b.norm->mean) && isVector(b.norm->var)))
    return false;
  if (!b.kernel) {
    auto* x = traced.find(b.of);
    return x && x->dtype == w->dtype && holdsIdentity(all);
  }
  return isVector(b.kernel->bias) && traced.find(b.kernel->weight)->dtype == w->dtype &&
         liesAbout(*b.kernel, all);
}

}  // namespace

std::optional<BranchNorm> branchNormOf(Node* n) {
  if (n->kind() != aten::batch_norm) return std::nullopt;
  auto counts = jit::toIValue(n->input(5)), eps = jit::toIValue(n->input(7));
  if (!counts || !counts->isBool() || counts->toBool()) return std::nullopt;
  bool areWeights =
      isWeight(n->input(1)) && isWeight(n->input(2)) && isPlain(n->input(3)) && isPlain(n->input(4));
  if (!areWeights || !eps || !eps->isDouble()) return std::nullopt;
  return BranchNorm{n, orNull(n->input(1)), orNull(n->input(2)), n->input(3), n->input(4), eps->toDouble()};
}

Branch branchOf(Value* v, const TracedValues& traced) {
  if (!isReadOnce(v)) return {v, v, {}, {}};
  if (auto kernel = kernelOf(v->node(), traced)) return {v, v->node()->input(0), kernel, {}};
  auto norm = branchNormOf(v->node());
  if (!norm) return {v, v, {}, {}};
  Value* x = norm->node->input(0);
  auto kernel = isReadOnce(x) ? kernelOf(x->node(), traced) : std::nullopt;
  return {v, kernel ? kernel->node->input(0) : x, kernel, norm};
}

std::vector<Branch> branchesOfOneKernel(const std::vector<Branch>& branches, const TracedValues& traced) {
  std::vector<Branch> best;
  for (auto& first : branches) {
    if (!first.kernel) continue;
    std::vector<Branch> joined;
    for (auto& b : branches)
      if (b.of == first.of && fits(b, *first.kernel, traced)) joined.push_back(b);
    if (joined.size() >= 2 && joined.size() > best.size()) best = joined;
  }
  return best;
}

const BranchKernel& largestKernelOf(const std::vector<Branch>& joined) {
  auto area = [](const Branch& b) { return b.kernel ? b.kernel->shape[2] * b.kernel->shape[3] : 0; };
  return *std::max_element(joined.begin(), joined.end(), [&](auto& a, auto& b) {
            return area(a) < area(b);
          })->kernel;
}

}  // namespace kadvise::graph
