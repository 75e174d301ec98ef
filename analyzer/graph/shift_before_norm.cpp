#include "analyzer/graph/shift_before_norm.h"

#include <algorithm>

#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_bias.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// A group norm, and what it reads: a convolution's bias, a number for each channel of each image, or both.
struct Shifted {
  Node* norm;
  Node* sum = nullptr;          // image + numbers, if there is one
  Value* numbers = nullptr;     // [N, C, 1, 1]
  Node* convolution = nullptr;  // with a bias, if there is one
};

const c10::Symbol kOurNorm = c10::Symbol::fromQualString("kadvise::group_norm");

bool isNorm(const Node* n) { return n->kind() == kOurNorm || n->kind() == jit::aten::group_norm; }

// A number for each channel of each of the images, or of all.
bool isOfChannels(const Value* v, const TracedValue& image, const TracedValues& traced) {
  auto t = isTensor(v) ? tensorOf(v, traced) : std::nullopt;
  if (!t || t->dtype != image.dtype || t->shape.size() != image.shape.size() || t->shape.size() < 3)
    return false;
  const bool isBatch = t->shape[0] == 1 || t->shape[0] == image.shape[0];
  return isBatch && t->shape[1] == image.shape[1] &&
         std::all_of(t->shape.begin() + 2, t->shape.end(), [](auto size) { return size == 1; });
}

// image + numbers, which of its operands the image is; nullopt for what is none.
std::optional<std::size_t> imageOf(const Node* n, const TracedValues& traced) {
  const auto scale =
      n->kind() == jit::aten::add && n->inputs().size() == 3 ? jit::toIValue(n->inputs()[2]) : std::nullopt;
  if (!scale || *scale != c10::IValue(1)) return std::nullopt;
  auto result = tensorOf(n->output(), traced);
  for (std::size_t i : {0, 1}) {
    auto image = result && isTensor(n->inputs()[i]) ? tensorOf(n->inputs()[i], traced) : std::nullopt;
    if (image && image->shape == result->shape && image->dtype == result->dtype &&
        isOfChannels(n->inputs()[1 - i], *image, traced))
      return i;
  }
  return std::nullopt;
}

// What alone reads the elements of a value, of the block.
bool isReadBy(const Value* v, const Node* reader) {
  auto* only = onlyReader(v);
  return only == reader && v->node()->owningBlock() == reader->owningBlock();
}

Shifted shiftedBy(Node* norm, const TracedValues& traced) {
  Shifted out{norm};
  Node* maker = norm->input(0)->node();
  Node* reader = norm;
  if (auto image = imageOf(maker, traced); image && isReadBy(maker->output(), norm)) {
    out.sum = reader = maker;
    out.numbers = maker->input(1 - *image);
    maker = maker->input(*image)->node();
  }
  auto pass = biasPassOf(maker, traced);
  if (pass && isReadBy(maker->output(), reader) && rowCostOf(maker, *pass, traced).kernels > 0)
    out.convolution = maker;
  return out;
}

std::vector<Node*> nodesOf(const Shifted& s) {
  std::vector<Node*> nodes;
  for (Node* n : {s.convolution, s.sum, s.norm})
    if (n) nodes.push_back(n);
  return nodes;
}

// Of several channels: where a group is one, the norm takes out what is added to it. And of more than one
// pixel: else it is not known which of two summands is the image.
bool isOfSeveralChannels(const Node* norm, const TracedValues& traced) {
  auto image = tensorOf(norm->inputs()[0], traced);
  auto groups = constantInt(argumentNamed(norm, norm->kind() == kOurNorm ? "groups" : "num_groups"));
  const bool isImage = image && image->shape.size() > 2 && image->shape[0] > 0 && image->shape[1] > 0;
  return isImage && groups && *groups != image->shape[1] &&
         elements(*image) > static_cast<double>(image->shape[0] * image->shape[1]);
}

MadeRewrite taken(const Shifted& s) {
  MadeRewrite made;
  std::vector<Value*> parameters, outputs = {s.norm->output()};
  made.roots = {s.norm};
  for (Node* n : {s.sum, s.convolution}) {  // for who asks for their sizes
    if (!n) continue;
    made.roots.push_back(n);
    outputs.push_back(n->output());
  }
  auto pattern = patternOf(nodesOf(s), outputs, parameters);
  Value* const added = s.sum ? s.sum->input(s.sum->input(0) == s.numbers ? 1 : 0) : nullptr;
  auto nameOf = [&](const Value* v) -> std::string {
    if (s.convolution && v == s.convolution->output()) return "y";
    if (s.sum && v == s.sum->output()) return s.convolution ? "y" : parameterName(parameters, added);
    return parameterName(parameters, v);
  };
  std::string body, shift;
  auto add = [&](const std::string& more) {
    shift = shift.empty() ? more : "torch.add(" + shift + ", " + more + ")";
  };
  if (Value* before = argumentNamed(s.norm, "shift"); !isNone(before)) add(nameOf(before));
  if (s.sum) add("torch.flatten(" + nameOf(s.numbers) + ", 1, -1)");
  if (s.convolution) {
    body = "    y = " + callWithoutBias(s.convolution, nameOf) + "\n";
    add(nameOf(argumentNamed(s.convolution, "bias")));
  }
  body += "    return " + callWith(s.norm, "shift", shift, nameOf);
  for (Node* n : {s.sum, s.convolution})
    if (n) body += ", " + nameOf(n->output());
  made.replacement =
      replacementOf(*pattern, body + "\n", {1, Exactness::Reassociates, "", "what is added within the norm"});
  made.pattern = pattern;
  return made;
}

std::string messageOf(const Shifted& s) {
  const std::string what = !s.sum           ? "the convolution's bias takes"
                           : !s.convolution ? "what is added to each channel takes"
                                            : "the convolution's bias and what is added to each channel take";
  return what + " a pass over the image, and the group norm behind can take it along";
}

}  // namespace

CodedResult findShiftsBeforeNorms(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (!isNorm(n) || !isOfSeveralChannels(n, analysis.traced)) return;
    const Shifted shifted = shiftedBy(n, analysis.traced);
    if (!shifted.sum && !shifted.convolution) return;
    auto image = tensorOf(n->input(0), analysis.traced);
    const bool isLast = layoutOf(*image) == ImageLayout::Last || layoutOf(*image) == ImageLayout::Both;
    if (analysis.taken.count(n)) {  // for an operator that takes it along; of a layout to come others know
      for (Node* each : nodesOf(shifted))
        if (isLast) out.kept.push_back(each);
      out.looksAgain = true;
      return;
    }
    if (n->kind() != kOurNorm) return;
    if (!isLast) {
      out.refused.push_back(
          {n, {"the image", "lies in memory with channels first, where the norm adds in a pass of its own"}});
      return;
    }
    CodedFinding f;
    f.node = n;
    f.message = messageOf(shifted);
    for (Node* each : {shifted.sum, shifted.convolution})
      if (each) f.related.push_back(each);
    f.rewrite = taken(shifted);
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty() && out.refused.empty() && !out.looksAgain)
    out.whyNothing =
        "no kadvise::group_norm over several channels alone reads a convolution with a bias, or an image "
        "to which a number for each channel is added";
  return out;
}

}  // namespace kadvise::graph
