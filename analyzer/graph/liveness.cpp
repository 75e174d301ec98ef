#include "analyzer/graph/liveness.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Block;
using jit::Node;
using jit::Value;

using Pieces = std::vector<std::size_t>;  // activations behind a value, a list having several

// A size that was read from a tensor does not keep it alive; a list of tensors does.
bool mayHoldTensors(const Value* v) {
  if (isTensor(v)) return true;
  auto inner = v->type()->containedTypes();
  return std::any_of(inner.begin(), inner.end(),
                     [](auto& t) { return t->isSubtypeOf(*c10::TensorType::get()); });
}

struct Sweep {
  const TracedValues& traced;
  Liveness out;
  std::unordered_map<const Value*, Pieces> behind;

  Pieces of(const Value* v) const {
    auto it = behind.find(v);
    return it == behind.end() ? Pieces() : it->second;
  }

  void share(const Value* v, const Pieces& pieces) {
    if (!mayHoldTensors(v)) return;
    auto& mine = behind[v];
    for (auto p : pieces)
      if (std::find(mine.begin(), mine.end(), p) == mine.end()) mine.push_back(p);
  }

  void use(const Value* v, const Node* user, int at) {
    for (auto p : of(v)) {
      auto& a = out.activations[p];
      if (at >= a.lastUse) a.lastUse = at, a.lastUser = user;
    }
  }

  void allocate(const Value* v, int at) {
    auto t = tensorOf(v, traced);
    if (!t || denseBytes(*t) == 0) return;
    behind[v] = {out.activations.size()};
    out.activations.push_back({v, denseBytes(*t), at, at, v->node()});
  }

  void block(const Block* b) {
    for (const Node* n : b->nodes()) {
      // What a loop or an if is given is alive inside it.
      for (const Block* inner : n->blocks()) enter(n, inner);
      int at = static_cast<int>(out.order.size());
      out.order.push_back(n);
      for (const Value* in : n->inputs()) use(in, n, at);
      if (n->blocks().empty()) results(n, at);
    }
  }

  void enter(const Node* n, const Block* inner) {
    if (n->kind() == jit::prim::Loop)
      for (std::size_t i = 1; i < inner->inputs().size() && i + 1 < n->inputs().size(); ++i)
        share(inner->inputs()[i], of(n->input(i + 1)));
    std::size_t outside = out.activations.size();
    int begin = static_cast<int>(out.order.size());
    block(inner);
    int end = static_cast<int>(out.order.size());
    // The next turn of the loop reads what came from outside once more.
    for (std::size_t p = 0; n->kind() == jit::prim::Loop && p < outside; ++p)
      if (auto& a = out.activations[p]; a.lastUse >= begin) a.lastUse = end, a.lastUser = n;
    std::size_t first = n->kind() == jit::prim::Loop ? 1 : 0;  // a loop's first result is whether it goes on
    for (std::size_t i = 0; i < n->outputs().size() && i + first < inner->outputs().size(); ++i) {
      auto* result = inner->outputs()[i + first];
      use(result, n, end);
      share(n->output(i), of(result));
    }
  }

  void results(const Node* n, int at) {
    auto kind = kindOf(n).kind;
    bool container = kind == OperatorKind::Free;
    for (const Value* v : n->outputs()) {
      if (container) {
        for (const Value* in : n->inputs()) share(v, of(in));
      } else if (overlapOf(n, traced) != Overlap::Own) {
        share(v, of(n->input(0)));
      } else {
        allocate(v, at);
      }
    }
  }

  void finish(const jit::Graph& graph) {
    int end = static_cast<int>(out.order.size());
    for (const Value* result : graph.outputs())
      for (auto p : of(result)) out.activations[p].lastUse = end, out.activations[p].lastUser = nullptr;
    std::vector<double> change(out.order.size() + 2, 0);
    for (auto& a : out.activations) {
      change[static_cast<std::size_t>(a.born)] += a.bytes;
      change[static_cast<std::size_t>(a.lastUse) + 1] -= a.bytes;
    }
    double alive = 0;
    for (std::size_t i = 0; i < out.order.size(); ++i) {
      alive += change[i];
      if (alive > out.peakBytes) out.peakBytes = alive, out.peakAt = static_cast<int>(i);
    }
  }
};

}  // namespace

std::vector<const Activation*> Liveness::atPeak() const {
  std::vector<const Activation*> alive;
  for (auto& a : activations)
    if (a.born <= peakAt && peakAt <= a.lastUse) alive.push_back(&a);
  std::stable_sort(alive.begin(), alive.end(), [](auto* a, auto* b) { return a->bytes > b->bytes; });
  return alive;
}

Liveness livenessOf(jit::Graph& graph, const TracedValues& traced) {
  Sweep sweep{traced, {}, {}};
  for (const Value* in : graph.inputs())
    if (auto t = tensorOf(in, traced)) sweep.out.inputBytes += bytesOf(*t);
  sweep.block(graph.block());
  sweep.finish(graph);
  return std::move(sweep.out);
}

}  // namespace kadvise::graph
