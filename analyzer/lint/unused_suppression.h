// What is said of a comment that suppresses nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/core/catalogue.h"
#include "analyzer/core/json.h"
#include "analyzer/core/types.h"
#include "analyzer/core/unused_suppression.h"

namespace kadvise {

inline constexpr const char* kAboutUnusedSuppression =
    "# A comment suppresses nothing\n\n"
    "lint/unused-suppression names comments (kadvise: ignore[...], ignore-file[...], NOLINT(...)) whose rule "
    "has no finding\nwhere they stand, or is no rule. They hide what the rule will find there one day, so "
    "remove them.\n\n"
    "It is said of every run that looked for the rule, and has no page in the rule book. --ignore, "
    "kadvise.toml and comments\nname it as any rule; alone under --select it looks for all rules, and says "
    "only this.\n";

// A selector that means it: its name, or its category.
bool namesUnusedSuppression(const std::string& selector);
std::vector<std::string> withoutUnusedSuppression(std::vector<std::string> selectors);

// Said of every run, whatever rules it selects, unless it is ignored or turned off by name; a run that
// selects nothing else looks for all rules, and says only this.
struct UnusedChoice {
  bool isSaid = true, isAlone = false;
};
UnusedChoice unusedChoiceOf(const AssistantOptions&);

// unused: as kadvise-source sends it (messages.schema.json). Null for a rule that exists and was not looked
// for: another run may need the comment.
std::optional<Finding> unusedSuppression(const std::string& path, const Json& unused, const Catalogue&);

}  // namespace kadvise
