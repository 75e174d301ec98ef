#include "analyzer/graph/odd_widths.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/tensors.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// Tensor cores are fed by loads of 16 bytes.
constexpr std::int64_t kLanes = 8;
// Below, what is padded would be a large part of the work.
constexpr std::int64_t kSmallWidth = 64;

// A product, and the results and features that its weight lacks for widths that are multiples of kLanes.
struct Product {
  Node* node;
  Value *x, *weight, *bias;  // bias: nullptr for none
  std::int64_t results, features;
  std::int64_t missingResults, missingFeatures;
};

std::int64_t missing(std::int64_t width) { return (kLanes - width % kLanes) % kLanes; }

std::optional<Product> oddProduct(Node* n, const TracedValues& traced) {
  if (n->kind() != jit::aten::linear || n->inputs().size() != 3) return std::nullopt;
  auto weight = tensorOf(n->input(1), traced);
  if (!weight || weight->shape.size() != 2 || (weight->dtype != at::kHalf && weight->dtype != at::kBFloat16))
    return std::nullopt;
  std::int64_t results = weight->shape[0], features = weight->shape[1];
  bool large = results > kSmallWidth && features > kSmallWidth;
  if (!large || (missing(results) == 0 && missing(features) == 0)) return std::nullopt;
  return Product{n,       n->input(0), n->input(1),      isNone(n->input(2)) ? nullptr : n->input(2),
                 results, features,    missing(results), missing(features)};
}

std::string messageOf(const Product& p) {
  std::string widths;
  if (p.missingResults != 0) widths = std::to_string(p.results) + " results";
  if (p.missingFeatures != 0)
    widths += (widths.empty() ? "" : " from ") + std::to_string(p.features) + " features";
  return "a product of " + widths +
         ", no multiple of 8: in 16 bits its rows do not start at 16-byte boundaries, and it takes a slower "
         "kernel";
}

// Why the weights cannot be padded once; nullopt where they can.
std::optional<Mismatch> whyNotPadded(const Product& p, const TracedValues& traced) {
  auto x = tensorOf(p.x, traced), weight = tensorOf(p.weight, traced);
  auto bias = p.bias ? tensorOf(p.bias, traced) : std::nullopt;
  if (!attributePath(p.weight) || (p.bias && !attributePath(p.bias)))
    return Mismatch{valueWords(p.weight), "is computed by the module, so that it cannot be padded once"};
  bool alike = x && x->dtype == weight->dtype && (!p.bias || (bias && bias->dtype == weight->dtype));
  if (!alike) return Mismatch{valueWords(p.x), "has another dtype than the weight, or was not seen"};
  if (p.bias && bias->shape != std::vector<std::int64_t>{p.results})
    return Mismatch{valueWords(p.bias), "is not one row of the result"};
  return std::nullopt;
}

MadeRewrite padded(const Product& p) {
  MadeRewrite made;
  std::vector<Value*> parameters;
  made.roots = {p.node};
  auto pattern = patternOf(made.roots, {p.node->output()}, parameters);
  auto nameOf = [&](Value* v) { return parameterName(parameters, v); };
  auto pad = [](const std::string& tensor, const std::vector<std::int64_t>& behind) {
    std::string list;
    for (auto m : behind) list += (list.empty() ? "0, " : ", 0, ") + std::to_string(m);
    return "torch.constant_pad_nd(" + tensor + ", [" + list + "])";
  };
  std::string x = p.missingFeatures ? pad(nameOf(p.x), {p.missingFeatures}) : nameOf(p.x);
  std::string weight = pad(nameOf(p.weight), {p.missingFeatures, p.missingResults});
  std::string bias = !p.bias                 ? "None"
                     : p.missingResults != 0 ? pad(nameOf(p.bias), {p.missingResults})
                                             : nameOf(p.bias);
  std::string body = "    y = torch.linear(" + x + ", " + weight + ", " + bias + ")\n";
  body += p.missingResults ? "    return torch.slice(y, -1, 0, " + std::to_string(p.results) + ", 1)\n"
                           : "    return y\n";
  made.replacement =
      replacementOf(*pattern, body, {1, Exactness::Reassociates, "", "the product with weights padded once"});
  made.pattern = pattern;
  return made;
}

}  // namespace

CodedResult findOddWidths(const RulePage& page, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    auto product = oddProduct(n, analysis.traced);
    if (!product) return;
    CodedFinding f;
    f.node = n;
    f.message = messageOf(*product);
    f.breaks = page.nodes.breaks;
    auto why = whyNotPadded(*product, analysis.traced);
    // What a CPU's library does with odd widths is its own affair.
    if (analysis.target.device == "cuda" && !why) f.rewrite = padded(*product);
    if (analysis.target.device == "cuda" && why) out.refused.push_back({n, *why});
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty())
    out.whyNothing =
        "no 16-bit product has a weight of more than 64 by 64 with a width that is no multiple of 8";
  return out;
}

}  // namespace kadvise::graph
