#include "analyzer/graph/size_arithmetic.h"

#include "analyzer/graph/step.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

struct Arithmetic {
  c10::Symbol tensors, numbers;
  bool isTurned = false;  // the second operand comes first
};
const Arithmetic kArithmetic[] = {{aten::mul, aten::mul},
                                  {aten::add, aten::add},
                                  {aten::sub, aten::sub},
                                  {aten::rsub, aten::sub, true},
                                  {aten::remainder, aten::remainder},
                                  {aten::floor_divide, aten::floordiv},
                                  {aten::div, aten::floordiv}};

// alpha of add and sub is 1, a quotient is rounded down, and the remainder is of a number that is not 0,
// which ends the process where that of tensors raises an error.
bool isPlain(Node* n) {
  if (n->kind() == aten::remainder) return constantInt(n->input(1)).value_or(0) != 0;
  if (n->kind() == aten::div) {
    auto mode = n->inputs().size() == 3 ? jit::toIValue(n->input(2)) : std::nullopt;
    return mode && mode->isString() && mode->toStringRef() == "floor";
  }
  return n->inputs().size() == 2 || (n->inputs().size() == 3 && constantInt(n->input(2)) == 1);
}

// The number that a tensor of no dimensions holds, computed with numbers; nullptr where it comes from
// elsewhere.
Value* numberIn(const Step& s, Value* v, int depth = 32) {
  Node* n = v->node();
  if (depth == 0) return nullptr;
  if (v->type()->kind() == c10::TypeKind::IntType) return v;
  if (auto constant = jit::toIValue(v)) {
    bool number = constant->isTensor() && constant->toTensor().dim() == 0 &&
                  constant->toTensor().scalar_type() == at::kLong;
    return number ? s.constant(n, constant->toTensor().item<std::int64_t>()) : nullptr;
  }
  if (n->kind() == prim::NumToTensor)
    return n->input()->type()->kind() == c10::TypeKind::IntType ? n->input() : nullptr;
  for (auto& a : kArithmetic) {
    if (n->kind() != a.tensors || n->inputs().size() < 2 || !isPlain(n) || s.aliases.hasWriters(v)) continue;
    Value *left = numberIn(s, n->input(0), depth - 1), *right = numberIn(s, n->input(1), depth - 1);
    if (!left || !right) return nullptr;
    if (a.isTurned) std::swap(left, right);
    Value* out = s.insert(n, a.numbers, {left, right})->output();
    out->setType(c10::IntType::get());
    return out;
  }
  return nullptr;
}

Value* floatOf(const Step& s, Node* at, c10::Symbol kind, at::ArrayRef<Value*> inputs) {
  Value* out = s.insert(at, kind, inputs)->output();
  out->setType(c10::FloatType::get());
  return out;
}

// torch.tensor(q.shape[-1], dtype=torch.float32) in a trace: a float holds any size exactly that matters
// here.
Value* behindCasts(Value* v) {
  while (v->node()->kind() == aten::to && v->node()->maybeSchema()) {
    auto at = v->node()->schema().argumentIndexWithName("dtype");
    auto dtype = at ? constantInt(v->node()->input(static_cast<std::size_t>(*at))) : std::nullopt;
    auto holds = [&](at::ScalarType t) { return dtype == static_cast<std::int64_t>(t); };
    if (!holds(at::kFloat) && !holds(at::kDouble) && !holds(at::kLong)) break;
    v = v->node()->input(0);
  }
  return v;
}

// 0.5 or -0.5, the powers by which roots are written.
bool isHalf(Value* v, int sign) {
  auto power = jit::toIValue(v);
  return power && power->isDouble() && power->toDouble() == 0.5 * sign;
}

}  // namespace

Value* numberOfSizes(const Step& s, Value* v) {
  Node* n = v->node();
  bool isMade = n->kind() != prim::Constant && !n->inputs().empty() && !s.aliases.hasWriters(v);
  if (!isMade || !isTensor(v)) return nullptr;
  if (Value* number = numberIn(s, v)) return number;
  auto in = [&](std::size_t i) { return numberIn(s, behindCasts(n->input(i))); };
  bool isReciprocal = n->kind() == aten::rsqrt || (n->kind() == aten::pow && isHalf(n->input(1), -1));
  bool isRoot = n->kind() == aten::sqrt || (n->kind() == aten::pow && isHalf(n->input(1), 1)) || isReciprocal;
  if (isRoot) {
    Value* x = in(0);
    Value* root = x ? floatOf(s, n, aten::sqrt, {x}) : nullptr;
    // Of 0 that is infinite, as for tensors; a power of it would raise an error.
    return root && isReciprocal ? floatOf(s, n, aten::div, {s.constant(n, 1.0), root}) : root;
  }
  if (n->kind() == aten::div && n->inputs().size() == 2)
    if (Value* a = in(0), *b = in(1); a && b) return floatOf(s, n, aten::div, {a, b});
  return nullptr;
}

void sizesAsNumbers(jit::Graph& graph) {
  forEachStep(graph, [](const Step& s, Node* n) {
    bool reads =
        n->kind() == aten::Int || n->kind() == aten::IntImplicit || n->kind() == aten::ScalarImplicit;
    if (!reads || !isTensor(n->input())) return;
    Value* number = numberIn(s, n->input());
    if (!number) return;
    n->output()->replaceAllUsesWith(number);
    s.dead.push_back(n);
  });
}

}  // namespace kadvise::graph
