// Graphs in which a careless rewrite would change what the module computes. Each is rewritten as far as the
// engine goes, and both modules are run: results, inputs and buffers must be the same afterwards.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/find.h"
#include "analyzer/graph/rewrite.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph::test {

enum class HazardRule {
  SumAndRelu,   // relu(a + b) and the sum: legal for all shapes and dtypes
  EqualShapes,  // relu(a + b) of float32 as a sum over a stack: wrong where shapes differ
  Norm,         // a batch norm by running statistics, written out
  NormAndRelu,  // the same with a relu behind it
  Dropout,      // pattern with a random operator in it
  Halves        // two columns taken to the end, as a roll by two: legal for all widths
};

// What the rewritten module does in a call that is unlike the run: it may refuse it, but never say something
// else.
enum class OtherCall { Same, Raises };

struct Hazard {
  const char* name;
  const char* body;          // of forward(self, x, y); buffers: mean, variance, of 4 numbers
  int rewritten;             // places
  const char* because = "";  // why not at the others: a part of the reason
  HazardRule rule = HazardRule::SumAndRelu;
  at::Tensor (*makeY)() = [] { return torch::randn({3, 4}); };
  bool elsewhere = false;                            // x is on another device than y
  std::vector<at::Tensor> (*makeOther)() = nullptr;  // x and y of a second call, where there is one
  OtherCall inOther = OtherCall::Same;
};

struct HazardResult {
  int rewritten = 0;
  std::vector<std::string> reasons;  // of the last search
};

inline std::vector<std::pair<std::string, std::string>> fencesOf(HazardRule rule) {
  switch (rule) {
    case HazardRule::SumAndRelu:  // equal, but visibly another graph
      return {{"match", "def p(a, b):\n    s = a + b\n    return torch.relu(s), s"},
              {"replace", "def r(a, b):\n    s = b + a\n    return torch.clamp(s, min=0.0), s"}};
    case HazardRule::EqualShapes:
      return {{"match", "def p(a, b):\n    return torch.relu(a + b)"},
              {"when",
               "def when(a, b):\n    assert a.shape == b.shape, \"the operands differ in shape\"\n    return "
               "True"},
              {"replace", "def r(a, b):\n    return torch.clamp(torch.stack([a, b]).sum(0), min=0.0)"}};
    case HazardRule::Norm:
      return {{"match",
               "def p(a, b, c):\n    return torch.batch_norm(a, None, None, b, c, False, 0.1, 1e-5, False)"},
              {"replace", "def r(a, b, c):\n    return (a - b) * torch.rsqrt(c + 1e-5)"}};
    case HazardRule::NormAndRelu:
      return {{"match",
               "def p(a, b, c):\n    return torch.relu(torch.batch_norm(a, None, None, b, c, False, 0.1, "
               "1e-5, False))"},
              {"replace", "def r(a, b, c):\n    return torch.relu((a - b) * torch.rsqrt(c + 1e-5))"}};
    case HazardRule::Dropout:
      return {{"match", "def p(a, b):\n    return torch.dropout(a + b, 0.5, True)"},
              {"replace", "def r(a, b):\n    return torch.dropout(b + a, 0.5, True)"}};
    case HazardRule::Halves:
      return {
          {"match", "def p(a, b):\n    return torch.cat([a[:, 2:], a[:, :2]], -1) * b"},
          {"when", "def when(a):\n    assert a.size(-1) == 4, \"the parts are no halves\"\n    return True"},
          {"replace", "def r(a, b):\n    return torch.roll(a, -2, -1) * b"}};
  }
  return {};
}

inline std::vector<Case> casesOf(HazardRule rule) {
  std::vector<Case> cases = {{{"a", parseInputSpec("float[2]"), ""}, {"b", parseInputSpec("float[2]"), ""}}};
  if (rule == HazardRule::Norm || rule == HazardRule::NormAndRelu)
    cases[0].push_back({"c", parseInputSpec("float[2]"), ""});
  return cases;
}

// What a run would show of the graph's values.
inline TracedValues tracedOf(const torch::jit::Module& m, torch::jit::Graph& graph,
                             const std::vector<at::Tensor>& inputs) {
  Known known = attributesKnown(m, graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) known[graph.inputs()[i + 1]] = onMeta(inputs[i]);
  return shadowRun(graph, std::move(known));
}

