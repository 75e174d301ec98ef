#include "analyzer/graph/region.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analyzer/core/error.h"
#include "analyzer/core/hash.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/filled_lists.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/writes_away.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Module;
using jit::Node;
using jit::Value;

// What flows into the region, by kind.
struct Interface {
  std::vector<Value*> inputs;                           // become arguments of forward
  std::vector<std::pair<Value*, std::string>> weights;  // with the path of the parameter
  std::vector<std::size_t> outputs;  // which of the pattern's outputs the rest of the module reads
};

using Nodes = std::vector<Node*>;

bool isAmong(const Nodes& nodes, const Node* n) {
  return std::find(nodes.begin(), nodes.end(), n) != nodes.end();
}
bool isInside(const Match& match, const Node* n) { return isAmong(match.nodes, n); }

// What the region reads in place of a value of the module.
Value* inRegion(Value* v, const Makers& makers) {
  for (auto& [outside, inside] : makers.standIns)
    if (outside == v) return inRegion(inside, makers);
  return v;
}

Interface interfaceOf(const Pattern& pattern, const Match& match, const Makers& makers, const Module& whole) {
  Interface out;
  std::set<Value*> seen;
  auto take = [&](Value* read) {
    Value* v = inRegion(read, makers);
    bool made = isInside(match, v->node()) || isAmong(makers.nodes, v->node());
    if (v->node()->kind() == jit::prim::Constant || made || !seen.insert(v).second) return;
    if (auto path = attributePath(v); path && attributeAt(whole, *path).isTensor())
      out.weights.emplace_back(v, *path);
    else out.inputs.push_back(v);
  };
  for (auto* p : pattern.graph->inputs()) take(match.at(p));
  for (auto* nodes : {&makers.nodes, &match.nodes})
    for (Node* n : *nodes)
      for (Value* in : n->inputs()) take(in);
  for (std::size_t i = 0; i < pattern.graph->outputs().size(); ++i) {
    auto& uses = match.at(pattern.graph->outputs()[i])->uses();
    auto reads = [&](auto& use) { return !isInside(match, use.user) && !asksAboutTensors(use.user); };
    if (std::any_of(uses.begin(), uses.end(), reads)) out.outputs.push_back(i);
  }
  if (out.outputs.empty()) out.outputs.push_back(0);
  return out;
}

// The same of nodes that stay; read: their results that other nodes read.
Interface interfaceOf(const Nodes& nodes, const Module& whole, std::vector<Value*>& read) {
  Interface out;
  std::set<const Node*> inside(nodes.begin(), nodes.end());
  std::set<Value*> seen;
  for (Node* n : nodes) {
    for (Value* v : n->inputs()) {
      if (v->node()->kind() == jit::prim::Constant || inside.count(v->node()) || !seen.insert(v).second)
        continue;
      if (auto path = attributePath(v); path && attributeAt(whole, *path).isTensor())
        out.weights.emplace_back(v, *path);
      else out.inputs.push_back(v);
    }
    for (Value* v : n->outputs())
      if (std::any_of(v->uses().begin(), v->uses().end(),
                      [&](auto& use) { return !inside.count(use.user) && !asksAboutTensors(use.user); }))
        read.push_back(v);
  }
  return out;
}

Module emptyModule(const std::string& name) {
  return Module(c10::QualifiedName("__torch__.kadvise." + name));
}

void setForward(Module& module, const std::shared_ptr<Graph>& graph, std::vector<Value*> results) {
  Value* result = results.at(0);
  if (results.size() > 1) result = graph->insertNode(graph->createTuple(results))->output();
  graph->registerOutput(result);
  graph->lint();
  // Equal regions of two layers have equal text.
  forEachNode(graph->block(), [](Node* n) { n->setScope(c10::make_intrusive<jit::Scope>()); });
  module.type()->addMethod(module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), "forward"), graph));
}

struct Draft {  // a module in the making, with what stands for the outer values inside it
  Module module;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Value* self;
  std::unordered_map<Value*, Value*> env, standIns;

  explicit Draft(const std::string& name)
      : module(emptyModule(name)), self(graph->addInput("self")->setType(module.type())) {}

