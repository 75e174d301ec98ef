#include "analyzer/graph/cost.h"

#include <algorithm>

#include "analyzer/graph/flops.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool wasSeen(const Node* n, const TracedValues& traced) {
  auto outputs = n->outputs();
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const Value* v) { return tensorOf(v, traced) || traced.find(v); });
}

double bytesIn(const std::vector<const Value*>& values, const TracedValues& traced) {
  double bytes = 0;
  for (auto* v : values)
    if (auto t = tensorOf(v, traced)) bytes += bytesOf(*t);
  return bytes;
}

// A list of results has no sizes of its own: its pieces do.
double bytesOut(const Node* n, const TracedValues& traced) {
  double bytes = 0;
  for (const Value* v : n->outputs())
    if (auto t = tensorOf(v, traced)) bytes += denseBytes(*t);
  return bytes;
}

void addTraffic(const Node* n, OperatorKind kind, const TracedValues& traced, Cost& cost) {
  cost.bytesWritten = bytesOut(n, traced);
  auto inputs = tensorInputs(n);
  switch (kind) {
    case OperatorKind::Gather: {  // the rows it wants and the indices, whatever the size of the table
      auto table = inputs.empty() ? std::nullopt : tensorOf(inputs[0], traced);
      double whole = table ? bytesOf(*table) : 0;
      cost.bytesRead = bytesIn(inputs, traced) - whole + std::min(whole, cost.bytesWritten);
      return;
    }
    case OperatorKind::Scatter: {  // in place it touches what it is given, else it copies the target first
      if (overlapOf(n, traced) == Overlap::Shared && !inputs.empty()) {
        inputs.erase(inputs.begin());
        cost.bytesRead = bytesIn(inputs, traced);
        cost.bytesWritten = std::min(cost.bytesWritten, cost.bytesRead);
        return;
      }
      break;
    }
    case OperatorKind::Copy:  // copy_(target, source) does not read its target
      if (inputs.size() > 1) inputs.erase(inputs.begin());
      break;
    case OperatorKind::Unwritten:
      cost = {};
      return;
    default:
      break;
  }
  cost.bytesRead = bytesIn(inputs, traced);
}

Rate rateOf(const Node* n, OperatorKind kind, const TracedValues& traced) {
  auto out = n->outputs().empty() ? std::nullopt : tensorOf(n->output(0), traced);
  if (!out) return Rate::Fp32;
  if (out->dtype == at::kDouble || out->dtype == at::kComplexDouble) return Rate::Fp64;
  bool onTensorCores = kind == OperatorKind::MatMul || kind == OperatorKind::Convolution ||
                       kind == OperatorKind::Attention || kind == OperatorKind::Recurrent;
  if (!onTensorCores) return Rate::Fp32;
  if (elementBytes(*out) <= 2) return Rate::Fp16;
  // PyTorch's defaults: TF32 is on for convolutions, off for matrix products.
  return kind == OperatorKind::Convolution || kind == OperatorKind::Recurrent ? Rate::Tf32 : Rate::Fp32;
}

// Attention for which LibTorch has no fused kernel, since windows or frames are dimensions before the heads,
// or heads are broadcast: products in float32, and the scores once written and read by each of them and by
// softmax.
void addPlainAttention(const Node* n, const TracedValues& traced, Cost& cost) {
  if (n->kind() != c10::aten::scaled_dot_product_attention) return;
  auto q = tensorOf(n->input(0), traced), k = tensorOf(n->input(1), traced);
  if (!q || !k || q->shape.size() < 4 || k->shape.size() != q->shape.size()) return;
  auto tellsGroups = n->inputs().size() > 7 ? jit::toIValue(n->input(7)) : std::nullopt;
  bool broadcasts = q->shape[q->shape.size() - 3] != k->shape[k->shape.size() - 3] &&
                    !(tellsGroups && tellsGroups->isBool() && tellsGroups->toBool());
  if (q->shape.size() == 4 && !broadcasts) return;
  constexpr double kFloatBytes = 4, kPasses = 3, kKernels = 6;
  double scores = elements(*q) / std::max<double>(1, static_cast<double>(q->shape.back())) *
                  static_cast<double>(k->shape[k->shape.size() - 2]);
  cost.kernels = kKernels, cost.rate = Rate::Fp32;
  cost.bytesRead += kPasses * kFloatBytes * scores, cost.bytesWritten += kPasses * kFloatBytes * scores;
}

