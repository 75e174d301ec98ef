#include "analyzer/graph/einsum_copies.h"

#include <algorithm>

#include "analyzer/graph/einsum_product.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool needsCopy(const std::string& operand, const std::string& other, const Equation& e,
               const TracedValue& seen) {
  return isContiguous(seen) && !liesInGroups(operand, groupsOf(operand, other, e), seen);
}

std::string whatIsCopied(Node* n, const Equation& e, const TracedValues& traced) {
  auto operands = n->input(1)->node()->inputs();
  auto *left = traced.find(operands[0]), *right = traced.find(operands[1]);
  if (!left || !right || left->shape.size() != e.left.size() || right->shape.size() != e.right.size())
    return "";
  bool first = needsCopy(e.left, e.right, e, *left);
  bool second = needsCopy(e.right, e.left, e, *right);
  if (first && second) return "both operands";
  return first ? "its first operand" : second ? "its second operand" : "";
}

}  // namespace

CodedResult findEinsumCopies(const RulePage& page, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (n->kind() != c10::Symbol::aten("einsum") || n->inputs().size() < 2) return;
    auto text = jit::toIValue(n->input(0));
    bool two =
        n->input(1)->node()->kind() == jit::prim::ListConstruct && n->input(1)->node()->inputs().size() == 2;
    auto equation = text && text->isString() && two ? parseEquation(text->toStringRef()) : std::nullopt;
    bool sums = equation && std::any_of(equation->left.begin(), equation->left.end(),
                                        [&](char c) { return !hasLetter(equation->result, c); });
    if (!sums) return;  // without a sum it is a plain multiplication
    auto copied = whatIsCopied(n, *equation, analysis.traced);
    if (copied.empty()) return;
    CodedFinding f;
    f.node = n;
    f.message = "einsum \"" + text->toStringRef() + "\" copies " + copied +
                " before the product: dimensions that it joins do not lie side by side";
    f.breaks = page.nodes.breaks;
    if (isWorthOwnCopies(n, *equation, analysis)) {
      if (analysis.taken.count(n)) out.looksAgain = true;
      else f.rewrite = productOfCopies(n, *equation, analysis.traced);
    }
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty()) out.whyNothing = "no einsum of two tensors has to copy an operand";
  return out;
}

}  // namespace kadvise::graph
