#include "analyzer/graph/input_checks.h"

#include "analyzer/core/specialised.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {

using jit::Node;
using jit::Value;

std::optional<Check> checkOf(const Value* v, const TracedValues& traced) {
  auto* t = traced.find(v);
  if (!t) return std::nullopt;
  auto name = pathWords(v);
  auto kind = v->type()->kind();
  if (t->kind == "none") return Check{name + ": None", "v is None"};
  if (t->kind == "bool" && kind == c10::TypeKind::BoolType) {
    bool value = t->scalar.get<bool>();
    return Check{name + ": " + (value ? "True" : "False"), value ? "v" : "not v"};
  }
  if (t->kind != "tensor" || kind != c10::TypeKind::TensorType) return std::nullopt;
  auto rank = std::to_string(t->shape.size());
  return Check{name + ": " + nameOf(t->dtype) + " of " + rank + (rank == "1" ? " dimension" : " dimensions"),
               "v.dim() == " + rank + " and v.dtype == " + std::to_string(static_cast<int>(t->dtype))};
}

void insertCheck(Value* v, const Check& check, Node* before) {
  std::string type = isTensor(v) ? "Tensor" : v->type()->annotation_str();
  auto unit = scriptUnit("def check(v: " + type + "):\n  assert " + check.condition + ", \"" +
                         kSpecialisedTo + check.fact + "\"\n");
  auto body = graphOfFunction(*unit, "check");
  jit::WithInsertPoint here(before);
  jit::insertGraph(*before->owningGraph(), *body, {v});
}

std::vector<std::string> checkInputs(jit::Graph& graph, const TracedValues& traced) {
  std::vector<std::string> facts;
  for (std::size_t i = graph.inputs().size(); i-- > 1;) {  // the last first, since each goes to the start
    auto check = checkOf(graph.inputs()[i], traced);
    if (!check) continue;
    insertCheck(graph.inputs()[i], *check, *graph.nodes().begin());
    facts.insert(facts.begin(), check->fact);
  }
  return facts;
}

}  // namespace kadvise::graph