// One place after the other, each found in the graph as it has become.
inline HazardResult rewriteAll(const torch::jit::Module& m, HazardRule kind,
                               const std::vector<at::Tensor>& inputs) {
  TestRule rule(fencesOf(kind), casesOf(kind));
  if (kind == HazardRule::EqualShapes) rule.page.dtypes = {"float32"};
  auto graph = graphOf(m);
  HazardResult result;
  for (bool again = true; again;) {
    again = false;
    auto traced = tracedOf(m, *graph, inputs);
    auto aliases = aliasesOf(graph, &m);
    auto search = findSites(rule.rule, *graph, *aliases, {}, traced, {"cpu", 0});
    result.reasons = {search.whyNothing};
    for (auto& r : search.refused) result.reasons.push_back(r.mismatch.at + " " + r.mismatch.reason);
    for (auto& site : search.sites) {
      auto done = rewrite(*graph, *site.pattern, site.group->replacements[0], site.match, *aliases);
      if (done.refused) result.reasons.push_back(done.refused->at + " " + done.refused->reason);
      else ++result.rewritten, again = true;
      if (again) break;
    }
  }
  return result;
}

inline void flatten(const c10::IValue& v, std::vector<at::Tensor>& out) {
  if (v.isTensor()) out.push_back(v.toTensor());
  if (v.isTuple())
    for (auto& e : v.toTuple()->elements()) flatten(e, out);
  if (v.isList())
    for (const auto& e : v.toListRef()) flatten(e, out);
  if (v.isGenericDict())
    for (const auto& e : v.toGenericDict()) flatten(e.value(), out);
}

// Of a tensor without data, which stands in for another device, only its form can be compared.
inline bool isSame(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype() || a.device() != b.device()) return false;
  return a.is_meta() || torch::allclose(a, b, 1e-5, 1e-6, /*equal_nan=*/true);
}

// forward twice, so that what a call leaves in buffers shows; then the inputs and the buffers.
inline std::vector<at::Tensor> everythingOf(torch::jit::Module& m, const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> out;
  std::vector<c10::IValue> arguments;
  for (auto& t : inputs) arguments.emplace_back(t.clone());
  for (int call = 0; call < 2; ++call) {
    torch::manual_seed(1);
    flatten(m.forward(arguments), out);
  }
  for (auto& a : arguments) flatten(a, out);
  for (const auto& b : m.buffers()) out.push_back(b);
  return out;
}

inline void expectSame(torch::jit::Module& plain, torch::jit::Module& changed,
                       const std::vector<at::Tensor>& inputs) {
  auto want = everythingOf(plain, inputs), have = everythingOf(changed, inputs);
  ASSERT_EQ(want.size(), have.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(isSame(want[i], have[i])) << i << "\n" << *graphOf(changed);
}

inline void keepsTheMeaning(const Hazard& hazard) {
  std::string forward = std::string("def forward(self, x, y):\n  ") + hazard.body;
  std::vector<std::pair<std::string, at::Tensor>> buffers = {{"mean", torch::arange(4.0)},
                                                             {"variance", torch::arange(1.0, 5.0)}};
  torch::jit::Module plain("__torch__.Plain");
  for (auto& [name, tensor] : buffers) plain.register_buffer(name, tensor.clone());
  plain.define(forward + "\n");
  for (auto& b : buffers) b.second = b.second.clone();
  auto changed = moduleOf(forward, buffers);
  torch::manual_seed(1);
  at::Tensor y = hazard.makeY(), x = torch::randn({3, 4});
  if (hazard.elsewhere) x = x.to(at::kMeta);
  auto result = rewriteAll(changed, hazard.rule, {x, y});
  std::string reasons;
  for (auto& r : result.reasons) reasons += r + "\n";
  EXPECT_EQ(result.rewritten, hazard.rewritten) << reasons << *graphOf(changed);
  EXPECT_NE(reasons.find(hazard.because), std::string::npos) << reasons;
  expectSame(plain, changed, {x, y});
  if (!hazard.makeOther) return;
  auto other = hazard.makeOther();
  if (hazard.inOther == OtherCall::Same) return expectSame(plain, changed, other);
  EXPECT_NO_THROW(everythingOf(plain, other));
  EXPECT_THROW(everythingOf(changed, other), std::exception);
}

}  // namespace kadvise::graph::test
