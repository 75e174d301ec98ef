#include "analyzer/graph/exported_guards.h"

#include <gtest/gtest.h>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

std::string symbol(const std::string& name) { return "Symbol('" + name + "', positive=True, integer=True)"; }

Json expression(const std::string& text) { return {{"as_expr", {{"expr_str", text}}}}; }

Json exported(const Json& sizesByName, const Json& ranges = Json::object()) {
  Json tensors = Json::object();
  for (auto& [name, sizes] : sizesByName.items()) tensors[name] = {{"sizes", sizes}};
  return {{"graph_module", {{"graph", {{"tensor_values", tensors}}}}}, {"range_constraints", ranges}};
}

// What a module with the guards says of tensors of these shapes: "" where it takes them.
std::string refusal(const std::vector<SizeGuard>& guards,
                    const std::vector<std::vector<std::int64_t>>& shapes) {
  std::string parameters;
  for (std::size_t i = 0; i < shapes.size(); ++i) parameters += ", x" + std::to_string(i) + ": Tensor";
  torch::jit::Module m("m");
  m.define("def forward(self" + parameters + "):\n  return x0\n");
  insertSizeGuards(*m.get_method("forward").graph(), guards);
  std::vector<c10::IValue> inputs;
  for (auto& s : shapes) inputs.emplace_back(at::zeros(s));
  try {
    m.forward(inputs);
    return "";
  } catch (const std::exception& e) {
    std::string said = e.what();
    auto from = said.rfind("specialised this module to ");
    return said.substr(from, said.find(" as it was exported", from) - from);
  }
}

TEST(ExportedGuards, SizesThatWereFixedHaveToBeThose) {
  auto guards = sizeGuardsOf(exported({{"x", {{{"as_int", 4}}, {{"as_int", 8}}}}}), {"x"});
  EXPECT_EQ(refusal(guards, {{4, 8}}), "");
  EXPECT_EQ(refusal(guards, {{8, 8}}), "specialised this module to x: 4 × 8");
  EXPECT_NE(refusal(guards, {{4}}), "");
  EXPECT_NE(refusal(guards, {{4, 8, 1}}), "");
}

TEST(ExportedGuards, OneSymbolIsOneSize) {
  Json n = expression(symbol("s1"));
  auto guards = sizeGuardsOf(exported({{"x", {n, {{"as_int", 8}}}}, {"y", {n}}}), {"x", "y"});
  EXPECT_EQ(refusal(guards, {{3, 8}, {3}}), "");
  EXPECT_EQ(refusal(guards, {{3, 8}, {1}}),
            "specialised this module to dimension 0 of y: s1 as in dimension 0 of x");
}

TEST(ExportedGuards, AlsoWithANumberAdded) {
  Json n = expression(symbol("s1")), more = expression("Add(" + symbol("s1") + ", Integer(1))");
  auto guards = sizeGuardsOf(exported({{"x", {n}}, {"y", {more}}}), {"x", "y"});
  EXPECT_EQ(refusal(guards, {{3}, {4}}), "");
  EXPECT_EQ(refusal(guards, {{3}, {2}}),
            "specialised this module to dimension 0 of y: s1 as in dimension 0 of x");
}

TEST(ExportedGuards, ANumberMayBeASize) {
  auto program = exported({{"x", {expression(symbol("s1"))}}});
  program["graph_module"]["graph"]["sym_int_values"] = {{"k", expression("Symbol('s1', integer=True)")}};
  torch::jit::Module m("m");
  m.define("def forward(self, x, k: int):\n  return x * k\n");
  insertSizeGuards(*m.get_method("forward").graph(), sizeGuardsOf(program, {"x", "k"}));
  EXPECT_NO_THROW(m.forward({at::ones({3}), 3}));
  EXPECT_ANY_THROW(m.forward({at::ones({3}), 4}));
}

TEST(ExportedGuards, NoTensorHasThousandsOfDimensions) {
  Json sizes = Json::array();
  for (int i = 0; i < 20000; ++i) sizes.push_back({{"as_int", 1}});
  EXPECT_ANY_THROW(sizeGuardsOf(exported({{"x", sizes}}), {"x"}));
}

TEST(ExportedGuards, MultiplesAndBounds) {
  Json twice = expression("Mul(Integer(2), " + symbol("s1") + ")");
  auto guards = sizeGuardsOf(exported({{"x", {twice}}}, {{"s1", {{"min_val", 3}, {"max_val", 10}}}}), {"x"});
  EXPECT_EQ(refusal(guards, {{8}}), "");
  EXPECT_EQ(refusal(guards, {{4}}), "specialised this module to s1 in dimension 0 of x: at least 3");
  EXPECT_EQ(refusal(guards, {{22}}), "specialised this module to s1 in dimension 0 of x: at most 10");
}

TEST(ExportedGuards, TorchTakesOneWhereItSaysTwo) {
  auto guards = sizeGuardsOf(
      exported({{"x", {expression(symbol("s1"))}}}, {{"s1", {{"min_val", 2}, {"max_val", nullptr}}}}), {"x"});
  EXPECT_EQ(refusal(guards, {{1}}), "");
}

TEST(ExportedGuards, WhatIsNoSymbolIsLeftToTheProgram) {
  auto guards = sizeGuardsOf(
      exported({{"x", {expression("Add(" + symbol("s1") + ", " + symbol("s2") + ")"), {{"as_int", 2}}}}}),
      {"x"});
  EXPECT_EQ(refusal(guards, {{5, 2}}), "");
  EXPECT_EQ(refusal(guards, {{5, 3}}), "specialised this module to x: … × 2");
}

TEST(ExportedGuards, ANameOfAFileIsNoText) {
  auto guards =
      sizeGuardsOf(exported({{"x\"\n  while True: pass", {{{"as_int", 1}}}}}), {"x\"\n  while True: pass"});
  EXPECT_EQ(refusal(guards, {{1}}), "");
  EXPECT_EQ(refusal(guards, {{2}}), "specialised this module to x____while_True__pass: 1");
}

TEST(ExportedGuards, WhatIsNoTensorHasNoSizes) {
  EXPECT_TRUE(sizeGuardsOf(exported(Json::object()), {"n"}).empty());
}

}  // namespace
}  // namespace kadvise::graph
