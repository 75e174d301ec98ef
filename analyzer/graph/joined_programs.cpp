#include "analyzer/graph/joined_programs.h"

#include <numeric>
#include <unordered_set>

#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/program_calls.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/split_dimension.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
using Order = std::vector<std::size_t>;  // of each dimension: which one of the first program's it is

// Two programs, and how the second sees the result of the first.
struct Pair {
  ProgramCall first, second;
  std::size_t input;  // of the second: the result of the first
  Order order;
  std::vector<Node*> views;             // on the way, in execution order
  std::optional<SplitDimension> split;  // by the last of them, which then is the only one
  bool isAsked = false;                 // of its sizes the first result is asked, too
};

Order inOrder(std::size_t rank) {
  Order out(rank);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

std::optional<Order> orderBehind(const std::vector<Node*>& views, std::size_t rank) {
  Order out = inOrder(rank);
  for (auto* view : views) {
    auto own = orderOfView(view, rank);
    if (!own) return std::nullopt;
    for (auto& dim : *own) dim = out.at(dim);
    out = *own;
  }
  return out;
}

// What the result of a program lies as: the first of its inputs that has all elements, or none, which is in
// the order of its dimensions.
enum class LiesAs { Input, InOrder, Unknown };

LiesAs liesAs(const ProgramCall& call, bool isTurned, const TracedValues& traced) {
  auto* result = traced.find(call.nodes.back()->output());
  if (call.text.isContiguous) return LiesAs::InOrder;
  for (auto* v : call.inputs) {
    auto* t = tensorSeen(v, traced);
    if (!t || !result) return LiesAs::Unknown;
    if (isExpanded(*t)) continue;
    if (t->shape == result->shape) return LiesAs::Input;
    // To be turned it is given all dimensions, and would say an order then.
    if (isTurned && elements(*t) == elements(*result)) return LiesAs::Unknown;
  }
  return LiesAs::InOrder;
}

// unflatten in two, as a program over groups reads images.
std::optional<SplitDimension> splitBy(Node* n, const TracedValues& traced) {
  auto image = n->kind() == jit::aten::unflatten ? tensorOf(n->input(0), traced) : std::nullopt;
  if (!image) return std::nullopt;
  const std::size_t rank = image->shape.size();
  auto dim = dimensionAt(n->input(1), rank);
  auto sizes = jit::toIValue(n->input(2));
  if (!dim || !sizes || !sizes->isIntList() || sizes->toIntList().size() != 2) return std::nullopt;
  const std::int64_t outer = sizes->toIntList().get(0), inner = sizes->toIntList().get(1);
  if (outer < 1 || inner < 1) return std::nullopt;
  return SplitDimension{rank, *dim, outer, inner};
}

// The result is to lie as the second alone would lay it out: as it is told, or as its first input lies that
// has all elements. Where that is in the order of its dimensions, the two are told so.
bool liesAsBefore(Pair& p, const TracedValues& traced) {
  if (p.second.text.isContiguous) return true;
  auto* result = traced.find(p.second.nodes.back()->output());
  if (p.split || !p.second.text.reduced.empty()) return p.second.text.isContiguous = isContiguous(*result);
  for (std::size_t i = 0; i < p.input; ++i)
    if (auto* t = traced.find(p.second.inputs[i]); !t || t->shape == result->shape) return false;
  const bool isTurned = p.order != inOrder(p.order.size());
  const auto first = liesAs(p.first, isTurned, traced);
  p.first.text.isContiguous = first == LiesAs::InOrder;
  return first == LiesAs::Input || (first == LiesAs::InOrder && !isTurned);
}

// Between programs others are stored as they are; the second would compute with what the first has of them.
bool isStoredAsFloat(const SimpleProgram& p) {
  return p.dtype == "float32" || p.dtype == "float16" || p.dtype == "bfloat16";
}

bool isAskedByOthers(const Value* v) { return onlyReading(v) && !isReadOnce(v); }

// Computed of the module's own tensors and constants alone, so that it has the same sizes in every call.
bool isOfModule(Value* v) {
  std::vector<Value*> waiting = {v};
  std::unordered_set<Value*> seen;
  while (!waiting.empty()) {
    Value* next = waiting.back();
    waiting.pop_back();
    if (attributePath(next) || !seen.insert(next).second) continue;
    Node* n = next->node();
    if (n->kind() == jit::prim::Param || !n->blocks().empty()) return false;
    waiting.insert(waiting.end(), n->inputs().begin(), n->inputs().end());
  }
  return true;
}

// Where others ask the first result for its sizes they ask the second's instead: nothing else that it reads
// may have more. Those of groups' weights are no more than unflatten found.
bool hasSizesOfFirst(const Pair& p, const TracedValues& traced) {
  for (std::size_t i = 0; i < p.second.inputs.size(); ++i) {
    if (i == p.input) continue;
    auto seen = isOfModule(p.second.inputs[i]) ? tensorOf(p.second.inputs[i], traced) : std::nullopt;
    if (!seen) return false;
    for (std::size_t d = 0, missing = static_cast<std::size_t>(p.second.text.rank) - seen->shape.size();
         d < seen->shape.size(); ++d) {
      const bool isSplit = p.split && (d + missing == p.split->dim || d + missing == p.split->dim + 1);
      if (seen->shape[d] != 1 && !isSplit) return false;
    }
  }
  return true;
}

std::optional<Pair> pairBefore(Node* item, const TracedValues& traced) {
  auto second = programCallOf(item, traced);
  auto* result = second ? traced.find(item->output()) : nullptr;
  if (!result || result->shape.size() != static_cast<std::size_t>(second->text.rank)) return std::nullopt;
  for (std::size_t i = 0; i < second->inputs.size(); ++i) {
    Value* v = second->inputs[i];
    auto* read = traced.find(v);
    if (!read || read->shape != result->shape) continue;
    Pair p{{}, *second, i, {}, {}, {}};
    if (isReadOnce(v)) p.split = splitBy(v->node(), traced);
    if (p.split) {
      p.views = {v->node()};
      v = v->node()->input(0);
    }
    while (!p.split && isReadOnce(v) &&
           (v->node()->kind() == jit::aten::permute || v->node()->kind() == jit::aten::transpose)) {
      p.views.insert(p.views.begin(), v->node());
      v = v->node()->input(0);
    }
    p.isAsked = isAskedByOthers(v) && hasSizesOfFirst(p, traced);
    bool isForSecond = v->node()->owningBlock() == item->owningBlock() && (p.isAsked || isReadOnce(v));
    auto first = isForSecond ? programCallOf(v->node(), traced) : std::nullopt;
    const int rank = second->text.rank - (p.split ? 1 : 0);
    if (!first || !isStoredAsFloat(first->text) || first->text.rank != rank ||
        first->inputs.size() + second->inputs.size() - 1 > kMostInputsOfProgram ||
        (p.isAsked && first->text.dtype != second->text.dtype))
      continue;
    p.first = *first;
    // A reduction goes over the sizes of its own operand, whatever the second reads besides; two would be in
    // each other's way, and dimensions are named in the order of the first.
    if (!first->text.reduced.empty() && (!p.second.text.reduced.empty() || !p.views.empty())) continue;
    auto order = p.split ? inOrder(p.split->rank) : orderBehind(p.views, result->shape.size());
    if (!order) continue;
    p.order = *order;
    if (liesAsBefore(p, traced)) return p;
  }
  return std::nullopt;
}

std::string listOf(const Order& order) {
  std::string out;
  for (auto d : order) out += (out.empty() ? "" : ", ") + std::to_string(d);
  return out;
}

// An input of the first in the order in which the second sees its result; nullopt where its rank is unknown.
std::optional<std::string> turned(const std::string& name, const Value* v, const Order& order,
                                  const TracedValues& traced) {
  auto* seen = traced.find(v);
  if (!seen || seen->shape.size() > order.size()) return std::nullopt;
  if (order == inOrder(order.size()) || seen->shape.empty()) return name;
  std::string out = name;
  for (std::size_t d = seen->shape.size(); d < order.size(); ++d) out = "torch.unsqueeze(" + out + ", 0)";
  return "torch.permute(" + out + ", [" + listOf(order) + "])";
}

// The result r as who asks the first result for its sizes sees it.
std::string asked(const Pair& p) {
  if (p.split)
    return "torch.flatten(r, " + std::to_string(p.split->dim) + ", " + std::to_string(p.split->dim + 1) + ")";
  Order back(p.order.size());
  for (std::size_t d = 0; d < back.size(); ++d) back[p.order[d]] = d;
  return "torch.permute(r, [" + listOf(back) + "])";
}

std::optional<std::string> bodyOf(const Pair& p, const std::vector<Value*>& parameters,
                                  const TracedValues& traced) {
  std::string inputs;
  for (auto* v : p.first.inputs) {
    const std::string name = parameterName(parameters, v);
    auto input = p.split ? splitInput(name, v, *p.split, traced) : turned(name, v, p.order, traced);
    if (!input) return std::nullopt;
    inputs += (inputs.empty() ? "" : ", ") + *input;
  }
  for (std::size_t i = 0; i < p.second.inputs.size(); ++i)
    if (i != p.input) inputs += ", " + parameterName(parameters, p.second.inputs[i]);
  const auto text = textOf(composed(p.first.text, p.second.text, p.input));
  const std::string call = rowProgramCall(text, inputs) + "[0]";
  if (!p.isAsked) return "    return " + call + "\n";
  return "    r = " + call + "\n    return r, " + asked(p) + "\n";
}

std::optional<CodedFinding> findingAt(Node* item, const TracedValues& traced) {
  auto p = pairBefore(item, traced);
  if (!p) return std::nullopt;
  std::vector<Node*> nodes = p->first.nodes;
  for (auto* more : {&p->views, &p->second.nodes}) nodes.insert(nodes.end(), more->begin(), more->end());
  sortByPlace(nodes);
  MadeRewrite made;
  std::vector<Value*> results = {item->output()}, parameters;
  if (p->isAsked) results.push_back(p->first.nodes.back()->output());
  for (auto* v : results) made.roots.push_back(v->node());
  made.pattern = patternOf(nodes, results, parameters);
  auto body = bodyOf(*p, parameters, traced);
  if (!body) return std::nullopt;
  made.replacement =
      replacementOf(*made.pattern, *body,
                    {kLevelOfGenerated, Exactness::Reassociates, "", "one generated kernel for both"});
  CodedFinding f;
  f.node = item;
  f.message =
      isGeneratedCopy(item)
          ? "the result of a generated kernel is copied into another order, in which it could be written"
          : "a generated kernel reads what another has written for it alone";
  f.rewrite = std::move(made);
  return f;
}

}  // namespace

CodedResult findJoinedPrograms(const RulePage&, const Analysis& a) {
  CodedResult out;
  forEachNode(a.graph.block(), [&](Node* n) {
    auto f = findingAt(n, a.traced);
    if (f) out.findings.push_back(std::move(*f));
  });
  if (out.findings.empty())
    out.whyNothing = "no generated kernel reads what another has written for it alone";
  return out;
}

}  // namespace kadvise::graph
