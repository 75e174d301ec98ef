// The report for a terminal: the verdict first, then what to change, then what was found and not advised, and
// why.
#pragma once

#include <string>
#include <vector>

#include "reports/layout.h"
#include "reports/report.h"

namespace kadvise {

struct TextStyle {
  int width = 100;
  bool colored = false;
  bool verbose = false;  // lists whole, and the text of each replacement
};

std::string renderText(const Report&, const TextStyle&);

// The same before it is wrapped, by parts: what the Markdown and the page say in words.
struct TextSection {
  std::string id;  // "refused"
  std::vector<Block> blocks;
};
std::vector<TextSection> textSections(const Report&, const TextStyle&);

// What a report says of the proposals of these rules: "RULE_TITLE at PLACE: advised: saves …".
std::vector<EarlierItem> itemsOf(const Report&, const std::vector<std::string>& rules);

// One argument as a shell reads it back.
std::string shellQuoted(const std::string&);

}  // namespace kadvise
