// A rule that no pattern can say is one function over the module's graph. Its page has the words and the
// examples.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "analyzer/core/rule_page.h"
#include "analyzer/core/types.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/condition.h"
#include "analyzer/graph/made_rewrite.h"
#include "analyzer/graph/region_pass.h"
#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// What a coded rule may look at. Never changed by it.
struct Analysis {
  torch::jit::Graph& graph;          // normal form
  const torch::jit::Module* module;  // null in a page's own example, whose parameters have no data
  const TracedValues& traced;        // empty where the module was not run
  const Target& target;
  const Aliases& aliases;  // one for all rules: making it takes longer than a rule
  // What other rules would replace in this round.
  const std::unordered_set<const torch::jit::Node*>& taken = nothingTaken();

  // Where they say that no CUDA graph can be captured across; for rules that stand on others.
  std::size_t captureCuts = 0;

  static const std::unordered_set<const torch::jit::Node*>& nothingTaken() {
    static const std::unordered_set<const torch::jit::Node*> none;
    return none;
  }
};

struct CodedFinding {
  torch::jit::Node* node = nullptr;        // the place that is reported
  std::string message;                     // a sentence without its full stop
  std::vector<torch::jit::Node*> related;  // other places that belong to it
  std::vector<std::string> breaks;         // what ends at all of these places: words of kBreaks
  std::optional<Estimate> estimate;
  std::optional<MadeRewrite> rewrite;  // proposed where it is safe
  std::vector<RegionPass> passes;      // or one of these, on top of the candidates of other rules
};

// A place that the rule is about, and why it says nothing of it.
struct CodedRefusal {
  torch::jit::Node* node = nullptr;
  Mismatch why;
};

struct CodedResult {
  std::vector<CodedFinding> findings;  // in the order of the graph
  std::vector<CodedRefusal> refused;
  std::string whyNothing;   // when there are none: what was looked for, or what is missing
  bool looksAgain = false;  // places were left to other rules: they are worth a look when those are decided
  std::vector<torch::jit::Node*>
      kept;  // of such places: rules that look later in this round leave them alone
};

using CodedRule = CodedResult (*)(const RulePage&, const Analysis&);

// The function that a page names; nullptr when there is none of that name.
CodedRule codedRule(const std::string& function);

// Of a rule that leaves places to others, or whose words are made of what others found: its turn among such,
// behind all of those.
std::optional<std::size_t> turnBehindOthers(const RulePage&);

}  // namespace kadvise::graph
