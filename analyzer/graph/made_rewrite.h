// A rewrite that a coded rule makes for one place: its pattern is the place's own nodes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/graph/rule.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Nodes of the module outside of a place that its region brings along, in execution order, and values that
// stand for what some of them make: (read in the module, read in the region).
struct Makers {
  std::vector<torch::jit::Node*> nodes;
  std::vector<std::pair<torch::jit::Value*, torch::jit::Value*>> standIns;
};

struct MadeRewrite {
  std::shared_ptr<const Pattern> pattern;
  std::shared_ptr<const Replacement> replacement;
  std::vector<torch::jit::Node*> roots;  // of the module: roots[i] makes output i of the pattern
  // What the rule knows about a parameter holds for what these nodes make of it, and for no other value. The
  // rewrite leaves them alone.
  Makers makers;
};

// The nodes, in execution order, as a pattern. What they read from elsewhere becomes its parameters p0, p1,
// ... in the order of first use; `parameters` receives those values of the module. Constants stay constants.
std::shared_ptr<Pattern> patternOf(const std::vector<torch::jit::Node*>& nodes,
                                   const std::vector<torch::jit::Value*>& outputs,
                                   std::vector<torch::jit::Value*>& parameters);

// What a body calls the value: "p0"; "" where it is none of the parameters.
std::string parameterName(const std::vector<torch::jit::Value*>& parameters, const torch::jit::Value*);

// A replacement from the body of a TorchScript function of p0, p1, ...: statements and a return.
std::shared_ptr<Replacement> replacementOf(const Pattern&, const std::string& body, ReplacementInfo);

}  // namespace kadvise::graph
