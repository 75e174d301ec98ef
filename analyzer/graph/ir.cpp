#include "analyzer/graph/ir.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "analyzer/core/torch_words.h"

namespace kadvise::graph {
namespace {

constexpr std::string_view kTruthValues[] = {
    "aten::gt",    "aten::ge",          "aten::lt",          "aten::le",         "aten::eq",
    "aten::ne",    "aten::logical_not", "aten::logical_and", "aten::logical_or", "aten::logical_xor",
    "aten::isnan", "aten::isinf",       "aten::isfinite",    "aten::isin"};

}  // namespace

void forEachNode(jit::Block* block, const std::function<void(jit::Node*)>& visit) {
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    jit::Node* node = *it++;  // first, since visit may destroy the node
    for (jit::Block* inner : node->blocks()) forEachNode(inner, visit);
    visit(node);
  }
}

void replaceBy(jit::Node* n, c10::Symbol kind, at::ArrayRef<jit::Value*> inputs) {
  jit::Node* made = n->owningGraph()->create(kind, inputs)->insertBefore(n);
  made->copyMetadata(n);
  made->output()->copyMetadata(n->output());
  n->output()->replaceAllUsesWith(made->output());
  n->destroy();
}

std::vector<jit::Node*> nodesWhere(jit::Block* block, const std::function<bool(jit::Node*)>& holds) {
  std::vector<jit::Node*> out;
  forEachNode(block, [&](jit::Node* n) {
    if (holds(n)) out.push_back(n);
  });
  return out;
}

void sortByPlace(std::vector<jit::Node*>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [](jit::Node* a, jit::Node* b) { return a != b && a->isBefore(b); });
}

jit::Node* holderIn(const jit::Block* block, jit::Node* n) {
  while (n && n->owningBlock() != block) n = n->owningBlock()->owningNode();
  return n;
}

std::optional<std::int64_t> constantInt(jit::Value* v) {
  auto c = jit::toIValue(v);
  if (!c || !c->isInt()) return std::nullopt;
  return c->toInt();
}

std::optional<std::size_t> dimensionAt(jit::Value* v, std::size_t rank) {
  auto d = constantInt(v);
  auto r = static_cast<std::int64_t>(rank);
  if (!d || *d < -r || *d >= r) return std::nullopt;
  return static_cast<std::size_t>((*d + r) % r);
}

std::optional<std::vector<std::size_t>> orderOfView(Node* n, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (n->kind() == jit::aten::transpose && n->inputs().size() == 3) {
    auto a = dimensionAt(n->input(1), rank), b = dimensionAt(n->input(2), rank);
    if (!a || !b) return std::nullopt;
    std::swap(order[*a], order[*b]);
    return order;
  }
  auto dims = n->kind() == jit::aten::permute ? jit::toIValue(n->input(1)) : std::nullopt;
  if (!dims || !dims->isIntList() || dims->toIntList().size() != rank) return std::nullopt;
  for (std::size_t i = 0; i < rank; ++i) {
    auto dim = dims->toIntList().get(i);
    order[i] = static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim);
  }
  return order;
}

bool isNone(jit::Value* v) {
  auto c = jit::toIValue(v);
  return c && c->isNone();
}

bool raises(const jit::Block* b) {
  return std::any_of(b->nodes().begin(), b->nodes().end(),
                     [](const jit::Node* n) { return n->kind() == jit::prim::RaiseException; });
}

bool isTensor(const jit::Value* v) { return v->type()->isSubtypeOf(*c10::TensorType::get()); }

std::optional<std::string> attributePath(jit::Value* v) {
  std::string path;
  while (v->node()->kind() == jit::prim::GetAttr) {
    path = v->node()->s(jit::attr::name) + (path.empty() ? "" : "." + path);
    v = v->node()->input();
  }
  bool startsAtSelf = v->node()->kind() == jit::prim::Param && v->type()->kind() == c10::TypeKind::ClassType;
  if (path.empty() || !startsAtSelf) return std::nullopt;
  return path;
}

c10::IValue attributeAt(const jit::Module& module, const std::string& path) {
  auto owner = module;
  std::string rest = path;
  for (std::size_t dot; (dot = rest.find('.')) != std::string::npos; rest = rest.substr(dot + 1))
    owner = owner.attr(rest.substr(0, dot)).toModule();
  return owner.attr(rest);
}

std::shared_ptr<jit::CompilationUnit> scriptUnit(const std::string& text) {
  auto unit = std::make_shared<jit::CompilationUnit>();
  unit->define(std::nullopt, text, jit::nativeResolver(), nullptr);
  return unit;
}

std::shared_ptr<jit::Graph> graphOfFunction(const jit::CompilationUnit& unit, const char* name) {
  return jit::toGraphFunction(unit.get_function(c10::QualifiedName(name))).graph()->copy();
}

jit::Value* constantOf(jit::Graph& graph, const c10::IValue& value) {
  for (auto* n : graph.nodes()) {
    if (n->kind() != jit::prim::Constant) break;  // one further down may come after who wants it
    auto have = jit::toIValue(n->output());
    if (have && have->tagKind() == value.tagKind() && !have->isTensor() && *have == value) return n->output();
  }
  jit::WithInsertPoint start(*graph.nodes().begin());
  return graph.insertConstant(value);
}

bool sameConstant(const c10::IValue& a, const c10::IValue& b) {
  auto isNumber = [](const c10::IValue& v) { return v.isInt() || v.isDouble(); };
  if (isNumber(a) && isNumber(b)) return a.toScalar().toDouble() == b.toScalar().toDouble();
  if (a.isTensor() && b.isTensor()) return a.toTensor().is_same(b.toTensor());
  return a.tagKind() == b.tagKind() && a == b;
}

bool isPure(jit::Node* n) {
  if (n->hasSideEffects() || n->isNondeterministic() || !n->blocks().empty()) return false;
  auto* schema = n->maybeSchema();
  return !schema || !schema->is_mutable();
}

bool isRandom(jit::Node* n) {
  if (!n->isNondeterministic()) return false;
  if (n->kind() != jit::aten::scaled_dot_product_attention || n->inputs().size() < 5) return true;
  auto dropped = jit::toIValue(n->input(4));
  return !dropped || !dropped->isDouble() || dropped->toDouble() != 0.0;
}

bool givesTruthValues(const jit::Node* n) { return isOneOf(kTruthValues, n); }

std::string briefly(const std::exception& e) {
  auto* torchError = dynamic_cast<const c10::Error*>(&e);
  std::istringstream text(torchError ? torchError->what_without_backtrace() : e.what());
  // TorchScript puts the cause after "RuntimeError:" at the end; other errors begin with it.
  std::string line, first, cause;
  while (std::getline(text, line)) {
    auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    line = line.substr(begin);
    if (first.empty()) first = line;
    else if (first.ends_with(':')) first += " " + line;
    for (const char* mark : {"RuntimeError: ", "Error: "})
      if (line.rfind(mark, 0) == 0) cause = line.substr(std::string(mark).size());
  }
  return withoutInternals(cause.empty() ? first : cause);
}

}  // namespace kadvise::graph
