#include "analyzer/graph/specialise.h"

#include <algorithm>

#include "analyzer/graph/fold_constants.h"
#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/layers_apart.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/number_operands.h"
#include "analyzer/graph/peephole.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/places_of_results.h"
#include "analyzer/graph/settled.h"
#include "analyzer/graph/squares.h"
#include "analyzer/graph/step.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

const c10::Symbol kIsNested = c10::Symbol::fromQualString("prim::is_nested");
const c10::Symbol kTypeOfDevice = c10::Symbol::fromQualString("prim::type");

std::vector<std::string> wordsIn(Value* list) {
  std::vector<std::string> out;
  auto add = [&](const c10::IValue& v) {
    if (v.isString()) out.push_back(v.toStringRef());
  };
  if (auto constant = jit::toIValue(list); constant && constant->isList()) {
    for (const c10::IValue& v : constant->toListRef()) add(v);
  } else if (list->node()->kind() == prim::ListConstruct) {
    for (Value* in : list->node()->inputs()) add(jit::toIValue(in).value_or(c10::IValue()));
  }
  return out;
}

struct Simplifier {
  const Step& s;
  const Settled& settled;
  bool& concluded;

  void toConstant(Node* n, const c10::IValue& v) const {
    concluded = true;
    n->output()->replaceAllUsesWith(s.constant(n, v));
    s.dead.push_back(n);
  }

  void rank(Node* n) const {
    if (s.isReshaped(n->input())) return;
    if (auto* t = settled.tensor(n->input())) toConstant(n, static_cast<std::int64_t>(t->shape.size()));
  }
  void dtype(Node* n) const {
    if (auto* t = settled.tensor(n->input())) toConstant(n, static_cast<std::int64_t>(t->dtype));
  }
  void floating(Node* n) const {
    if (auto* t = settled.tensor(n->input())) toConstant(n, c10::isFloatingType(t->dtype));
  }

  // Every spelling of a cast says which dtype it makes and, when traced, on which device; both are in the
  // trace.
  void cast(Node* n) const {
    auto *from = settled.tensor(n->input(0)), *to = settled.tensor(n->output());
    if (!from || !to || from->device != to->device || copies(n)) return;
    if (!constantDevice(n).empty() && isOfConstants(n->input(0))) return;
    if (from->dtype == to->dtype && from->strides == to->strides && s.onlyRead(n)) {
      concluded = true;
      return s.replace(n, n->input(0));
    }
    auto* schema = n->maybeSchema();
    if (schema && schema->name() == "aten::to" && schema->overload_name() == "dtype") return;
    concluded = true;
    Value *no = s.constant(n, false), *none = s.constant(n, c10::IValue());
    Value* type = s.constant(n, static_cast<std::int64_t>(to->dtype));
    s.replace(n, s.insert(n, aten::to, {n->input(0), type, no, no, none})->output());
  }

  // Where a constant lay in the run is where it was loaded to, not where the file has it.
  static bool isOfConstants(const Value* v, int deep = 8) {
    if (v->node()->kind() == prim::Constant) return true;
    auto inputs = tensorInputs(v->node());
    return deep > 0 && !inputs.empty() && v->node()->blocks().empty() &&
           std::all_of(inputs.begin(), inputs.end(), [&](auto* in) { return isOfConstants(in, deep - 1); });
  }

  // copy=True, or another memory format.
  static bool copies(Node* n) {
    auto* schema = n->maybeSchema();
    for (std::size_t i = 0; schema && i < n->inputs().size(); ++i) {
      auto& name = schema->arguments()[i].name();
      auto value = jit::toIValue(n->input(i));
      if (name == "copy" && (!value || !value->isBool() || value->toBool())) return true;
      bool preserves =
          value && (value->isNone() ||
                    (value->isInt() && value->toInt() == static_cast<int>(c10::MemoryFormat::Preserve)));
      if (name == "memory_format" && !preserves) return true;
    }
    return false;
  }

  // What the run saw with sizes is not nested, and neither is what is made of such tensors, unless an
  // operator makes it so.
  void nested(Node* n) const {
    auto isPlain = [this](const Value* v) { return !isTensor(v) || settled.tensor(v); };
    const auto& inputs = s.graph.inputs();
    bool isInput = std::find(inputs.begin(), inputs.end(), n->input(0)) != inputs.end();
    if (isInput && isPlain(n->input(0))) return toConstant(n, false);
    if (std::all_of(inputs.begin() + 1, inputs.end(), isPlain) && !makesNested(s.graph)) toConstant(n, false);
  }

  // x.device.type in ["cpu", "cuda", …]: true wherever an optimised module runs (nn.MultiheadAttention asks
  // it of every weight).
  void oneOfDevices(Node* n) const {
    Node* type = n->input(1)->node();
    if (type->kind() != kTypeOfDevice || type->input(0)->node()->kind() != prim::device) return;
    auto words = wordsIn(n->input(0));
    auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (has("cpu") && has("cuda")) toConstant(n, true);
  }

