// Regions of a forward, and the module with all of them in one kernel each.
#pragma once

#include "analyzer/core/operator_library.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/separate_passes.h"
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph::test {

struct Passes {
  int rewritten = 0, found = 0;
  std::string reasons, text;  // text: of the programs
};

// What the rule finds in the module, put in its place as far as that is safe.
inline Passes rewritePasses(const torch::jit::Module& m, const std::vector<at::Tensor>& inputs,
                            CodedRule rule = findSeparatePasses) {
  auto graph = graphOf(m);
  auto traced = tracedOf(m, *graph, inputs);
  Passes out;
  auto first = aliasesOf(graph, &m);
  Target target{"cuda", 90};
  auto result = rule(RulePage(), {*graph, &m, traced, target, *first});
  out.found = static_cast<int>(result.findings.size());
  for (auto& r : result.refused) out.reasons += r.why.at + " " + r.why.reason + "\n";
  for (auto& region : findRowRegions(*graph, traced, *first).regions)
    out.text += rowProgramText(region, traced) + "\n";
  for (auto& f : result.findings) {
    NearMiss near;
    auto aliases = aliasesOf(graph, &m);
    auto match = matchAt(*f.rewrite->pattern, f.rewrite->roots, traced, near);
    auto why =
        match ? whyUnsafe(*f.rewrite->pattern, *match, *aliases, memoryOfResults(*f.rewrite->replacement))
              : std::optional(near.mismatch);
    if (!why) why = rewrite(*graph, *f.rewrite->pattern, *f.rewrite->replacement, *match, *aliases).refused;
    if (why) out.reasons += why->at + " " + why->reason + "\n";
    else ++out.rewritten;
  }
  return out;
}

inline void loadKernels() {
  static const bool once = (loadOperatorLibrary(KADVISE_KERNELS), true);
  (void)once;
}

// By a module of its own: one that has run keeps what it ran, whatever becomes of its graph.
inline std::vector<at::Tensor> resultsOf(const torch::jit::Module& m, const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> out;
  flatten(m.clone().forward(std::vector<c10::IValue>(inputs.begin(), inputs.end())), out);
  return out;
}

}  // namespace kadvise::graph::test
