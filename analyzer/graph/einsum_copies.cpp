#include "analyzer/graph/einsum_copies.h"

#include <algorithm>
#include <cctype>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Equation {  // of two operands, each letter once in each, every letter of one operand in the other or
                   // the result
  std::string left, right, result;
};

bool has(const std::string& s, char c) { return s.find(c) != std::string::npos; }

bool isPlain(const std::string& s) {
  for (std::size_t i = 0; i < s.size(); ++i)
    if (!std::isalpha(static_cast<unsigned char>(s[i])) || s.find(s[i], i + 1) != std::string::npos)
      return false;
  return !s.empty();
}

std::optional<Equation> parse(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  auto comma = text.find(','), arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) return std::nullopt;
  Equation e{text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
  if (!isPlain(e.left) || !isPlain(e.right) || !isPlain(e.result)) return std::nullopt;
  for (char c : e.left)
    if (!has(e.right, c) && !has(e.result, c)) return std::nullopt;
  for (char c : e.right)
    if (!has(e.left, c) && !has(e.result, c)) return std::nullopt;
  return e;
}

// The letters of one operand that become a single dimension of the batched product, in the order in which
// einsum lays them out: batch and free letters as in the result, summed ones by the alphabet (upper case
// first).
std::vector<std::string> groupsOf(const std::string& operand, const std::string& other, const Equation& e) {
  std::string batch, open, summed;
  for (char c : e.result)
    if (has(operand, c)) (has(other, c) ? batch : open) += c;
  for (char c : operand)
    if (!has(e.result, c)) summed += c;
  std::sort(summed.begin(), summed.end());
  return {batch, open, summed};
}

// A group is one dimension of the memory as it is when its letters stand side by side in their order.
bool needsCopy(std::string operand, const std::string& other, const Equation& e, const TracedValue& seen) {
  std::string large;  // dimensions of one element are nowhere in the way
  for (std::size_t i = 0; i < operand.size(); ++i)
    if (seen.shape[i] > 1) large += operand[i];
  for (auto& group : groupsOf(operand, other, e)) {
    std::string wanted;
    for (char c : group)
      if (has(large, c)) wanted += c;
    if (!wanted.empty() && large.find(wanted) == std::string::npos) return true;
  }
  return false;
}

bool isDense(const TracedValue& v) {
  std::int64_t expected = 1;
  for (std::size_t i = v.shape.size(); i-- > 0;) {
    if (v.shape[i] > 1 && (i >= v.strides.size() || v.strides[i] != expected)) return false;
    expected *= v.shape[i];
  }
  return true;
}

std::string whatIsCopied(Node* n, const Equation& e, const TracedValues& traced) {
  auto operands = n->input(1)->node()->inputs();
  auto *left = traced.find(operands[0]), *right = traced.find(operands[1]);
  if (!left || !right || left->shape.size() != e.left.size() || right->shape.size() != e.right.size())
    return "";
  bool first = isDense(*left) && needsCopy(e.left, e.right, e, *left);
  bool second = isDense(*right) && needsCopy(e.right, e.left, e, *right);
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
    auto equation = text && text->isString() && two ? parse(text->toStringRef()) : std::nullopt;
    bool sums = equation && std::any_of(equation->left.begin(), equation->left.end(),
                                        [&](char c) { return !has(equation->result, c); });
    if (!sums) return;  // without a sum it is a plain multiplication
    auto copied = whatIsCopied(n, *equation, analysis.traced);
    if (copied.empty()) return;
    CodedFinding f;
    f.node = n;
    f.message = "einsum \"" + text->toStringRef() + "\" copies " + copied +
                " before the product: dimensions that it joins do not lie side by side";
    f.breaks = page.nodes.breaks;
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty()) out.whyNothing = "no einsum of two tensors has to copy an operand";
  return out;
}

}  // namespace kadvise::graph
