// Operators that run and change nothing.
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Identity {
  const char* op;
  double operand;  // the second one
  const char* words;
};
constexpr Identity kIdentities[] = {{"aten::mul", 1, "multiplies by 1"},
                                    {"aten::div", 1, "divides by 1"},
                                    {"aten::add", 0, "adds 0"},
                                    {"aten::sub", 0, "subtracts 0"},
                                    {"aten::pow", 1, "takes the power of 1"}};

std::optional<double> numberAt(const Node* n, std::size_t i) {
  auto c = i < n->inputs().size() ? jit::toIValue(n->input(i)) : std::nullopt;
  if (!c) return std::nullopt;
  if (c->isInt()) return static_cast<double>(c->toInt());
  if (c->isDouble()) return c->toDouble();
  bool one =
      c->isTensor() && c->toTensor().defined() && c->toTensor().numel() == 1 && !c->toTensor().is_meta();
  return one && !c->toTensor().is_complex() ? std::optional(c->toTensor().item<double>()) : std::nullopt;
}

bool sameTensor(const Node* n, const TracedValues& traced) {
  auto in = tensorOf(n->input(0), traced), out = tensorOf(n->output(0), traced);
  return in && out && in->dtype == out->dtype && in->shape == out->shape && in->strides == out->strides;
}

const char* whatItDoes(const Node* n) {
  std::string_view kind = n->kind().toQualString();
  if (n->kind() == jit::aten::div && n->inputs().size() > 2) return nullptr;  // it rounds
  for (auto& identity : kIdentities)
    if (kind == identity.op && numberAt(n, 1) == identity.operand) return identity.words;
  return nullptr;
}

// A copy protects its source, or itself, from somebody who writes, or is handed to the caller. Otherwise it
// is for nothing.
bool isIdleCopy(const Node* n, const Aliases& aliases) {
  if (n->kind() != jit::aten::clone && n->kind() != jit::aten::to) return false;
  if (aliases.hasWriters(n->output()) || aliases.hasWriters(n->input(0))) return false;
  for (auto* result : n->owningGraph()->outputs())
    if (aliases.mayContainAlias(const_cast<Value*>(result), const_cast<Value*>(n->output()))) return false;
  return true;
}

}  // namespace

CodedResult findNoEffect(const RulePage&, const Analysis& a) {
  Places places;
  forEachNode(a.graph.block(), [&](Node* n) {
    if (n->inputs().empty() || n->outputs().size() != 1 || costOf(n, a.traced).bytes() < kSmallBytes ||
        !sameTensor(n, a.traced))
      return;
    const char* words = whatItDoes(n);
    if (!words && isIdleCopy(n, a.aliases)) words = "copies a tensor that could be read as it is";
    if (!words) return;
    places.add(n,
               std::string(n->kind().toQualString()) + " " + words + " (" +
                   describe(a.traced.find(n->output())) + "): it is read and written for nothing",
               estimateWithout(n, a));
  });
  return places.take(a, "every operator has an effect");
}

}  // namespace kadvise::graph
