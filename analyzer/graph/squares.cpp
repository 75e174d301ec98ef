#include "analyzer/graph/squares.h"

#include <algorithm>

#include "analyzer/graph/operator_traits.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// The dtype that the node is told to make.
std::optional<std::int64_t> dtypeArgument(Node* n) {
  auto* schema = n->maybeSchema();
  for (std::size_t i = 0; schema && i < n->inputs().size(); ++i)
    if (schema->arguments()[i].name() == "dtype") return constantInt(n->input(i));
  return std::nullopt;
}

// A number beside the tensor makes numbers of bools: x + 1, x * 0.5.
bool takesNumber(Node* n) {
  bool arithmetic = n->kind() == aten::add || n->kind() == aten::mul;
  if (!arithmetic || n->inputs().size() < 2) return false;
  auto kind = n->input(1)->type()->kind();
  return kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType;
}

// As far as the graph tells: of inputs and parameters it tells nothing.
bool isPerhapsBool(Value* v, int depth = 16) {
  Node* n = v->node();
  if (auto constant = jit::toIValue(v))
    return constant->isTensor() && constant->toTensor().defined() &&
           constant->toTensor().scalar_type() == at::kBool;
  if (has(n, OperatorTrait::MakesBool)) return true;
  if (has(n, OperatorTrait::MakesNumber) || takesNumber(n)) return false;
  if (auto dtype = dtypeArgument(n)) return *dtype == static_cast<std::int64_t>(at::kBool);
  if (depth == 0 || n->kind() == prim::Param || n->kind() == prim::GetAttr) return true;
  if (n->kind() == prim::If)
    return std::any_of(n->blocks().begin(), n->blocks().end(),
                       [&](auto* b) { return isPerhapsBool(b->outputs()[v->offset()], depth - 1); });
  if (!n->blocks().empty()) return true;  // what a loop carries may change its dtype
  // Views, copies and sums of bools are bools; one number among the operands, and the result is none.
  return std::all_of(n->inputs().begin(), n->inputs().end(),
                     [&](Value* in) { return !isTensor(in) || isPerhapsBool(in, depth - 1); });
}

void asPower(const Step& s, Node* n) {
  s.replace(n, s.insert(n, aten::pow, {n->input(0), s.constant(n, std::int64_t{2})})->output());
}

bool isSquare(Node* n) {
  return n->kind() == aten::mul && n->inputs().size() == 2 && n->input(0) == n->input(1) &&
         isTensor(n->input(0));
}

}  // namespace

void squareOnce(const Step& s, Node* n) {
  bool isSame = isSquare(n) && !isPerhapsBool(n->input(0));
  if (isSame || n->kind() == aten::square) asPower(s, n);
}

bool squareAsPower(const Step& s, Node* n, const std::function<bool(const Value*)>& isNumber) {
  if (!isSquare(n) || !isNumber(n->input(0))) return false;
  asPower(s, n);
  return true;
}

void squaresAsPowers(Graph& graph, const std::function<bool(const Value*)>& isNumber) {
  forEachStep(graph, [&](const Step& s, Node* n) { squareAsPower(s, n, isNumber); });
}

}  // namespace kadvise::graph
