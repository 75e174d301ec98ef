#include "analyzer/graph/number_operands.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "analyzer/graph/size_arithmetic.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Operands {
  const char* kind;
  std::size_t tensor, number;
};
constexpr Operands kOperands[] = {{"aten::add", 0, 1},  {"aten::sub", 0, 1}, {"aten::mul", 0, 1},
                                  {"aten::div", 0, 1},  {"aten::pow", 0, 1}, {"aten::where", 1, 2},
                                  {"aten::where", 2, 1}};

bool isEmptyList(Value* v) {
  auto constant = jit::toIValue(v);
  if (constant) return constant->isIntList() && constant->toIntVector().empty();
  return v->node()->kind() == jit::prim::ListConstruct && v->node()->inputs().empty();
}

// Of what makes a tensor of constants alone: torch.tensor(8.0), torch.full([], -1e9), a root of these.
std::optional<c10::IValue> madeOfConstants(Value* v, int depth = 8) {
  if (auto constant = jit::toIValue(v)) return constant;
  Node* n = v->node();
  constexpr std::string_view kMakers[] = {"aten::tensor", "aten::full",       "aten::scalar_tensor",
                                          "aten::sqrt",   "aten::rsqrt",      "aten::pow",
                                          "aten::to",     "prim::NumToTensor"};
  if (depth == 0 || !isOneOf(kMakers, n) || n->outputs().size() != 1) return std::nullopt;
  if (n->kind() == jit::aten::full && !isEmptyList(n->input(0))) return std::nullopt;  // of any length
  jit::Stack stack;
  for (Value* in : n->inputs()) {
    auto value = isEmptyList(in) ? std::optional(c10::IValue(std::vector<std::int64_t>()))
                                 : madeOfConstants(in, depth - 1);
    if (!value) return std::nullopt;
    stack.push_back(std::move(*value));
  }
  try {
    n->getOperation()(stack);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return stack.back();
}

// Of a tensor without dimensions. Bools and complex numbers stay: not every operator takes them as numbers.
std::optional<c10::IValue> realNumber(const std::optional<c10::IValue>& value) {
  if (!value || !value->isTensor() || !value->toTensor().defined() || value->toTensor().dim() != 0)
    return std::nullopt;
  auto dtype = value->toTensor().scalar_type();
  bool real = c10::isFloatingType(dtype) || c10::isIntegralType(dtype, /*includeBool=*/false);
  if (!real || value->toTensor().is_meta()) return std::nullopt;
  auto number = value->toTensor().item();
  return number.isFloatingPoint() ? c10::IValue(number.toDouble()) : c10::IValue(number.toLong());
}

std::optional<c10::IValue> numberIn(const Step& s, Value* v) {
  if (s.aliases.hasWriters(v)) return std::nullopt;
  return realNumber(madeOfConstants(v));
}

bool isSameFor(const TracedValue& tensor, const c10::IValue& number) {
  bool floating = c10::isFloatingType(tensor.dtype),
       integral = c10::isIntegralType(tensor.dtype, /*includeBool=*/false);
  if (number.isDouble()) return floating && !tensor.shape.empty();
  return floating || (integral && !tensor.shape.empty());
}

// Of attention, whose pages want numbers; generated kernels take tensors of no dimensions as well.
bool isProduct(const Node* n) {
  constexpr std::string_view kProducts[] = {"aten::matmul", "aten::bmm", "aten::baddbmm", "aten::einsum"};
  return isOneOf(kProducts, n);
}
bool feedsAttention(const Node* n) {
  auto& uses = n->output()->uses();
  return std::any_of(uses.begin(), uses.end(),
                     [](auto& use) { return isProduct(use.user) || use.user->kind() == jit::aten::softmax; });
}

// A float in place of a tensor of single precision: in double precision it would be another number.
bool isSameFor(const TracedValue& tensor, const Value& number) {
  if (number.type()->kind() == c10::TypeKind::IntType) return isSameFor(tensor, c10::IValue(1));
  return isSameFor(tensor, c10::IValue(1.0)) && tensor.dtype != at::kDouble;
}

}  // namespace

bool takeNumber(const Step& s, Node* n, const KnownTensor& known) {
  for (auto& o : kOperands) {
    if (n->kind() != c10::Symbol::fromQualString(o.kind) ||
        n->inputs().size() <= std::max(o.tensor, o.number))
      continue;
    Value* operand = n->input(o.number);
    if (!isTensor(operand) || !isTensor(n->input(o.tensor)) || jit::toIValue(n->input(o.tensor))) continue;
    auto* tensor = known(n->input(o.tensor));
    if (!tensor) continue;
    auto number = numberIn(s, operand);
    if (number && !isSameFor(*tensor, *number)) continue;
    bool isOfAttention = isProduct(n->input(o.tensor)->node()) || feedsAttention(n);
    Value* made = number ? s.constant(n, *number) : isOfAttention ? numberOfSizes(s, operand) : nullptr;
    if (!made || (!number && !isSameFor(*tensor, *made))) continue;
    n->replaceInput(o.number, made);
    return true;
  }
  return false;
}

void takeConstantNumbers(jit::Graph& graph) {
  constexpr std::string_view kTaking[] = {"aten::add", "aten::sub", "aten::mul", "aten::div"};
  forEachNode(graph.block(), [&](Node* n) {
    const bool isRounded = n->kind() == jit::aten::div && n->inputs().size() > 2;
    if (!isOneOf(kTaking, n) || isRounded || !isTensor(n->input(0))) return;
    auto number = realNumber(jit::toIValue(n->input(1)));
    if (!number) return;
    jit::WithInsertPoint before(n);
    n->replaceInput(1, graph.insertConstant(*number));
  });
}

}  // namespace kadvise::graph
