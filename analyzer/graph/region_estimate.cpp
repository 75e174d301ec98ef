#include "analyzer/graph/region_estimate.h"

#include <algorithm>

#include "analyzer/graph/condition.h"
#include "analyzer/graph/cost.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/shadow_run.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Module;
using jit::Node;
using jit::Value;

using Shadows = std::map<std::string, c10::IValue>;  // attribute -> a tensor without data

c10::IValue emptyLike(const at::Tensor& t) {
  return at::empty(t.sizes(), at::TensorOptions().dtype(t.scalar_type()).device(at::kMeta));
}

// A copy whose values have names, so that a run in the shadow can be looked up.
struct Numbered {
  std::shared_ptr<Graph> graph;
  TracedValues traced;
};

Numbered runInShadow(const Graph& given, const Shadows& attributes, const std::vector<c10::IValue>& inputs) {
  Numbered out{const_cast<Graph&>(given).copy(), {}};
  int id = 0;
  Known known;
  forEachNode(out.graph->block(), [&](Node* n) {
    setNodeId(n, id++);
    if (n->kind() != jit::prim::GetAttr) return;
    auto attribute = attributes.find(n->s(jit::attr::name));
    if (attribute != attributes.end()) known[n->output()] = attribute->second;
  });
  for (std::size_t i = 0; i < inputs.size(); ++i) known[out.graph->inputs()[i + 1]] = inputs[i];
  out.traced = shadowRun(*out.graph, std::move(known));
  return out;
}

// Weights that are folded when the module is written have no shape before that: the folding says which.
void addFolded(const Module& module, const std::vector<c10::IValue>& noInputs, Shadows& attributes) {
  auto method = module.find_method(kFoldMethod);
  if (!method) return;
  auto run = runInShadow(*method->graph(), attributes, noInputs);
  for (const Node* n : run.graph->nodes()) {
    if (n->kind() != jit::prim::SetAttr) continue;
    auto t = tensorOf(n->input(1), run.traced);
    if (t)
      attributes[n->s(jit::attr::name)] =
          at::empty(t->shape, at::TensorOptions().dtype(t->dtype).device(at::kMeta));
    else attributes.erase(n->s(jit::attr::name));
  }
}

bool allShapesKnown(const Graph& graph, const TracedValues& traced) {
  for (const Node* n : graph.nodes()) {
    auto out = n->outputs();
    // What a replacement asks of its operands before it computes takes no time of the GPU.
    if (!n->blocks().empty() && std::none_of(out.begin(), out.end(), isTensor)) continue;
    if (!n->blocks().empty()) return false;
    if (kindOf(n).kind == OperatorKind::Free) continue;
    for (const Value* v : n->outputs())
      if (isTensor(v) && !tensorOf(v, traced)) return false;
  }
  return true;
}

std::optional<GraphCost> costOfSide(const Module& module, const std::vector<c10::IValue>& inputs,
                                    const Gpu& gpu) {
  Shadows attributes;
  for (const auto& b : module.named_buffers(false)) attributes[b.name] = emptyLike(b.value);
  addFolded(module, {}, attributes);
  auto run = runInShadow(*module.get_method("forward").graph(), attributes, inputs);
  if (!allShapesKnown(*run.graph, run.traced)) return std::nullopt;
  auto cost = costOf(*run.graph, run.traced, gpu);
  return cost.unknown.empty() ? std::optional(std::move(cost)) : std::nullopt;
}

}  // namespace

std::string basisFor(const Gpu& gpu) { return std::string("roofline estimate for ") + gpu.name; }

std::optional<Estimate> estimateOf(const RegionPair& pair, const TracedValues& traced, const Gpu& gpu) {
  std::vector<c10::IValue> shadows;
  for (const Value* v : pair.values) {
    auto shadow = withoutData(v, traced);
    if (!shadow) return std::nullopt;
    shadows.push_back(*shadow);
  }
  auto before = costOfSide(pair.before, shadows, gpu), after = costOfSide(pair.after, shadows, gpu);
  if (!before || !after || before->seconds <= 0) return std::nullopt;
  Estimate e;
  e.bytesSaved = before->total.bytes() - after->total.bytes();
  e.flops = after->total.flops;
  // A replacement that leaves nothing to do has no finite factor: its time is what it saves.
  e.speedup = after->seconds > 0 ? before->seconds / after->seconds : std::numeric_limits<double>::infinity();
  e.savedUs = (before->seconds - after->seconds) * 1e6;
  e.basis = basisFor(gpu);
  return e;
}

}  // namespace kadvise::graph
