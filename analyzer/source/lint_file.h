// One file from its text to its findings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/source/findings.h"
#include "analyzer/source/parse.h"
#include "analyzer/source/rule_book.h"

namespace kadvise::source {

enum class HeaderChoice { Auto, Stub, Toolkit };

struct LintSettings {
  HeaderPlaces headers;
  HeaderChoice choice = HeaderChoice::Auto;
  int arch = 0;                  // 0: the newest that the build is for, else 90
  Preloads* preloads = nullptr;  // null: every header is read anew
  std::string gpu = {};          // of that architecture, for prices; "": the one that stands for it
};

struct LintInput {
  std::string file, text;
  std::optional<CompileCommand> command;  // of a compilation database
  // Lines that findings must touch, or be new since the text before; without a value all count.
  std::optional<std::vector<LineRange>> lines = {};
  Surroundings surroundings = {};  // what other files say of this one
  std::optional<std::string> before = {};
};

struct LintResult {
  std::vector<Finding> findings;
  Tier tier = Tier::Stub;
  ParseOutcome parsed;
  int kernels = 0, brokenKernels = 0;  // broken: with errors inside, so that not all of them was seen
  int hostErrorCount = 0;              // errors that only the host pass has
  int suppressed = 0;
  std::vector<Suppressions::Unused> unusedSuppressions;
  SourceRecord record;  // what this file says of others
};

LintResult lintFile(const RuleBook&, const LintSettings&, const LintInput&);

}  // namespace kadvise::source
