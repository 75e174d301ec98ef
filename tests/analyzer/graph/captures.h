// Modules taken apart for CUDA graphs, with a stand-in for the runner, compared with what they were.
#pragma once

#include <sstream>

#include "analyzer/graph/capture.h"
#include "analyzer/graph/given_optionals.h"
#include "tests/analyzer/graph/graphs.h"
#include "tests/analyzer/graph/runner_stand_in.h"

namespace kadvise::graph::test {

using torch::jit::Module;
using Inputs = std::vector<c10::IValue>;

inline const TracedValues kNothingTraced;

struct Wrapped {
  Module module;  // with runners
  std::size_t pieces = 0, launches = 0;
  std::vector<std::string> reasons;
};

// The module taken apart as for a GPU; parts of any size.
inline Wrapped wrap(const Module& original, const TracedValues& traced = kNothingTraced,
                    std::size_t fewest = 1) {
  Wrapped out;
  auto module = original.clone(kSharedTensors);
  auto graph = graphOf(module);
  settleGivenOptionals(*graph, traced);
  auto aliases = aliasesOf(graph, &module);
  Target target{"cuda", 90};
  Analysis analysis{*graph, &module, traced, target, *aliases};
  auto plan = planCapture(analysis, blockersOf(analysis, {}), fewest);
  out.pieces = plan.pieces.size();
  for (auto& p : plan.pieces) out.launches += p.launches;
  for (auto& b : plan.blockers) out.reasons.push_back(b.reason);
  auto carved = carve(module, plan, kStandInClass);
  addRunners(carved);
  std::stringstream file;
  carved.module.save(file);
  out.module = torch::jit::load(file);
  return out;
}

inline Inputs copied(const Inputs& inputs) {
  Inputs out;
  for (auto& v : inputs) out.push_back(v.isTensor() ? c10::IValue(v.toTensor().clone()) : v);
  return out;
}

inline void expectEqual(const c10::IValue& want, const c10::IValue& have, const std::string& at) {
  if (want.isTensor()) {
    ASSERT_TRUE(have.isTensor()) << at;
    EXPECT_TRUE(torch::equal(want.toTensor(), have.toTensor())) << at;
    EXPECT_EQ(want.toTensor().strides(), have.toTensor().strides()) << at;
  } else if (want.isTuple()) {
    auto &a = want.toTupleRef().elements(), &b = have.toTupleRef().elements();
    ASSERT_EQ(a.size(), b.size()) << at;
    for (std::size_t i = 0; i < a.size(); ++i) expectEqual(a[i], b[i], at + "." + std::to_string(i));
  } else if (want.isList()) {
    auto a = want.toListRef(), b = have.toListRef();
    ASSERT_EQ(a.size(), b.size()) << at;
    for (std::size_t i = 0; i < a.size(); ++i) expectEqual(a[i], b[i], at + "." + std::to_string(i));
  } else if (want.isGenericDict()) {
    ASSERT_EQ(want.toGenericDict().size(), have.toGenericDict().size()) << at;
    for (auto& entry : want.toGenericDict())
      expectEqual(entry.value(), have.toGenericDict().at(entry.key()), at + "." + entry.key().toStringRef());
  } else {
    EXPECT_EQ(want, have) << at;
  }
}

// Results, and what becomes of the inputs.
inline void expectSame(const Module& original, const Module& wrapped, const Inputs& inputs) {
  Module a = original, b = wrapped;
  for (int call = 0; call < 2; ++call) {
    auto forA = copied(inputs), forB = copied(inputs);
    expectEqual(a.forward(forA), b.forward(forB), "output");
    for (std::size_t i = 0; i < forA.size(); ++i) expectEqual(forA[i], forB[i], "input " + std::to_string(i));
  }
}

inline int count(const Module& m, const std::string& kind) {
  int found = 0;
  forEachNode(graphOf(m)->block(), [&](torch::jit::Node* n) { found += n->kind().toQualString() == kind; });
  return found;
}

inline bool isSaid(const Wrapped& w, const std::string& words) {
  return std::any_of(w.reasons.begin(), w.reasons.end(),
                     [&](auto& r) { return r.find(words) != std::string::npos; });
}

}  // namespace kadvise::graph::test
