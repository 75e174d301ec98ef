#include "analyzer/graph/fold_constants.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

constexpr std::string_view kMakesDimensions[] = {"aten::arange", "aten::linspace", "aten::eye",
                                                 "aten::tril",   "aten::triu",     "aten::unsqueeze"};
constexpr std::string_view kTakesSizes[] = {"aten::ones",  "aten::zeros", "aten::full",
                                            "aten::empty", "aten::rand",  "aten::randn"};
constexpr std::string_view kMovesToGpu[] = {"aten::cuda"};
// Of what they are given, less dimensions may be left.
constexpr std::string_view kMayDropDimensions[] = {
    "aten::select", "aten::squeeze", "aten::index",  "aten::sum", "aten::mean", "aten::max",
    "aten::min",    "aten::prod",    "aten::any",    "aten::all", "aten::norm", "aten::var",
    "aten::std",    "aten::argmax",  "aten::argmin", "aten::dot", "aten::view", "aten::reshape",
    "aten::matmul", "aten::einsum",  "aten::median"};

bool isNonEmptyList(Value* v) {
  if (v->node()->kind() == jit::prim::ListConstruct) return !v->node()->inputs().empty();
  auto list = jit::toIValue(v);
  return list && list->isIntList() && !list->toIntList().empty();
}

bool hasDimensions(Value* v) {
  Node* n = v->node();
  if (auto constant = jit::toIValue(v))
    return constant->isTensor() && constant->toTensor().defined() && constant->toTensor().dim() > 0;
  if (n->inputs().empty() || !n->blocks().empty() || isOneOf(kMayDropDimensions, n)) return false;
  if (n->kind() == aten::tensor) return n->input(0)->type()->kind() == c10::TypeKind::ListType;
  if (isOneOf(kMakesDimensions, n)) return true;
  if (isOneOf(kTakesSizes, n)) return isNonEmptyList(n->input(0));
  return std::any_of(n->inputs().begin(), n->inputs().end(),
                     [](Value* in) { return isTensor(in) && hasDimensions(in); });
}

bool isSecondOperand(const Value* v) {
  return std::any_of(v->uses().begin(), v->uses().end(), [](const jit::Use& use) {
    auto k = use.user->kind();
    return use.offset == 1 && (k == aten::add || k == aten::sub || k == aten::mul || k == aten::div);
  });
}

bool isMadeElsewhere(const Node* n) {
  const std::string device = constantDevice(n);
  return isOneOf(kMovesToGpu, n) || (!device.empty() && !device.starts_with("cpu"));
}

// Tensors that are constants already, and new ones that could become constants.
std::vector<Value*> constantTensors(jit::Graph& graph) {
  std::vector<Value*> out;
  std::unordered_set<const Value*> known;
  auto areKnown = [&](const auto& values) {
    return std::all_of(values.begin(), values.end(), [&](Value* v) { return known.count(v) != 0; });
  };
  forEachNode(graph.block(), [&](Node* n) {
    bool constant = areKnown(n->inputs()) && n->kind() != jit::prim::Loop &&
                    std::all_of(n->blocks().begin(), n->blocks().end(),
                                [&](jit::Block* b) { return areKnown(b->outputs()); });
    if (!constant) return;
    for (Value* v : n->outputs()) {
      known.insert(v);
      if (isFresh(v) || isMadeElsewhere(n) || (n->kind() == jit::prim::Constant && isTensor(v)))
        out.push_back(v);
    }
  });
  return out;
}

void fold(std::shared_ptr<jit::Graph> graph, HeldFrom held) {
  HeldTensors tensors(graph, held);
  jit::ConstantPropagation(graph);
  tensors.release(*graph);
}

}  // namespace

// What somebody seems to write to is neither folded nor merged.
HeldTensors::HeldTensors(const std::shared_ptr<jit::Graph>& graph, HeldFrom from)
    : mark_(std::make_shared<jit::Source>(std::string())) {
  auto tensors = constantTensors(*graph);
  if (tensors.empty()) return;
  jit::AliasDb aliases(graph);
  for (Value* v : tensors) {
    bool computed = v->node()->kind() != jit::prim::Constant;
    bool number = computed && isSecondOperand(v) && !hasDimensions(v);
    bool elsewhere = from == HeldFrom::Folding && isMadeElsewhere(v->node());
    if (!number && !elsewhere && !isAtHome(v->node()) && !aliases.escapesScope({v})) continue;
    Node* write = graph->create(aten::zero_, {v});
    write->insertAfter(v->node());
    write->setSourceRange(jit::SourceRange(mark_, 0, 0));
  }
}

void HeldTensors::release(jit::Graph& graph) const {
  forEachNode(graph.block(), [&](Node* n) {
    if (n->sourceRange().source() == mark_) n->destroy();
  });
}

void foldConstants(const std::shared_ptr<jit::Graph>& graph) { fold(graph, HeldFrom::Folding); }

void foldConstantsEverywhere(const std::shared_ptr<jit::Graph>& graph) { fold(graph, HeldFrom::Merging); }

void mergeEqual(const std::shared_ptr<jit::Graph>& graph) {
  HeldTensors held(graph, HeldFrom::Merging);
  jit::EliminateCommonSubexpression(graph);
  held.release(*graph);
}

}  // namespace kadvise::graph
