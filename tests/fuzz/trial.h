// One program through everything that changes a graph, and whether it still computes the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/graph/rule.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/program_run.h"

namespace kadvise::fuzz {

struct RuleBook {
  std::vector<std::unique_ptr<RulePage>> pages;     // of coded rules, too
  std::vector<std::shared_ptr<graph::Rule>> rules;  // beside pages; null for a coded rule
};
RuleBook readRuleBook(const std::string& folder);

// Compiles and runs the program, brings it to normal form, specialises it, looks for every rule and applies
// what they propose. Throws Finding where a graph is malformed or computes something else than the program.
Result tryProgram(const Program&, const RuleBook&, Random&);

}  // namespace kadvise::fuzz
