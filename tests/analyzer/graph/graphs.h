// Modules and patterns from text, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/rule.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph::test {

struct Attribute {  // that is no buffer
  std::string name;
  c10::TypePtr type;
  c10::IValue value;
};

// ops.kadvise.contiguous is the operator kadvise::contiguous, beside what every module can name.
struct WithOperators : torch::jit::Resolver {
  struct Libraries : torch::jit::SugaredValue {
    std::string kind() const override { return "ops"; }
    std::shared_ptr<torch::jit::SugaredValue> attr(const torch::jit::SourceRange&, torch::jit::GraphFunction&,
                                                   const std::string& name) override {
      return std::make_shared<torch::jit::BuiltinModule>(name, std::nullopt);
    }
  };
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name,
                                                         torch::jit::GraphFunction& f,
                                                         const torch::jit::SourceRange& at) override {
    if (name == "ops") return std::make_shared<Libraries>();
    return torch::jit::nativeResolver()->resolveValue(name, f, at);
  }
};

// "def forward(self, x): …" in normal form, nodes numbered as in a loaded module.
inline torch::jit::Module moduleOf(const std::string& forward,
                                   const std::vector<std::pair<std::string, at::Tensor>>& buffers = {},
                                   const std::vector<Attribute>& attributes = {}) {
  torch::jit::Module m("__torch__.Test");
  for (auto& [name, tensor] : buffers) m.register_buffer(name, tensor);
  for (auto& [name, type, value] : attributes) m.register_attribute(name, type, value);
  m.define(forward + "\n", std::make_shared<WithOperators>());
  auto graph = m.get_method("forward").graph();
  normalise(graph);
  int id = 0;
  forEachNode(graph->block(), [&](torch::jit::Node* n) { setNodeId(n, id++); });
  return m;
}

inline std::shared_ptr<torch::jit::Graph> graphOf(const torch::jit::Module& m) {
  return m.get_method("forward").graph();
}

// A page with the given fences, enough for compileRule.
inline RulePage pageOf(const std::vector<std::pair<std::string, std::string>>& fences) {
  RulePage page;
  page.path = "test.md";
  page.id = "test/page";
  int line = 10;
  for (auto& [role, text] : fences) {
    page.fences.push_back({"python", role, text + "\n", {}, "heading", line});
    line += 10;
  }
  return page;
}

// A pattern and its replacement; the page outlives the rule in `page`.
struct TestRule {
  RulePage page;
  Rule rule;
  TestRule(const TestRule&) = delete;  // the rule points into the page
  explicit TestRule(const std::vector<std::pair<std::string, std::string>>& fences,
                    std::vector<Case> cases = {})
      : page(pageOf(fences)) {
    page.cases = std::move(cases);
    rule = compileRule(page);
  }
};

}  // namespace kadvise::graph::test
