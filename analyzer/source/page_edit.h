// The edits of a rule page, as text: one a line, "SELECTOR => TEXT". The selector is one of Clang's
// Transformer library (node("call"), name("call"), callArgs("call"), before(…), after(…), statement("s"));
// ${x} in the text is what bound node x is written as, ${(x)} the same in parentheses where it needs them.
// ${x:float} is a literal as a float's, and nothing is edited where no float is near it.
// Quotes around the text keep spaces at its ends, \n is a new line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/rule_page.h"
#include "analyzer/source/unit.h"

namespace kadvise::source {

using Nodes = clang::ast_matchers::BoundNodes;

struct PageEdit {
  clang::transformer::RangeSelector target;
  std::string text;
};

struct PageFix {
  EditInfo info;
  std::vector<PageEdit> edits;
};

// Throws Error{"page.md:line", …}.
PageFix parsePageFix(const RulePage&, const Fence&);

// None where a node is not written in the file itself: an edit there would change other places too.
std::optional<Fix> fixAt(const Unit&, const PageFix&, const clang::ast_matchers::MatchFinder::MatchResult&);

// Replaces ${x}; none where a node is not bound or not written out.
std::optional<std::string> expand(const Unit&, const std::string& text, const Nodes&);

// Shortens what would make a message unreadable.
std::string brief(const std::string& code);

}  // namespace kadvise::source
