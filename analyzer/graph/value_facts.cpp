#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/node_facts.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// From the trace; where the module was not run, from constants and from operators that can only give truth
// values.
std::optional<c10::ScalarType> dtypeOf(Value* v, GraphFacts& facts) {
  if (auto* seen = facts.analysis.traced.find(v); seen && seen->kind == "tensor") return seen->dtype;
  if (auto constant = jit::toIValue(v); constant && constant->isTensor())
    return constant->toTensor().scalar_type();
  return givesTruthValues(v->node()) ? std::optional(at::kBool) : std::nullopt;
}

bool isMask(Value* v, GraphFacts& facts) {
  auto dtype = dtypeOf(v, facts);
  return dtype == at::kBool || dtype == at::kByte;
}

bool isHalf(Value* v, GraphFacts& facts) {
  auto dtype = dtypeOf(v, facts);
  return dtype == at::kHalf || dtype == at::kBFloat16;
}

bool hasSeveralElements(Value* v, GraphFacts& facts) {
  auto* seen = facts.analysis.traced.find(v);
  if (!seen || seen->kind != "tensor") return false;
  return std::any_of(seen->shape.begin(), seen->shape.end(), [](auto n) { return n > 1; });
}

struct Word {
  const char* text;
  bool (*holds)(Value*, GraphFacts&);
};
constexpr Word kWords[] = {
    {"none", [](Value* v, GraphFacts&) { return isNone(v); }},
    {"fixed", [](Value* v, GraphFacts&) { return jit::toIValue(v).has_value(); }},
    {"tensor", [](Value* v, GraphFacts&) { return isTensor(v); }},
    {"tensors", [](Value* v, GraphFacts&) { return holdsTensors(v->type()); }},
    {"dict", [](Value* v, GraphFacts&) { return v->type()->kind() == c10::TypeKind::DictType; }},
    {"made-here", [](Value* v, GraphFacts&) { return v->node()->kind() == jit::prim::DictConstruct; }},
    {"data", [](Value* v, GraphFacts& f) { return f.dependence().onData(v); }},
    {"host", [](Value* v, GraphFacts& f) { return isTensor(v) && f.placement().of(v) == Place::Host; }},
    {"gpu", [](Value* v, GraphFacts& f) { return isTensor(v) && f.placement().of(v) == Place::Gpu; }},
    {"mask", isMask},
    {"half", isHalf},
    {"float32", [](Value* v, GraphFacts& f) { return dtypeOf(v, f) == at::kFloat; }},
    {"float64", [](Value* v, GraphFacts& f) { return dtypeOf(v, f) == at::kDouble; }},
    {"several", hasSeveralElements},
};

bool equalsNumber(const Json& wanted, Value* v) {
  auto constant = jit::toIValue(v);
  if (!constant) return false;
  if (wanted.is_boolean()) return constant->isBool() && constant->toBool() == wanted.get<bool>();
  return (constant->isInt() || constant->isDouble()) &&
         constant->toScalar().toDouble() == wanted.get<double>();
}

Json literalIn(const std::string& word) {
  return Json::parse(word.substr(1), nullptr, /*allow_exceptions=*/false);
}

}  // namespace

bool isFactOfValues(const std::string& word) {
  if (word.rfind('!', 0) == 0) return isFactOfValues(word.substr(1));
  if (word.rfind('=', 0) == 0) return literalIn(word).is_number() || literalIn(word).is_boolean();
  return std::any_of(std::begin(kWords), std::end(kWords), [&](const Word& w) { return word == w.text; });
}

bool valueIs(const std::string& word, Value* v, GraphFacts& facts) {
  if (word.rfind('!', 0) == 0) return !valueIs(word.substr(1), v, facts);
  if (word.rfind('=', 0) == 0) return equalsNumber(literalIn(word), v);
  for (auto& w : kWords) {
    if (word != w.text) continue;
    bool holds = w.holds(v, facts);
    if (v->node()->kind() == jit::prim::ListConstruct)
      for (Value* element : v->node()->inputs()) holds = holds || w.holds(element, facts);
    return holds;
  }
  return false;
}

}  // namespace kadvise::graph
