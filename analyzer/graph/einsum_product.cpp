#include "analyzer/graph/einsum_product.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

at::ArrayRef<Value*> operandsOf(const Node* einsum) { return einsum->input(1)->node()->inputs(); }

std::string joined(const std::vector<std::string>& words, const char* between, const char* ofNone) {
  std::string out;
  for (auto& word : words) out += (out.empty() ? "" : between) + word;
  return out.empty() ? ofNone : out;
}

// One operand as a matrix for each batch, in the order of dimensions in which its memory is read best.
struct Matrices {
  std::string letters;  // of its dimensions
  EquationGroups groups;
  bool summedLast = true;
  const TracedValue* seen;

  std::string order() const {
    return groups.batch + (summedLast ? groups.open + groups.summed : groups.summed + groups.open);
  }
};

Matrices matricesOf(const Value* v, const std::string& letters, const std::string& other, const Equation& e,
                    const TracedValues& traced) {
  Matrices m{letters, groupsOf(letters, other, e), true, tensorSeen(v, traced)};
  for (std::size_t d = 0; d < letters.size(); ++d)
    if (m.seen->strides[d] == 1 && m.seen->shape[d] > 1) m.summedLast = !hasLetter(m.groups.open, letters[d]);
  return m;
}

bool isOneDimension(const std::string& group, const std::string& letters, const TracedValue& seen) {
  std::int64_t inner = 0;  // the stride that the next letter to the left has to have
  for (std::size_t i = group.size(); i-- > 0;) {
    auto d = letters.find(group[i]);
    if (seen.shape[d] == 1) continue;
    if (inner != 0 && seen.strides[d] != inner) return false;
    inner = seen.strides[d] * seen.shape[d];
  }
  return true;
}

bool isCopied(const Matrices& m) {
  return denseBytes(*m.seen) >= kSmallestCopy && !liesInGroups(m.letters, m.groups, *m.seen);
}

// "[2, 0, 1, 3]": where the letters of `wanted` stand in `have`.
std::string places(const std::string& wanted, const std::string& have) {
  std::vector<std::string> at;
  for (char c : wanted) at.push_back(std::to_string(have.find(c)));
  return "[" + joined(at, ", ", "") + "]";
}

std::string sizesOf(const std::string& letters, const char* between, const char* ofNone) {
  std::vector<std::string> names;
  for (char c : letters) names.push_back(std::string("size_") + c);
  return joined(names, between, ofNone);
}

// Groups that lie as one dimension of memory each are viewed as such; others are copied first.
std::string matrices(const Matrices& m, const std::string& name) {
  const std::string order = m.order();
  std::string out = "torch.permute(" + name + ", " + places(order, m.letters) + ")";
  if (isCopied(m)) out = "ops.kadvise.contiguous(" + out + ")";
  const char* one = "1";
  const std::string batch = sizesOf(m.groups.batch, " * ", one), open = sizesOf(m.groups.open, " * ", one),
                    summed = sizesOf(m.groups.summed, " * ", one);
  return "torch.reshape(" + out + ", [" + batch + ", " +
         (m.summedLast ? open + ", " + summed : summed + ", " + open) + "])";
}

}  // namespace

bool liesInGroups(const std::string& letters, const EquationGroups& groups, const TracedValue& seen) {
  return isOneDimension(groups.batch, letters, seen) && isOneDimension(groups.open, letters, seen) &&
         isOneDimension(groups.summed, letters, seen);
}

bool isWorthOwnCopies(const Node* einsum, const Equation& e, const Analysis& analysis) {
  if (analysis.target.device != "cuda") return false;
  auto *left = tensorSeen(operandsOf(einsum)[0], analysis.traced),
       *right = tensorSeen(operandsOf(einsum)[1], analysis.traced);
  if (!left || !right || left->dtype != right->dtype || !c10::isFloatingType(left->dtype)) return false;
  if (!isRowDtype(left->dtype) || isExpanded(*left) || isExpanded(*right)) return false;
  if (operandsOf(einsum)[0] == operandsOf(einsum)[1] ||
      std::max(e.left.size(), e.right.size()) > kMostOfCopies)
    return false;
  for (std::size_t d = 0; d < e.left.size(); ++d)
    if (auto at = e.right.find(e.left[d]); at != std::string::npos && left->shape[d] != right->shape[at])
      return false;
  return std::max(denseBytes(*left), denseBytes(*right)) >= kSmallestCopy;
}

MadeRewrite productOfCopies(Node* einsum, const Equation& e, const TracedValues& traced) {
  MadeRewrite made;
  std::vector<Value*> parameters;
  made.roots = {einsum};
  auto pattern = patternOf({einsum->input(1)->node(), einsum}, {einsum->output()}, parameters);
  auto nameOf = [&](Value* v) { return parameterName(parameters, v); };
  const std::string left = nameOf(operandsOf(einsum)[0]), right = nameOf(operandsOf(einsum)[1]);
  auto a = matricesOf(operandsOf(einsum)[0], e.left, e.right, e, traced),
       b = matricesOf(operandsOf(einsum)[1], e.right, e.left, e, traced);
  std::string body;
  auto sizeOf = [](const std::string& name, std::size_t d) {
    return "torch.size(" + name + ", " + std::to_string(d) + ")";
  };
  for (std::size_t d = 0; d < e.left.size(); ++d)
    body += std::string("    size_") + e.left[d] + " = " + sizeOf(left, d) + "\n";
  for (std::size_t d = 0; d < e.right.size(); ++d) {
    const std::string size = std::string("size_") + e.right[d];
    if (hasLetter(e.left, e.right[d]))
      body += "    assert " + size + " == " + sizeOf(right, d) +
              ", \"kadvise specialised this module to operands of einsum that have equal sizes\"\n";
    else body += "    " + size + " = " + sizeOf(right, d) + "\n";
  }
  body += "    a = " + matrices(a, left) + "\n    b = " + matrices(b, right) + "\n";
  const std::string rows = a.summedLast ? "a" : "torch.transpose(a, 1, 2)",
                    columns = b.summedLast ? "torch.transpose(b, 1, 2)" : "b";
  const std::string have = a.groups.batch + a.groups.open + b.groups.open;
  body += "    y = torch.reshape(torch.bmm(" + rows + ", " + columns + "), [" + sizesOf(have, ", ", "") +
          "])\n" + "    return torch.permute(y, " + places(e.result, have) + ")\n";
  made.replacement = replacementOf(
      *pattern, body,
      {kLevelOfGenerated, Exactness::Reassociates, "", "one batched product of copies by generated kernels"});
  made.pattern = pattern;
  return made;
}

}  // namespace kadvise::graph
