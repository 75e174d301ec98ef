#include "analyzer/graph/flops.h"

#include <algorithm>
#include <map>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;

std::optional<TracedValue> operand(const Node* n, std::size_t i, const TracedValues& traced) {
  return i < n->inputs().size() ? tensorOf(n->input(i), traced) : std::nullopt;
}

double size(const TracedValue& v, int dim) {
  int rank = static_cast<int>(v.shape.size()), at = dim < 0 ? rank + dim : dim;
  return at >= 0 && at < rank ? static_cast<double>(v.shape[static_cast<std::size_t>(at)]) : 1;
}

double largest(const Node* n, const TracedValues& traced) {
  double most = 0;
  auto consider = [&](const jit::Value* v) {
    if (auto t = tensorOf(v, traced)) most = std::max(most, elements(*t));
  };
  for (auto* v : tensorInputs(n)) consider(v);
  for (auto* v : tensorsIn(n->outputs())) consider(v);
  return most;
}

// "bhid,bhjd->bhij": one multiply and one add for each combination of all letters. With more than two
// operands that is what the worst order would take, so nothing is said then.
double flopsOfEinsum(const Node* n, const TracedValues& traced) {
  auto equation = jit::toIValue(n->input(0));
  auto operands = tensorInputs(n);
  if (!equation || !equation->isString() || operands.size() > 2) return 0;
  std::map<char, double> sizes;
  std::size_t which = 0, dim = 0;
  for (char c : equation->toStringRef()) {
    if (c == '-') break;
    if (c == ',') ++which, dim = 0;
    if (!std::isalpha(static_cast<unsigned char>(c))) {
      if (c == '.') return 0;  // an ellipsis: which dimensions it stands for depends on the operands
      continue;
    }
    auto t = which < operands.size() ? tensorOf(operands[which], traced) : std::nullopt;
    if (!t || dim >= t->shape.size()) return 0;
    sizes[c] = static_cast<double>(t->shape[dim++]);
  }
  double product = 2;
  for (auto& [letter, count] : sizes) product *= count;
  return product;
}

// Each result element is a sum over the last dimension of the left operand.
double flopsOfMatMul(const Node* n, const TracedValues& traced) {
  auto kind = n->kind();
  if (kind == jit::aten::einsum) return flopsOfEinsum(n, traced);
  bool addsTo = kind == jit::aten::addmm || kind == jit::aten::baddbmm || kind == jit::aten::addmv ||
                kind == c10::Symbol::aten("_addmm_activation");
  auto left = operand(n, addsTo ? 1 : 0, traced);
  auto out = tensorOf(n->output(0), traced);
  if (!left || !out) return 0;
  double flops = 2 * elements(*out) * size(*left, -1);
  bool bias = addsTo || (kind == jit::aten::linear && operand(n, 2, traced));
  return flops + (bias ? elements(*out) : 0);
}

bool isTransposed(const Node* n) {
  if (std::string_view(n->kind().toQualString()).find("conv_transpose") != std::string_view::npos)
    return true;
  bool general = n->kind() == jit::aten::_convolution || n->kind() == c10::Symbol::aten("convolution");
  auto flag = general && n->inputs().size() > 6 ? jit::toIValue(n->input(6)) : std::nullopt;
  return flag && flag->isBool() && flag->toBool();
}

// weight is [out, in / groups, …]; of a transposed convolution [in, out / groups, …], where each input
// element is multiplied with the weights of its channel.
double flopsOfConvolution(const Node* n, const TracedValues& traced) {
  auto in = operand(n, 0, traced), weight = operand(n, 1, traced), out = tensorOf(n->output(0), traced);
  if (!in || !weight || !out || size(*weight, 0) == 0) return 0;
  double perElement = 2 * elements(*weight) / size(*weight, 0);
  double bias = operand(n, 2, traced) ? elements(*out) : 0;
  return perElement * elements(isTransposed(n) ? *in : *out) + bias;
}

// Scores and their product with the values; a causal mask leaves half of them.
double flopsOfAttention(const Node* n, const TracedValues& traced) {
  auto q = operand(n, 0, traced), k = operand(n, 1, traced), v = operand(n, 2, traced);
  if (!q || !k || !v) return 0;
  constexpr double kSoftmax = 5;
  double rows = elements(*q) / std::max(1.0, size(*q, -1));
  double flops = rows * size(*k, -2) * (2 * size(*q, -1) + kSoftmax + 2 * size(*v, -1));
  auto causal = n->inputs().size() > 5 && n->kind() == c10::Symbol::aten("scaled_dot_product_attention")
                    ? jit::toIValue(n->input(5))
                    : std::nullopt;
  return causal && causal->isBool() && causal->toBool() ? flops / 2 : flops;
}

// Every weight matrix meets every step of every sequence once.
double flopsOfRecurrent(const Node* n, const TracedValues& traced) {
  auto input = operand(n, 0, traced);
  if (!input) return 0;
  double steps = elements(*input) / std::max(1.0, size(*input, -1)), weights = 0;
  for (auto* v : tensorInputs(n)) {
    auto t = tensorOf(v, traced);
    if (t && t->shape.size() == 2 && v != n->input(0)) weights += elements(*t);
  }
  // A script keeps them in a list, which freezing makes a constant of.
  for (auto* v : n->inputs()) {
    auto list = v->node()->kind() == jit::prim::Constant ? jit::toIValue(v) : std::nullopt;
    if (!list || !list->isTensorList()) continue;
    for (const at::Tensor& t : list->toTensorVector())
      if (t.dim() == 2) weights += static_cast<double>(t.numel());
  }
  return 2 * steps * weights;
}

}  // namespace

double flopsOf(const Node* n, OperatorCost what, const TracedValues& traced) {
  switch (what.kind) {
    case OperatorKind::MatMul:
      return flopsOfMatMul(n, traced);
    case OperatorKind::Convolution:
      return flopsOfConvolution(n, traced);
    case OperatorKind::Attention:
      return flopsOfAttention(n, traced);
    case OperatorKind::Recurrent:
      return flopsOfRecurrent(n, traced);
    default:
      return what.flopsPerElement > 0 ? what.flopsPerElement * largest(n, traced) : 0;
  }
}

}  // namespace kadvise::graph
