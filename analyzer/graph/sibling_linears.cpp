#include "analyzer/graph/sibling_linears.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

// How a product names its operands, and along which dimension of the weight its results lie.
struct Form {
  c10::Symbol kind;
  std::size_t inputs;
  int x, weight, bias;  // -1: the form has none
  int resultDim;
};
const Form kForms[] = {
    {aten::linear, 3, 0, 1, 2, 0}, {aten::addmm, 5, 1, 2, 0, 1}, {aten::matmul, 2, 0, 1, -1, 1}};

struct Product {
  Node* node;
  const Form* form;
  Value *x, *weight, *bias;  // bias: nullptr for none
  std::int64_t width;        // of the result's last dimension
};

std::optional<Product> productOf(Node* n, const TracedValues& traced) {
  for (auto& f : kForms) {
    if (n->kind() != f.kind || n->inputs().size() != f.inputs) continue;
    auto at = [&](int i) { return n->input(static_cast<std::size_t>(i)); };
    Value* bias = f.bias < 0 || isNone(at(f.bias)) ? nullptr : at(f.bias);
    if (f.kind == aten::addmm && (constantInt(n->input(3)) != 1 || constantInt(n->input(4)) != 1))
      return std::nullopt;
    auto* shape = traced.find(at(f.weight));
    bool weights =
        attributePath(at(f.weight)) && (!bias || attributePath(bias)) && shape && shape->shape.size() == 2;
    if (!weights) return std::nullopt;
    auto width = shape->shape[static_cast<std::size_t>(f.resultDim)];
    auto* b = bias ? traced.find(bias) : nullptr;
    bool fits = b && b->shape == std::vector<std::int64_t>{width} &&
                b->dtype == shape->dtype;  // a shorter one is broadcast
    if (bias && !fits) return std::nullopt;
    return Product{n, &f, at(f.x), at(f.weight), bias, width};
  }
  return std::nullopt;
}

// A linear layer without a bias joins others that have one: its own is 0. addmm always has one, matmul none.
using Key = std::tuple<const Value*, const jit::Block*, const Form*, c10::ScalarType>;

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (auto& n : names) out += (out.empty() ? "" : ", ") + n;
  return "[" + out + "]";
}

MadeRewrite merge(const std::vector<Product>& group) {
  MadeRewrite made;
  std::vector<Value*> outputs, parameters;
  for (auto& p : group) made.roots.push_back(p.node), outputs.push_back(p.node->output());
  auto pattern = patternOf(made.roots, outputs, parameters);
  auto nameOf = [&](Value* v) { return parameterName(parameters, v); };
  std::vector<std::string> weights, biases, results;
  std::int64_t start = 0;
  bool hasBias = std::any_of(group.begin(), group.end(), [](auto& p) { return p.bias; });
  for (auto& p : group) {
    weights.push_back(nameOf(p.weight));
    if (hasBias)
      biases.push_back(p.bias ? nameOf(p.bias)
                              : "torch.zeros_like(torch.select(" + nameOf(p.weight) + ", 1, 0))");
    results.push_back("torch.slice(y, -1, " + std::to_string(start) + ", " + std::to_string(start + p.width) +
                      ", 1)");
    start += p.width;
  }
  auto& form = *group[0].form;
  std::string x = nameOf(group[0].x),
              w = "torch.cat(" + list(weights) + ", " + std::to_string(form.resultDim) + ")";
  std::string b = biases.empty() ? "None" : "torch.cat(" + list(biases) + ")";
  std::string call = form.kind == aten::linear  ? "torch.linear(" + x + ", " + w + ", " + b + ")"
                     : form.kind == aten::addmm ? "torch.addmm(" + b + ", " + x + ", " + w + ")"
                                                : "torch.matmul(" + x + ", " + w + ")";
  std::string body = "    y = " + call + "\n    return " + list(results).substr(1);
  body.pop_back();
  made.replacement = replacementOf(*pattern, body + "\n",
                                   {1, Exactness::Reassociates, "", "one product with the weights joined"});
  made.pattern = pattern;
  return made;
}

}  // namespace

CodedResult findSiblingLinears(const RulePage&, const Analysis& analysis) {
  std::map<Key, std::size_t> index;
  std::vector<std::vector<Product>> groups;  // in the order of their first product
  forEachNode(analysis.graph.block(), [&](Node* n) {
    auto p = productOf(n, analysis.traced);
    if (!p) return;
    Key key{p->x, n->owningBlock(), p->form, analysis.traced.find(p->weight)->dtype};
    auto [at, fresh] = index.emplace(key, groups.size());
    if (fresh) groups.emplace_back();
    auto& group = groups[at->second];
    // One layer called twice is one product too many, and joining it with itself makes that larger.
    auto path = attributePath(p->weight);
    if (std::none_of(group.begin(), group.end(), [&](auto& q) { return attributePath(q.weight) == path; }))
      group.push_back(*p);
  });
  CodedResult out;
  for (auto& group : groups) {
    if (group.size() < 2) continue;
    CodedFinding f;
    f.node = group[0].node;
    f.message = std::to_string(group.size()) +
                " products read the same input: with their weights joined they are one";
    for (std::size_t i = 1; i < group.size(); ++i) f.related.push_back(group[i].node);
    f.rewrite = merge(group);
    out.findings.push_back(std::move(f));
  }
  if (out.findings.empty()) out.whyNothing = "no two products with parameters read the same value";
  return out;
}

}  // namespace kadvise::graph
