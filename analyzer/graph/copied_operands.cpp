#include "analyzer/graph/copied_operands.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// How an operand is copied: its matrices as they are, or each in the order of its columns.
enum class Copied { No, ByRows, ByColumns };

// What generated kernels make of it they store as the product would copy it (row_copies.h).
bool isMadeByProduct(const Value* v) {
  while (auto* whole = mayView(v)) v = whole;
  auto kind = kindOf(v->node()).kind;
  return kind == OperatorKind::MatMul || kind == OperatorKind::Convolution;
}

Copied copiedAs(const Value* v, const TracedValues& traced) {
  auto* t = tensorSeen(v, traced);
  if (!t || t->shape.size() < 4 || t->shape.size() > kMostOfCopies || !c10::isFloatingType(t->dtype) ||
      !isRowDtype(t->dtype))
    return Copied::No;
  if (areOneBatch(*t) || isExpanded(*t) || denseBytes(*t) < kSmallestCopy || !isMadeByProduct(v))
    return Copied::No;
  std::size_t last = t->shape.size() - 1;
  if (t->strides[last] == 1) return Copied::ByRows;
  return t->strides[last - 1] == 1 ? Copied::ByColumns : Copied::No;
}

// One matrix for several would be expanded, and copied as often.
bool isOfEqualBatches(const Node* n, const TracedValues& traced) {
  auto *a = tensorSeen(n->input(0), traced), *b = tensorSeen(n->input(1), traced);
  return a && b && a->shape.size() == b->shape.size() && a->dtype == b->dtype &&
         std::equal(a->shape.begin(), a->shape.end() - 2, b->shape.begin());
}

std::string copied(const std::string& name, Copied how) {
  auto swapped = [&](const std::string& matrices) {
    return how == Copied::ByColumns ? "torch.transpose(" + matrices + ", -2, -1)" : matrices;
  };
  return swapped("ops.kadvise.contiguous(" + swapped(name) + ")");
}

MadeRewrite withOwnCopies(Node* product, const Copied (&how)[2]) {
  MadeRewrite made;
  std::vector<Value*> parameters;
  made.roots = {product};
  auto pattern = patternOf(made.roots, {product->output()}, parameters);
  std::string operands;
  for (std::size_t i = 0; i < 2; ++i) {
    auto* v = product->input(i);
    auto name = parameterName(parameters, v);
    operands += (i ? ", " : "") + (how[i] == Copied::No ? name : copied(name, how[i]));
  }
  made.replacement =
      replacementOf(*pattern, "    return torch.matmul(" + operands + ")\n",
                    {kLevelOfGenerated, Exactness::Reassociates, "", "heads copied by a generated kernel"});
  made.pattern = pattern;
  return made;
}

}  // namespace

CodedResult findCopiedOperands(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (n->kind() != jit::aten::matmul || !isOfEqualBatches(n, analysis.traced)) return;
    const Copied how[2] = {copiedAs(n->input(0), analysis.traced), copiedAs(n->input(1), analysis.traced)};
    auto copies = std::count_if(std::begin(how), std::end(how), [](Copied one) { return one != Copied::No; });
    if (copies == 0) return;
    if (analysis.taken.count(n)) {
      out.looksAgain = true;
      return;
    }
    CodedFinding f;
    f.node = n;
    f.message = std::string("a product copies ") +
                (copies == 1 ? "one of its operands" : "both of its operands") +
                ", whose heads do not lie one after the other";
    f.rewrite = withOwnCopies(n, how);
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty())
    out.whyNothing = "no batched product reads heads of a projection that lie side by side and are not few";
  return out;
}

}  // namespace kadvise::graph
