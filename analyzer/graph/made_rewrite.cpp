#include "analyzer/graph/made_rewrite.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {

using jit::Node;
using jit::Value;

std::shared_ptr<Pattern> patternOf(const std::vector<Node*>& nodes, const std::vector<Value*>& outputs,
                                   std::vector<Value*>& parameters) {
  auto pattern = std::make_shared<Pattern>();
  auto graph = std::make_shared<jit::Graph>();
  std::unordered_map<Value*, Value*> env;
  auto take = [&](Value* v) {
    if (auto it = env.find(v); it != env.end()) return it->second;
    if (auto constant = jit::toIValue(v)) return env[v] = constantOf(*graph, *constant);
    std::string name = "p" + std::to_string(parameters.size());
    parameters.push_back(v);
    pattern->parameters.push_back(name);
    auto type = isTensor(v) ? c10::TypePtr(c10::TensorType::get()) : v->type();
    return env[v] = graph->addInput(name)->setType(type);
  };
  for (Node* n : nodes) {
    for (Value* in : n->inputs()) take(in);
    Node* copy = graph->insertNode(graph->createClone(n, [&](Value* v) { return env.at(v); }));
    for (std::size_t i = 0; i < n->outputs().size(); ++i) env[n->output(i)] = copy->output(i);
  }
  for (Value* out : outputs) graph->registerOutput(env.at(out));
  graph->lint();
  pattern->graph = graph;
  pattern->fixed.resize(pattern->parameters.size());
  pattern->valueLimit = valueLimitOf(*graph);
  return pattern;
}

std::string parameterName(const std::vector<Value*>& parameters, const Value* v) {
  auto at = std::find(parameters.begin(), parameters.end(), v);
  return at == parameters.end() ? "" : "p" + std::to_string(at - parameters.begin());
}

std::shared_ptr<Replacement> replacementOf(const Pattern& pattern, const std::string& body,
                                           ReplacementInfo info) {
  std::string signature;
  for (std::size_t i = 0; i < pattern.parameters.size(); ++i) {
    auto type = pattern.graph->inputs()[i]->type();
    signature += (i ? ", " : "") + pattern.parameters[i] +
                 (isTensor(pattern.graph->inputs()[i]) ? "" : ": " + type->annotation_str());
  }
  RulePage page;  // for the place of an error, which would be one of ours
  page.path = "(made)";
  auto compiled =
      compileOwn(page, {"python", "replace", "def replacement(" + signature + "):\n" + body, {}, "", 1});
  auto made = std::make_shared<Replacement>(Replacement{compiled.graph, std::move(info), 1});
  jit::Inline(*made->graph);
  jit::LowerAllTuples(made->graph);
  return made;
}

}  // namespace kadvise::graph