  // softmax(x, dim, dtype) of an x that has this dtype already.
  void softmax(Node* n) const {
    auto *from = settled.tensor(n->input(0)), *to = settled.tensor(n->output());
    if (!from || !to || from->dtype != to->dtype || isNone(n->input(2))) return;
    concluded = true;
    n->replaceInput(2, s.constant(n, c10::IValue()));
  }

  // x * 1, x / 1, x - 0 of a floating tensor. x + 0 is another matter: it makes 0 of -0. What the caller gets
  // stays a tensor of its own.
  void neutral(Node* n, double element) const {
    auto* t = settled.tensor(n->input(0));
    auto other = jit::toIValue(n->input(1));
    bool number = other && (other->isInt() || other->isDouble()) && other->toScalar().toDouble() == element;
    if (!t || !number || !c10::isFloatingType(t->dtype) || !s.onlyRead(n)) return;
    if (s.aliases.escapesScope({n->output()})) return;
    concluded = true;
    s.replace(n, n->input(0));
  }

  void operator()(Node* n) const {
    auto k = n->kind();
    if (takeNumber(s, n, [this](const Value* v) { return settled.tensor(v); })) concluded = true;
    if (k == kIsNested) return nested(n);
    if (k == aten::__contains__) return oneOfDevices(n);
    if (k == aten::dim) return rank(n);
    if (k == prim::dtype) return dtype(n);
    if (k == aten::is_floating_point) return floating(n);
    if (k == aten::to || k == aten::type_as) return cast(n);
    if ((k == aten::softmax || k == aten::log_softmax) && n->inputs().size() == 3) return softmax(n);
    auto isNumber = [this](const Value* v) {
      return settled.tensor(v) && settled.tensor(v)->dtype != at::kBool;
    };
    if (squareAsPower(s, n, isNumber)) concluded = true;
    else if ((k == aten::mul && n->inputs().size() == 2) || (k == aten::div && n->inputs().size() == 2))
      return neutral(n, 1);
    if (k == aten::sub) return neutral(n, 0);
  }
};

// Optional inputs that were not given, and flags. A number may be another one in the next call.
bool dropDeadInputs(Graph& graph, const TracedValues& traced) {
  bool any = false;
  for (std::size_t i = 1; i < graph.inputs().size(); ++i) {
    Value* in = graph.inputs()[i];
    auto* t = traced.find(in);
    bool none = t && t->kind == "none" && in->type()->kind() == c10::TypeKind::OptionalType;
    bool flag =
        t && t->kind == "bool" && in->type()->kind() == c10::TypeKind::BoolType && !t->scalar.is_null();
    if ((!none && !flag) || !in->hasUses()) continue;
    in->replaceAllUsesWith(constantOf(graph, none ? c10::IValue() : c10::IValue(t->scalar.get<bool>())));
    any = true;
  }
  return any;
}

void fold(std::shared_ptr<Graph>& graph) {
  peephole(graph, PeepholeShapes::Ignore);
  foldConstants(graph);
  jit::LowerSimpleTuples(graph);
  jit::EliminateDeadCode(graph);
}

}  // namespace

void forgetReshaped(Graph& graph, TracedValues& traced) {
  std::vector<Value*> reshaped;
  forEachNode(graph.block(), [&](Node* n) {
    if (reshapesInPlace(n)) reshaped.push_back(n->input(0));
  });
  if (reshaped.empty()) return;
  auto aliases = aliasesOf(graph.shared_from_this());
  auto forget = [&](Value* v) {
    if (isTensor(v) && std::any_of(reshaped.begin(), reshaped.end(),
                                   [&](Value* r) { return r == v || aliases->mayAlias(r, v); }))
      traced.forget(v);
  };
  for (Value* in : graph.inputs()) forget(in);
  forEachNode(graph.block(), [&](Node* n) {
    for (Value* out : n->outputs()) forget(out);
  });
}

bool simplifyByFacts(std::shared_ptr<Graph>& graph, const TracedValues& traced) {
  if (traced.empty()) return false;
  PlacesOfResults places(graph);
  bool concluded = dropDeadInputs(*graph, traced);
  // A branch that falls away may settle what follows it, layer by layer.
  constexpr int kMostRounds = 100;
  for (int round = 0; round < kMostRounds; ++round) {
    bool now = false;
    fold(graph);
    Settled settled(*graph, traced);
    forEachStep(*graph, [&](const Step& s, Node* n) { Simplifier{s, settled, now}(n); });
    concluded = concluded || now;
    if (!now) break;
  }
  fold(graph);
  normaliseAgain(graph);
  return concluded;
}

Specialisation specialise(std::shared_ptr<Graph>& graph, const TracedValues& traced) {
  Specialisation out;
  if (simplifyByFacts(graph, traced)) out.facts = checkInputs(*graph, traced);
  graph->lint();
  return out;
}

}  // namespace kadvise::graph