  Value* weight(const std::string& name, const at::Tensor& placeholder) {
    module.register_buffer(name, placeholder);
    return graph->insertNode(graph->createGetAttr(self, name))->output();
  }
  void copy(const Nodes& nodes) {
    for (Node* n : nodes) {
      Node* copy = graph->insertNode(graph->createClone(n, [&](Value* v) { return (*this)(v); }));
      for (std::size_t i = 0; i < n->outputs().size(); ++i) env[n->output(i)] = copy->output(i);
    }
    forgetWrites(*graph);
  }
  void copy(const Makers& makers) {
    for (auto& [outside, inside] : makers.standIns) standIns[outside] = inside;
    copy(makers.nodes);
  }
  Value* operator()(Value* v) {
    if (auto it = standIns.find(v); it != standIns.end()) return (*this)(it->second);
    if (auto it = env.find(v); it != env.end()) return it->second;
    if (auto constant = jit::toIValue(v)) {
      jit::WithInsertPoint start(*graph->nodes().begin());
      return env[v] = graph->insertConstant(*constant);
    }
    throw Error("", "the region reads %" + v->debugName() + ", which cannot be handed to it");
  }
};

Draft draftOf(const std::string& name, const Interface& face, const Module& whole) {
  Draft d(name);
  for (std::size_t i = 0; i < face.weights.size(); ++i) {
    auto& [value, path] = face.weights[i];
    d.env[value] = d.weight("w" + std::to_string(i), placeholderFor(attributeAt(whole, path).toTensor()));
  }
  for (Value* in : face.inputs) d.env[in] = d.graph->addInput()->setType(in->type());
  d.graph->setInsertPoint(d.graph->block());
  return d;
}

std::string textOf(const Graph& graph) {
  std::string text = graph.toString(/*print_source_locations=*/false);
  return text;
}

void finishAfter(Module& module) {
  simplify(module.get_method("forward").graph());
  foldWeights(module, HandedTo::Comparison);
}

// What both modules read, in the words of the whole.
void describe(RegionPair& pair, const Interface& face) {
  for (std::size_t i = 0; i < face.weights.size(); ++i)
    pair.names["w" + std::to_string(i)] = face.weights[i].second;
  for (Value* in : face.inputs) {
    // The trace has the list as it was made: empty.
    if (isFilledList(in))
      throw Error("", "the region reads a list that a loop fills, which cannot be handed to it");
    if (auto path = attributePath(in))
      throw Error("", "the region reads the module's " + *path + ", which cannot be handed to it");
    auto id = traceName(in);
    if (id.empty())
      throw Error("", "the region reads %" + in->debugName() + ", which has no name in the trace");
    pair.inputs.push_back(id);
    pair.values.push_back(in);
  }
}

// Without the names of its values, which differ from layer to layer.
std::string canonicalText(const jit::Module& region) {
  auto canonical = jit::Canonicalize(region.get_method("forward").graph(), /*keep_unique_names=*/false);
  std::string out = canonical->toString(false) + "|";
  forEachNode(canonical->block(), [&](Node* n) {  // the text shows no values of a constant tensor
    auto constant = n->kind() == jit::prim::Constant ? jit::toIValue(n->output()) : std::nullopt;
    if (!constant || !constant->isTensor()) return;
    auto bytes = constant->toTensor().contiguous();
    out += stableHash({static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()}) + ";";
  });
  return out;
}

}  // namespace

RegionPair cutRegion(const Pattern& pattern, const Replacement& replacement, const Match& match,
                     const Makers& makers, const Module& whole) {
  Interface face = interfaceOf(pattern, match, makers, whole);
  if (face.outputs.empty()) throw Error("", "nothing reads the result of this region");

  Draft before = draftOf("Before", face, whole);
  before.copy(makers);
  before.copy(match.nodes);
  std::vector<Value*> results;
  for (auto i : face.outputs) results.push_back(before(match.at(pattern.graph->outputs()[i])));
  setForward(before.module, before.graph, results);

  Draft after = draftOf("After", face, whole);
  after.copy(makers);
  std::vector<Value*> arguments;
  for (auto* p : pattern.graph->inputs()) arguments.push_back(after(match.at(p)));
  auto replaced = jit::insertGraph(*after.graph, *replacement.graph, arguments);
  results.clear();
  for (auto i : face.outputs) {
    replaced[i]->setType(match.at(pattern.graph->outputs()[i])->type());
    results.push_back(replaced[i]);
  }
  setForward(after.module, after.graph, results);
  finishAfter(after.module);

  RegionPair pair{before.module, after.module, {}, {}, textOf(*before.graph), textOf(*after.graph), {}};
  describe(pair, face);
  return pair;
}

