#include "analyzer/graph/capture_tail.h"

#include <algorithm>
#include <unordered_set>

#include "analyzer/graph/capture_memory.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// A copy of it takes as long as a launch from the host, which waits for nobody while the graph runs.
constexpr std::int64_t kLargeResult = std::int64_t{8} << 20;
constexpr std::int64_t kWiderBy = 4;  // than what is multiplied, which is copied instead

at::Tensor weightOf(Value* v, const Analysis& a) {
  auto path = attributePath(v);
  auto weight = path && a.module ? attributeAt(*a.module, *path) : c10::IValue();
  return weight.isTensor() ? weight.toTensor() : at::Tensor();
}

// The weight of a product that is much wider than its rows; undefined for any other node.
at::Tensor wideWeight(Node* n, const Analysis& a) {
  auto* made = n->outputs().size() == 1 ? a.traced.find(n->output()) : nullptr;
  bool isLarge = made && kindOf(n).kind == OperatorKind::MatMul && bytesOf(*made) >= kLargeResult;
  bool isLinear = n->kind() == jit::aten::linear;
  if (!isLarge || !(isLinear || n->kind() == jit::aten::matmul)) return {};
  auto weight = weightOf(n->input(1), a);
  if (!weight.defined() || weight.dim() != 2) return {};
  std::int64_t into = weight.size(isLinear ? 1 : 0), out = weight.size(isLinear ? 0 : 1);
  return out >= kWiderBy * into ? weight : at::Tensor();
}

bool isReadBy(const std::vector<Node*>& nodes, const at::Tensor& weight, const Analysis& a) {
  auto isIt = [&](Value* v) {
    auto other = isTensor(v) ? weightOf(v, a) : at::Tensor();
    return other.defined() && other.is_alias_of(weight);
  };
  return std::any_of(nodes.begin(), nodes.end(), [&](Node* n) {
    auto read = readBy(n);
    return std::any_of(read.begin(), read.end(), isIt);
  });
}

bool looksOnly(Node* n) {
  return n->blocks().empty() && !launches(n) && isPure(n) && writtenValues(n).empty();
}

}  // namespace

void leaveLargeProduct(CapturePiece& piece, const Analysis& a) {
  auto body = piece.body;
  std::vector<Node*> tail;
  while (!body.empty() && looksOnly(body.back())) tail.push_back(body.back()), body.pop_back();
  if (body.empty()) return;
  Node* product = body.back();
  body.pop_back();
  auto weight = wideWeight(product, a);
  if (!weight.defined() || isReadBy(body, weight, a)) return;
  std::unordered_set<const Node*> inside(body.begin(), body.end());
  bool readsInside = std::any_of(tail.begin(), tail.end(), [&](Node* n) {
    return std::any_of(n->inputs().begin(), n->inputs().end(),
                       [&](Value* in) { return inside.count(topOf(in->node())) > 0; });
  });
  if (!readsInside) piece.body = body;
}

}  // namespace kadvise::graph
