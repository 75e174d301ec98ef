// A rule page proves itself: its examples fire or stay silent, and each replacement gives what the pattern
// gives.
#pragma once

#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/core/rule_page.h"

namespace kadvise {

struct RuleTest {
  std::string rule, name;  // name: the heading of an example, or "replacement 1, float32"
  bool passed = false;
  std::string what;  // of an example: what went wrong; of a proof: the grade, or what went wrong
  enum class Kind { Example, Proof } kind = Kind::Example;
};

struct RuleTestRun {
  std::vector<RuleTest> tests;
  Device device;
  std::string error;  // why the rest was not run; "" when all was
  std::vector<std::string> notes;
};

// Throws Error when an engine's program is missing, and Interrupted.
RuleTestRun testRulePages(const AssistantOptions&, const Subject& deviceAndLibraries,
                          const std::vector<const RulePage*>&);

}  // namespace kadvise
