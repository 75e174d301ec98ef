// A rule whose page says it all: matchers as text, and the edits that go with them.
#pragma once

#include <vector>

#include "analyzer/core/rule_page.h"
#include "analyzer/source/findings.h"
#include "analyzer/source/page_edit.h"

namespace kadvise::source {

struct PageMatcher {
  clang::ast_matchers::internal::DynTypedMatcher
      matcher;  // its root is bound as "site", unless the page does
  std::vector<PageFix> fixes;
};

struct PageRule {
  const RulePage* page = nullptr;
  std::vector<PageMatcher> matchers;
};

// A line "let NAME = MATCHER" before a matcher names a part of it. Throws Error{"page.md:line", …}.
PageRule compilePageRule(const RulePage&);

// One walk through the file for all of them.
void runPageRules(const Unit&, const std::vector<PageRule>&, Findings&);

}  // namespace kadvise::source
