// A module whose convolutions are in channels_last where the rule says so.
#pragma once

#include "analyzer/graph/channels_last.h"
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph::test {

// As the rule and the composition do it, without other candidates.
inline CodedResult layOut(torch::jit::Module& m, const std::vector<at::Tensor>& inputs) {
  auto graph = graphOf(m);
  auto traced = tracedOf(m, *graph, inputs);
  auto aliases = aliasesOf(graph, &m);
  Target target{"cpu", 0};
  auto result = findConvolutionsInNchw(RulePage(), {*graph, &m, traced, target, *aliases});
  StandIns none;
  for (auto& f : result.findings) {
    std::unordered_set<int> ids;
    for (auto* n : f.passes[0].nodes) ids.insert(nodeId(n));
    EXPECT_FALSE(f.passes[0].change({*graph, ids, Shapes(traced, none), *aliases}).empty());
  }
  return result;
}

}  // namespace kadvise::graph::test
