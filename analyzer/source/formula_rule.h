// A rule whose page says in formulas what LibTorch calls it finds, and the edits that go with them.
#pragma once

#include <vector>

#include "analyzer/source/analyses.h"
#include "analyzer/source/findings.h"
#include "analyzer/source/formula.h"
#include "analyzer/source/page_edit.h"

namespace kadvise::source {

struct PageFormulas {
  std::vector<FormulaPtr> formulas;
  std::vector<PageFix> fixes;  // made where everything that the formula says is one expression
};

struct FormulaRule {
  const RulePage* page = nullptr;
  std::vector<PageFormulas> groups;
};

// Throws Error{"page.md:line", …}.
FormulaRule compileFormulaRule(const RulePage&);

void runFormulaRules(Analyses&, const std::vector<FormulaRule>&, Findings&);

}  // namespace kadvise::source
