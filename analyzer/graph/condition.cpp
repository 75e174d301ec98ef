#include "analyzer/graph/condition.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/filled_lists.h"
#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {
namespace {

constexpr std::string_view kSizes[] = {"aten::size", "aten::sym_size", "aten::len",
                                       "aten::dim",  "aten::numel",    "prim::shape"};

c10::IValue scalarFrom(const Json& j) {
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<std::int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  if (j.is_array() && std::all_of(j.begin(), j.end(), [](auto& x) { return x.is_number_integer(); }))
    return j.get<std::vector<std::int64_t>>();
  if (j.is_array() && std::all_of(j.begin(), j.end(), [](auto& x) { return x.is_number(); }))
    return j.get<std::vector<double>>();
  return {};
}

// A size, or what arithmetic makes of sizes and constants; a trace does its arithmetic with tensors.
bool isOfSizes(const jit::Value* v, int depth = 64) {
  if (jit::toIValue(v)) return true;
  const jit::Node* n = v->node();
  if (isOneOf(kSizes, n)) return true;
  if (depth == 0 || n->inputs().empty() || !n->blocks().empty() || n->kind() == jit::prim::Param)
    return false;
  return std::all_of(n->inputs().begin(), n->inputs().end(),
                     [&](auto* in) { return isOfSizes(in, depth - 1); });
}

// The condition holds for the number of one call. A factor may be another in the next, which is safe where
// the replacement takes it, too; a place or a size only where sizes alone decide it, as they did in the call
// that was seen.
bool mayBeAnotherNumber(const Group& group, std::size_t parameter, const jit::Value* bound,
                        const TracedValues& traced) {
  auto* t = traced.find(bound);
  bool isNumber = t && t->kind != "tensor" && t->kind != "none";
  if (!isNumber || jit::toIValue(bound)) return false;
  if (bound->node()->kind() == jit::prim::Param && checkOf(bound, traced)) return false;
  bool taken = std::all_of(group.replacements.begin(), group.replacements.end(),
                           [&](auto& r) { return r.graph->inputs()[parameter]->hasUses(); });
  bool ofPlaces = t->scalar.is_number_integer() || t->scalar.is_array();
  return ofPlaces ? !isOfSizes(bound) : !taken;
}

bool isNumber(const jit::Value* v) {
  return v->type()->kind() == c10::TypeKind::IntType || v->type()->kind() == c10::TypeKind::FloatType;
}

// Of a number that was put in a tensor's place after the trace: what its arithmetic makes of what was seen.
std::optional<c10::IValue> computed(const jit::Value* v, const TracedValues& traced, int depth = 32) {
  const jit::Node* n = v->node();
  if (auto constant = jit::toIValue(v)) return constant;
  if (auto* t = traced.find(v); t && t->kind != "tensor") return scalarFrom(t->scalar);
  if (depth == 0 || !isNumber(v) || n->inputs().empty() || !n->maybeOperator()) return std::nullopt;
  torch::jit::Stack stack;
  for (auto* in : n->inputs()) {
    auto value = isNumber(in) ? computed(in, traced, depth - 1) : std::nullopt;
    if (!value || value->isNone()) return std::nullopt;
    stack.push_back(*value);
  }
  try {
    n->getOperation()(stack);
  } catch (const std::exception&) {  // a division by a size that is 0
    return std::nullopt;
  }
  return stack.size() == 1 ? std::optional(stack[0]) : std::nullopt;
}

// Of a list of numbers that was made of a loop after the trace.
std::optional<c10::IValue> computedList(const jit::Value* v, const TracedValues& traced) {
  if (v->node()->kind() != jit::prim::ListConstruct || isFilledList(v) || !isOfSizes(v)) return std::nullopt;
  auto element = v->type()->expectRef<c10::ListType>().getElementType();
  bool isFloat = element->kind() == c10::TypeKind::FloatType;
  if (!isFloat && element->kind() != c10::TypeKind::IntType) return std::nullopt;
  std::vector<double> floats;
  std::vector<std::int64_t> integers;
  for (auto* in : v->node()->inputs()) {
    auto value = computed(in, traced);
    if (!value || !(isFloat ? value->isDouble() : value->isInt())) return std::nullopt;
    if (isFloat) floats.push_back(value->toDouble());
    else integers.push_back(value->toInt());
  }
  return isFloat ? c10::IValue(floats) : c10::IValue(integers);
}

}  // namespace

std::optional<c10::IValue> withoutData(const jit::Value* v, const TracedValues& traced) {
  if (auto constant = jit::toIValue(v)) return constant;
  auto* t = traced.find(v);
  if (isNumber(v) && (!t || t->kind == "tensor")) return computed(v, traced);
  if (!t) return computedList(v, traced);
  if (t->kind == "none") return c10::IValue();
  if (t->kind != "tensor") return t->scalar.is_null() ? std::nullopt : std::optional(scalarFrom(t->scalar));
  auto options = at::TensorOptions().dtype(t->dtype).device(at::kMeta);
  if (t->strides.size() != t->shape.size()) return at::empty(t->shape, options);
  return at::empty_strided(t->shape, t->strides, options);
}

std::optional<Mismatch> whyNotHere(const Group& group, const Pattern& pattern, const Match& match,
                                   const TracedValues& traced, const Target& target) {
  if (!group.when) return std::nullopt;
  std::vector<c10::IValue> arguments;
  for (auto& name : group.whenParameters) {
    if (name == "device") {
      arguments.emplace_back(target.device);
      continue;
    }
    if (name == "arch") {
      arguments.emplace_back(static_cast<std::int64_t>(target.arch));
      continue;
    }
    auto index =
        std::find(pattern.parameters.begin(), pattern.parameters.end(), name) - pattern.parameters.begin();
    auto* bound = match.at(pattern.graph->inputs()[static_cast<std::size_t>(index)]);
    if (mayBeAnotherNumber(group, static_cast<std::size_t>(index), bound, traced))
      return Mismatch{valueWords(bound), "is a number that another call may change"};
    auto value = withoutData(bound, traced);
    if (!value)
      return Mismatch{valueWords(bound),
                      "has a shape that is not known, because the module was not run to this point"};
    arguments.push_back(*value);
  }
  try {
    auto result =
        group.when->unit->get_function(c10::QualifiedName(group.when->function))(std::move(arguments));
    if (result.isBool() && result.toBool()) return std::nullopt;
    return Mismatch{"the condition", "does not hold for these shapes"};
  } catch (const std::exception& e) {
    std::string text = briefly(e);
    for (const char* mark : {"AssertionError: ", "AssertionError"})
      if (auto at = text.find(mark); at != std::string::npos)
        text = text.substr(at + std::string(mark).size());
    return Mismatch{"", text};
  }
}

}  // namespace kadvise::graph
