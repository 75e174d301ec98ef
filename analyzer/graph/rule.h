// A rule page made ready to match: groups of patterns with the replacements that belong to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/rule_page.h"
#include "analyzer/graph/landmarks.h"
#include "analyzer/graph/rule_text.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

struct Pattern {
  std::shared_ptr<torch::jit::Graph> graph;  // normal form
  std::vector<std::string> parameters;
  std::vector<std::optional<c10::IValue>>
      fixed;  // per parameter: what this reading of the text decides, see variant.h
  int line = 0;
  std::size_t valueLimit = 0;  // every value's unique number is below
  int variant = 0;             // counts the readings of one text, the largest first
  std::size_t anchor =
      0;  // the output at whose node the replacement stands; not the first for writes in place
};

// One more than the largest unique number of a value of the graph.
std::size_t valueLimitOf(torch::jit::Graph&);

struct Replacement {
  std::shared_ptr<torch::jit::Graph> graph;
  ReplacementInfo info;
  int line = 0;
};

// Matches, then an optional condition, then replacements, all of the same parameters. A page repeats groups
// for the spellings whose parameters differ (with and without a scale).
struct Group {
  std::vector<Pattern> patterns;  // the largest first: what a smaller one leaves over must not hide a larger
  std::optional<Compiled> when;
  std::vector<std::string> whenParameters;  // in the order of its arguments, device and arch included
  std::vector<Replacement> replacements;
  std::vector<const Case*> cases;    // those whose names are the parameters
  std::vector<std::string> weights;  // parameters that the cases mark as weights: they bind to nothing else
};

struct Rule {
  const RulePage* page = nullptr;
  std::vector<Group> groups;
  std::vector<c10::Symbol> lacking;  // of each text in groups that were left out: what the module has not

  // Whether nothing that was left out can have come to have a place.
  bool holdsFor(const Operators& present) const;
};

// Throws Error{"page.md:line", ...}: text that does not compile, parameters that differ within a group, a
// parameter that its pattern never uses, a replacement with another number of results, an output that the
// anchor cannot reach. Given the operators of a module, groups are left out that these say have no place in
// it: of those the patterns' text is compiled, and nothing else.
Rule compileRule(const RulePage&, const Operators* present = nullptr);

}  // namespace kadvise::graph
