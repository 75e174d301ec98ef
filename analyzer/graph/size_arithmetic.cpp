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
};
const Arithmetic kArithmetic[] = {{aten::mul, aten::mul},
                                  {aten::add, aten::add},
                                  {aten::sub, aten::sub},
                                  {aten::floor_divide, aten::floordiv}};

// alpha of add and sub.
bool plain(Node* n) {
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
    if (n->kind() != a.tensors || n->inputs().size() < 2 || !plain(n) || s.aliases.hasWriters(v)) continue;
    Value *left = numberIn(s, n->input(0), depth - 1), *right = numberIn(s, n->input(1), depth - 1);
    if (!left || !right) return nullptr;
    Value* out = s.insert(n, a.numbers, {left, right})->output();
    out->setType(c10::IntType::get());
    return out;
  }
  return nullptr;
}

}  // namespace

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
