// The rules that a run looks for, compiled once for all its files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/source/coded_rule.h"
#include "analyzer/source/formula_rule.h"
#include "analyzer/source/page_rule.h"

namespace kadvise::source {

struct RuleBook {
  std::vector<std::unique_ptr<RulePage>> pages;
  std::vector<PageRule> pageRules;
  std::vector<FormulaRule> formulaRules;
  std::vector<std::pair<const RulePage*, CodedRule>> codedRules;

  std::vector<std::string> ids() const;
  void run(Analyses&, Findings&) const;
};

// Throws Error for the first page that is wrong.
RuleBook loadRules(const std::vector<std::string>& paths);

}  // namespace kadvise::source