double peakOf(Rate rate, const Gpu& gpu) {
  switch (rate) {
    case Rate::Fp32:
      return gpu.fp32FlopPerSecond;
    case Rate::Tf32:
      return gpu.tf32FlopPerSecond;
    case Rate::Fp16:
      return gpu.fp16FlopPerSecond;
    case Rate::Fp64:
      return gpu.fp64FlopPerSecond;
  }
  return gpu.fp32FlopPerSecond;
}

// How often a loop's body runs: its bound, where the loop cannot end earlier.
std::optional<double> turnsOf(const Node* loop, const TracedValues& traced) {
  auto known = [&](const Value* v) -> std::optional<std::int64_t> {
    if (auto c = jit::toIValue(v); c && c->isInt()) return c->toInt();
    auto* t = traced.find(v);
    return t && t->kind == "int" && t->scalar.is_number_integer()
               ? std::optional(t->scalar.get<std::int64_t>())
               : std::nullopt;
  };
  auto goOn = jit::toIValue(loop->blocks()[0]->outputs()[0]);
  auto bound = known(loop->input(0));
  if (!bound || !goOn || !goOn->isBool() || !goOn->toBool()) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(*bound, 0));
}

Cost times(Cost c, double n) {
  c.bytesRead *= n, c.bytesWritten *= n, c.flops *= n, c.kernels *= n;
  return c;
}

struct Walk {
  const TracedValues& traced;
  const Gpu& gpu;
  GraphCost result;

  void block(const jit::Block* b, double runs) {
    for (const Node* n : b->nodes()) {
      double inner = runs;
      if (n->kind() == jit::prim::Loop) {
        auto turns = turnsOf(n, traced);
        if (!turns) ++result.loopsOfUnknownLength;
        inner = runs * turns.value_or(1);
      }
      for (const jit::Block* child : n->blocks()) block(child, inner);
      if (n->blocks().empty()) node(n, runs);
    }
  }

  void node(const Node* n, double runs) {
    Cost once = costOf(n, traced);
    if (!once.known) ++result.unknown[n->kind().toQualString()];
    if (once.kernels == 0) return;
    Cost all = times(once, runs);
    double seconds = secondsOf(once, gpu) * runs;
    result.nodes.push_back({n, all, seconds});
    result.total.bytesRead += all.bytesRead;
    result.total.bytesWritten += all.bytesWritten;
    result.total.flops += all.flops;
    result.total.kernels += all.kernels;
    result.seconds += seconds;
  }
};

}  // namespace

Cost costOf(const Node* n, const TracedValues& traced) {
  auto what = kindOf(n);
  if (what.kind == OperatorKind::Free || what.kind == OperatorKind::View ||
      what.kind == OperatorKind::Unwritten)
    return {};
  if (!wasSeen(n, traced)) return {};
  bool maybe = what.kind == OperatorKind::Reshape || what.kind == OperatorKind::Conversion;
  if (maybe && !isCopy(n, traced)) return {};
  Cost cost;
  cost.kernels = 1;
  cost.known = what.kind != OperatorKind::Unknown;
  cost.rate = rateOf(n, what.kind, traced);
  cost.flops = flopsOf(n, what, traced);
  addTraffic(n, what.kind, traced, cost);
  addPlainAttention(n, traced, cost);
  return cost;
}

double secondsOf(const Cost& c, const Gpu& gpu) {
  return std::max(c.bytes() / gpu.dramBytesPerSecond, c.flops / peakOf(c.rate, gpu)) +
         c.kernels * gpu.launchSeconds;
}

GraphCost costOf(jit::Graph& graph, const TracedValues& traced, const Gpu& gpu) {
  Walk walk{traced, gpu, {}};
  walk.block(graph.block(), 1);
  return std::move(walk.result);
}

}  // namespace kadvise::graph
