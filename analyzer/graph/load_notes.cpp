#include "analyzer/graph/load_notes.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/scopes.h"

namespace kadvise::graph {
namespace {

// As a trace has torch.tensor([…]): moved, and detached.
bool isMadeOfNumbers(const jit::Value* v) {
  const jit::Node* n = v->node();
  while (n->kind() == jit::aten::to || n->kind() == jit::aten::lift_fresh) n = n->input(0)->node();
  return n->kind() == jit::prim::Constant;
}

bool isKnown(jit::Value* v) {
  auto* n = v->node();
  if (n->kind() != jit::prim::ListConstruct) return jit::toIValue(v).has_value();
  return std::all_of(n->inputs().begin(), n->inputs().end(), isKnown);
}

// Freezing makes constants of them, which no rule can tell from the module's own. Numbers without dimensions
// go with every launch.
bool isFoldedOnCpu(jit::Node* n) {
  bool isMade = isFactory(n) && constantDevice(n) == "cpu" && n->output()->hasUses();
  if (!isMade || !std::all_of(n->inputs().begin(), n->inputs().end(), isKnown)) return false;
  auto sizes = jit::toIValue(n->input(0));
  bool hasNoSizes =
      n->input(0)->node()->inputs().empty() && (!sizes || (sizes->isList() && sizes->toListRef().empty()));
  return !hasNoSizes;
}

}  // namespace

void noteLostMethods(const jit::Module& loaded, Notes& notes) {
  std::string lost;
  for (auto& m : loaded.get_methods())
    if (m.name() != "forward" && !m.name().starts_with("__")) lost += (lost.empty() ? "" : ", ") + m.name();
  if (!lost.empty())
    notes.push_back("an optimised module has forward alone: of the original's methods " + lost +
                    " would not come along");
}

void noteLostDetach(jit::Graph& graph, Notes& notes) {
  bool any = false;
  forEachNode(graph.block(), [&](jit::Node* n) {
    any = any || (n->kind() == jit::aten::detach && !isMadeOfNumbers(n->input(0)));
  });
  if (any)
    notes.push_back(
        "detach() is dropped, as torch.jit.freeze drops it: gradients would flow there, so call an optimised "
        "module without them");
}

void noteFoldedOnCpu(jit::Graph& graph, Notes& notes) {
  std::string places;
  forEachNode(graph.block(), [&](jit::Node* n) {
    if (!isFoldedOnCpu(n)) return;
    Location where = userLocation(n);
    std::string place = where.file.empty() ? where.scope : where.file + ":" + std::to_string(where.line);
    if (places.find(place) == std::string::npos) places += (places.empty() ? "" : ", ") + place;
  });
  if (!places.empty())
    notes.push_back(
        "tensors of numbers alone are made on the device \"cpu\", as a trace on a CPU writes it (" + places +
        "): they are constants here, but on a GPU the original would leave them on the host; trace it "
        "there, or keep them in buffers");
}

}  // namespace kadvise::graph