RegionPair cutRegion(const Nodes& all, const Module& whole, const ChangeRegion& change) {
  Nodes nodes = withoutFilledLists(all);
  std::vector<Value*> read;
  Interface face = interfaceOf(nodes, whole, read);
  if (read.empty()) throw Error("", "nothing reads the result of this region");
  RegionPair pair{emptyModule("Before"), emptyModule("After"), {}, {}, "", "", {}};
  for (bool isAfter : {false, true}) {
    Draft d = draftOf(isAfter ? "After" : "Before", face, whole);
    for (auto& [value, path] : face.weights)
      d.env.at(value)->node()->setSourceRange(value->node()->sourceRange());
    d.copy(nodes);
    std::vector<Value*> results;
    for (auto* v : read) results.push_back(d(v));
    setForward(d.module, d.graph, results);
    (isAfter ? pair.after : pair.before) = d.module;
  }
  describe(pair, face);
  change(pair.after, pair.values);
  finishAfter(pair.after);
  return pair;
}

std::string signatureOf(const RegionPair& pair, const TracedValues& traced) {
  std::string out = canonicalText(pair.before) + canonicalText(pair.after);
  for (const auto& w : pair.before.named_buffers(false)) {
    out += nameOf(w.value.scalar_type()) + "[";
    for (auto n : w.value.sizes()) out += std::to_string(n) + ",";
    out += "];";
  }
  for (auto* v : pair.values) {
    auto* t = traced.find(v);
    out += describe(t) + (t ? " " + t->device : "");
    if (t)
      for (auto s : t->strides) out += "," + std::to_string(s);
    out += ";";
  }
  return out;
}

RegionPair pairOfPage(const Pattern& pattern, const Replacement& replacement, const Case& given) {
  RegionPair pair{emptyModule("Before"),  emptyModule("After"),       {}, {},
                  textOf(*pattern.graph), textOf(*replacement.graph), {}};
  auto decided = [&](std::size_t i) -> std::optional<c10::IValue> {
    if (pattern.fixed[i]) return pattern.fixed[i];
    bool absent = std::any_of(given.begin(), given.end(),
                              [&](auto& v) { return v.name == pattern.parameters[i] && isAbsent(v); });
    return absent ? std::optional(c10::IValue()) : std::nullopt;
  };
  for (const Graph* body : {pattern.graph.get(), replacement.graph.get()}) {
    bool isPattern = body == pattern.graph.get();
    Draft d(isPattern ? "Before" : "After");
    std::vector<Value*> arguments(pattern.parameters.size());
    for (std::size_t i = 0; i < pattern.parameters.size(); ++i) {
      if (pattern.fixed[i]) continue;
      auto entry =
          std::find_if(given.begin(), given.end(), [&](auto& v) { return v.name == pattern.parameters[i]; });
      if (isAbsent(*entry)) continue;
      if (entry->tensor && entry->tensor->weight) {
        arguments[i] = d.weight(entry->name, placeholderFor(at::empty(entry->tensor->shape)));
        if (isPattern) pair.names[entry->name] = "=" + toString(*entry->tensor);  // values made to this form
      }
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (auto known = decided(i)) arguments[i] = d.graph->insertConstant(*known);
      else if (!arguments[i])
        arguments[i] = d.graph->addInput(pattern.parameters[i])->setType(pattern.graph->inputs()[i]->type());
    d.graph->setInsertPoint(d.graph->block());
    setForward(d.module, d.graph, jit::insertGraph(*d.graph, const_cast<Graph&>(*body), arguments));
    if (!isPattern) finishAfter(d.module);
    (isPattern ? pair.before : pair.after) = d.module;
  }
  return pair;
}

}  // namespace kadvise::graph
