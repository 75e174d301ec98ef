#include "analyzer/graph/mask_program.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/shape_table.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

bool isNumber(const Value* v) { return v->type()->kind() == c10::TypeKind::IntType; }

// Where a tensor lives and which dtype it has: taken along with the tensor, since no other call can say it.
bool asksForKind(const Node* n) { return n->kind() == prim::device || n->kind() == prim::dtype; }

struct Collector {
  GraphFacts& facts;
  MaskProgram& program;
  std::set<Node*> seen;

  void refuse(std::string why) {
    if (program.whyNot.empty()) program.whyNot = std::move(why);
  }

  void visit(Value* v) {
    if (Value* computed = computedBehind(v)) return visitTable(v, computed);
    Node* n = v->node();
    if (n->kind() == prim::Constant || !program.whyNot.empty()) return;
    if (n->kind() == prim::Param) return visitInput(v);
    if (!seen.insert(n).second) return;
    if (n->kind() == prim::GetAttr)
      return refuse("is read from the module's attribute " + attributePath(v).value_or("%" + v->debugName()));
    bool ofData = !n->inputs().empty() && isTensor(n->input(0)) && !startsFromShapes(n->input(0));
    if (n->kind() == aten::size && isNumber(v) && ofData) return program.sizes.push_back(v);
    if (!isPure(n) || n->outputs().size() != 1)
      return refuse(std::string("is made by ") + n->kind().toQualString() + ", which decides at run time");
    if (facts.analysis.aliases.hasWriters(v)) return refuse("is written to in place");
    program.nodes.push_back(n);
    if (asksForKind(n)) return;
    for (auto* in : n->inputs()) visit(in);
  }

  void visitTable(Value* table, Value* computed) {
    if (program.made(table) != table) return;
    program.tables.emplace_back(table, computed);
    visit(computed);
  }

  void visitInput(Value* v) {
    if (!isNumber(v)) return refuse("depends on the input %" + v->debugName());
    if (std::find(program.sizes.begin(), program.sizes.end(), v) == program.sizes.end())
      program.sizes.push_back(v);
  }

  bool startsFromShapes(Value* v) {
    bool parameter = attributePath(v).has_value() || v->node()->kind() == prim::Param;
    return !parameter && facts.dependence().onShapesOnly(v) && !facts.dependence().onParameters(v);
  }
};

c10::IValue onCpu(const c10::IValue& v) { return v.isDevice() ? c10::IValue(c10::Device(c10::kCPU)) : v; }

struct Runner {
  const MaskProgram& program;
  const TracedValues& traced;
  std::unordered_map<const Value*, c10::IValue> known;

  c10::IValue valueOf(const Value* read) const {
    const Value* v = program.made(read);
    if (auto constant = jit::toIValue(v)) return onCpu(*constant);
    return known.at(v);
  }

  bool run(Node* n) {
    if (n->kind() == prim::device) return known.emplace(n->output(), c10::Device(c10::kCPU)), true;
    if (n->kind() == prim::dtype) {
      auto* t = traced.find(n->input());
      if (!t || t->kind != "tensor") return false;
      return known.emplace(n->output(), static_cast<std::int64_t>(t->dtype)), true;
    }
    jit::Stack stack;
    for (auto* in : n->inputs()) stack.push_back(valueOf(in));
    if (n->kind() == prim::ListConstruct) {
      c10::impl::GenericList list(n->output()->type()->expectRef<c10::ListType>().getElementType());
      for (auto& v : stack) list.push_back(v);
      return known.emplace(n->output(), list), true;
    }
    if (!n->maybeOperator()) return false;
    n->getOperation()(stack);
    return known.emplace(n->output(), stack.back()), true;
  }
};

}  // namespace

const Value* MaskProgram::made(const Value* v) const {
  for (auto& [table, computed] : tables)
    if (table == v) return made(computed);
  return v;
}

MaskProgram maskProgramOf(Value* mask, GraphFacts& facts) {
  MaskProgram program;
  program.mask = mask;
  Collector{facts, program, {}}.visit(mask);
  sortByPlace(program.nodes);
  return program;
}

std::optional<at::Tensor> maskFor(const MaskProgram& program, const SizeValues& sizes,
                                  const TracedValues& traced) {
  Runner runner{program, traced, {}};
  for (auto* v : program.sizes) runner.known[v] = sizes.at(v);
  try {
    for (Node* n : program.nodes)
      if (!runner.run(n)) return std::nullopt;
    auto mask = runner.valueOf(program.mask);
    return mask.isTensor() ? std::optional(mask.toTensor()) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Dtypes dtypesOf(const MaskProgram& program, const SizeValues& seen, const TracedValues& traced) {
  constexpr std::int64_t kEnough = 8;  // dtypes are the same at all sizes
  Dtypes out;
  Runner runner{program, traced, {}};
  // The run took what stands in place of a table's operators, and saw nothing of these.
  if (!program.tables.empty()) {
    for (auto* v : program.sizes) runner.known[v] = std::min(seen.at(v), kEnough);
    try {
      for (Node* n : program.nodes)
        if (!runner.run(n)) break;
    } catch (const std::exception&) {
      // What is not known is refused.
    }
  }
  for (auto& [v, made] : runner.known)
    if (made.isTensor() && made.toTensor().defined()) out[v] = made.toTensor().scalar_type();
  for (Node* n : program.nodes)
    for (auto* v : n->outputs())
      if (auto* t = traced.find(v); t && t->kind == "tensor") out[v] = t->dtype;
  return out;
}

std::vector<std::int64_t> lengthsInside(const MaskProgram& program) {
  constexpr std::int64_t kLargestCode = 16;  // dtypes, layouts and dimensions are numbers as well
  constexpr double kMostPlausible = 1e9;     // "to the end" of a slice is larger
  std::vector<std::int64_t> out;
  auto take = [&](double x) {
    if (std::abs(x) > kLargestCode && std::abs(x) < kMostPlausible)
      out.push_back(static_cast<std::int64_t>(std::abs(x)));
  };
  auto takeNumber = [&](const c10::Scalar& s) {
    if (!s.isFloatingPoint() || s.toDouble() > 0) take(s.toDouble());  // negative ones fill masks
  };
  auto look = [&](Value* v) {
    auto constant = jit::toIValue(v);
    if (!constant) return;
    if (constant->isInt() || constant->isDouble()) takeNumber(constant->toScalar());
    if (constant->isIntList())
      for (auto x : constant->toIntVector()) take(static_cast<double>(x));
    if (!constant->isTensor() || !constant->toTensor().defined()) return;
    auto t = constant->toTensor();
    for (auto size : t.sizes()) take(static_cast<double>(size));
    if (t.numel() == 1 && !t.is_complex() && !t.is_meta()) takeNumber(t.item());
  };
  look(program.mask);
  for (Node* n : program.nodes)
    for (auto* in : n->inputs()) look(in);
  return out;
}

}  // namespace kadvise::graph
