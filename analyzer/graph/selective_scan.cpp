#include "analyzer/graph/selective_scan.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/unrolled_scan.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// A pattern of more nodes would not be matched within its limit of steps.
constexpr std::size_t kMostNodes = 1500;

// What makes the zeros before the first time: sizes too, so that they fit generated inputs.
void addMakersOfZeros(Value* start, std::set<Node*>& found) {
  if (jit::toIValue(start)) return;
  std::vector<Node*> open = {start->node()};
  while (!open.empty()) {
    Node* n = open.back();
    open.pop_back();
    bool isNumber =
        n == start->node() || n->kind() == jit::prim::ListConstruct || n->kind() == jit::aten::size;
    if (!isNumber || !found.insert(n).second) continue;
    for (auto* in : n->inputs())
      if (!isTensor(in)) open.push_back(in->node());
  }
}

// What makes the decays of parameters, -exp(A_log) mostly: decays of any other sign would make states grow
// beyond all bounds, where the order of roundings decides which of them become NaN.
void addMakersOfDecays(Value* decays, std::set<Node*>& found) {
  std::set<Node*> chain;
  Value* v = decays;
  while (!attributePath(v)) {
    Node* n = v->node();
    auto tensors =
        std::count_if(n->inputs().begin(), n->inputs().end(), [](Value* in) { return isTensor(in); });
    if (tensors != 1 || !isTensor(n->input(0)) || !isPure(n)) return;
    chain.insert(n);
    v = n->input(0);
  }
  found.insert(chain.begin(), chain.end());
}

std::vector<Node*> makersOf(const UnrolledScan& scan) {
  std::set<Node*> found;
  addMakersOfZeros(scan.start, found);
  addMakersOfDecays(scan.A, found);
  std::vector<Node*> out(found.begin(), found.end());
  sortByPlace(out);
  return out;
}

std::string bodyOf(const UnrolledScan& scan, const std::vector<Value*>& parameters, c10::ScalarType wanted) {
  auto name = [&](Value* v) { return parameterName(parameters, v); };
  auto vector = [&](Value* v) { return v ? "torch.flatten(" + name(v) + ")" : std::string("None"); };
  auto steps = std::to_string(scan.steps);
  auto times = [&](Value* v) { return v ? name(v) + "[:, :, :" + steps + "]" : std::string("None"); };
  std::string B = "torch.transpose(torch.select(" + name(scan.B) + ", 1, 0), 1, 2)[:, :, :" + steps + "]";
  std::string C =
      scan.timesOfCLast ? times(scan.C) : "torch.transpose(" + name(scan.C) + ", 1, 2)[:, :, :" + steps + "]";
  std::string A = "torch.select(torch.select(" + name(scan.A) + ", 2, 0), 0, 0)";
  return "    y = ops.kadvise.selective_scan(" + times(scan.x) + ", " + times(scan.dt) + ", " + A + ", " + B +
         ", " + C + ", " + vector(scan.D) + ", " + times(scan.z) + ", " + vector(scan.bias) + ", " +
         (scan.softplus ? "True" : "False") + ")\n    return y.to(" +
         std::to_string(static_cast<int>(wanted)) + ")\n";
}

MadeRewrite inOneKernel(const UnrolledScan& scan, c10::ScalarType wanted) {
  MadeRewrite made;
  std::vector<Value*> parameters;
  made.roots = {scan.result->node()};
  made.makers.nodes = makersOf(scan);
  made.pattern = patternOf(scan.nodes, {scan.result}, parameters);
  auto replacement = replacementOf(*made.pattern, bodyOf(scan, parameters, wanted),
                                   {5, Exactness::Reassociates, "", "the recurrence in one kernel"});
  // select raises an error where there are fewer steps, and slice takes what there is.
  auto x = std::find(parameters.begin(), parameters.end(), scan.x) - parameters.begin();
  auto steps = std::to_string(scan.steps);
  Check enough{"at least " + steps + " steps of {p" + std::to_string(x) + "}", "v.size(2) >= " + steps};
  auto& graph = *replacement->graph;
  insertCheck(graph.inputs()[static_cast<std::size_t>(x)], enough, *graph.nodes().begin());
  made.replacement = replacement;
  return made;
}

// A value between that somebody else reads, the states at the end for instance.
Value* readElsewhere(const UnrolledScan& scan) {
  std::set<const Node*> inside(scan.nodes.begin(), scan.nodes.end());
  for (Node* n : scan.nodes) {
    for (Value* v : n->outputs()) {
      if (v == scan.result) continue;
      for (auto& use : v->uses())
        if (!inside.count(use.user)) return v;
    }
  }
  return nullptr;
}

void lookAt(Node* n, const Analysis& analysis, CodedResult& out) {
  auto scan = unrolledScanAt(n, analysis.traced);
  if (!scan) return;
  auto* result = analysis.traced.find(scan->result);
  auto why = scan->why;
  if (why.empty() && scan->nodes.size() > kMostNodes) why = "there are more steps than a pattern may have";
  if (why.empty() && readElsewhere(*scan))
    why = "a value between is used elsewhere: " + valueWords(readElsewhere(*scan));
  if (why.empty() && !result) why = "the dtype of the result is not known";
  if (why.empty() && jit::getAllOperatorsFor(c10::Symbol::fromQualString("kadvise::selective_scan")).empty())
    why = "libkadvise_kernels.so, which has the operator, is not loaded";
  if (!why.empty()) return out.refused.push_back({n, {"the recurrence:", why}});
  CodedFinding f;
  f.node = scan->result->node();
  f.message = "a state-space recurrence of " + std::to_string(scan->steps) + " steps, unrolled into " +
              std::to_string(scan->nodes.size()) + " operators, can be one kernel";
  f.rewrite = inOneKernel(*scan, result->dtype);
  out.findings.push_back(std::move(f));
}

}  // namespace

CodedResult findSelectiveScans(const RulePage& page, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (n->kind() == jit::aten::stack) lookAt(n, analysis, out);
  });
  for (auto& f : out.findings) f.breaks = page.nodes.breaks;
  if (out.findings.empty() && out.refused.empty())
    out.whyNothing = "the module has no unrolled recurrence of states";
  return out;
}

}  // namespace kadvise::graph
